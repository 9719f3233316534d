// Package supplychain inspects the packages that configurations start: names that imitate
// well-known ones, versions with known vulnerabilities, sources without integrity.
//
// A rule of this family sees the packages of one configuration and the table of advisories. It
// never contacts a registry.
//
// Shared with other families:
//
//   - internal/entries: what the entries of a configuration fetch
//   - internal/names: names that differ by a typo
package supplychain
