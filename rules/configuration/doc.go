// Package configuration inspects MCP client configurations: the commands of server entries with
// their arguments, variables and approvals, and changes that weaken mcpscan's own settings.
//
// A rule in this family sees the entries and other settings of one configuration file. There are
// two exceptions: cfg-scope-shadow also sees the files read before that one, and settings-weakened
// sees two versions of a settings file instead. No rule starts a server or opens a file that an
// entry names.
//
// Patterns for directories that expose the machine or its credentials are in directories.go.
//
// Shared with other families:
//
//   - internal/entries: commands and packages of configuration entries
//   - internal/secrets: names and values of credentials
//   - internal/destination: hosts and addresses
package configuration
