// Package crossserver compares the servers of one session or project. It finds names that imitate
// those of another server, tools that shadow another server's tools, and combinations of tools that
// can leak data.
//
// A rule in this family sees the definitions of all servers of a session, in order. It never
// reports a finding based on the text of a description alone; rules/instructions does that.
//
// Shared with other families:
//
//   - internal/names: similarity of names and descriptions
//   - internal/tools: the tools of a message
package crossserver
