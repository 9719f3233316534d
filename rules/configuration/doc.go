// Package configuration judges the configurations of MCP clients: what each server entry
// starts, with which arguments, variables and approvals, and the settings of mcpscan
// itself where a change weakens them.
//
// A rule of this family sees the entries of one configuration file. It never starts a server
// or opens a file that an entry names.
//
// What it shares with other families:
//
//   - internal/entries: what the entries of a configuration start and fetch
//   - internal/secrets: names and values of credentials
//   - internal/destination: hosts and addresses
package configuration
