// Package supplychain judges the packages that configurations start: names that imitate
// well-known ones, versions with known vulnerabilities, sources without integrity.
//
// A rule of this family sees the packages of one configuration and the table of advisories. It
// never asks a registry.
//
// What it shares with other families:
//
//   - internal/entries: what the entries of a configuration fetch
//   - internal/names: names one slip apart
package supplychain
