// Package supplychain inspects the packages that configurations start: names that imitate
// well-known ones, versions with known vulnerabilities, and sources without an integrity
// check.
//
// A rule in this family sees the packages of one configuration and the table of advisories. It
// never contacts a registry.
//
// Shared with other families:
//
//   - internal/entries: commands and packages of configuration entries
//   - internal/names: names that differ by a typo
package supplychain
