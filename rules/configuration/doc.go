// Package configuration inspects MCP client configurations: the commands of server entries with
// their arguments, variables and approvals, and changes that weaken mcpscan's own settings.
//
// A rule in this family sees the entries and other settings of one configuration file. Only
// cfg-scope-shadow also sees the files before it, and settings-weakened the two versions of a
// settings file. No rule starts a server or opens a file that an entry names.
//
// Shared with other families:
//
//   - internal/entries: commands and packages of configuration entries
//   - internal/secrets: names and values of credentials
//   - internal/destination: hosts and addresses
package configuration
