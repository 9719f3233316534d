// Package crossserver compares what several servers of one session or project offer: names
// that imitate another server's, tools that shadow one, and combinations of tools that can
// leak data.
//
// A rule of this family sees the definitions of all servers of a session, in order. It never
// decides by the text of a description alone; that is rules/instructions.
//
// What it shares with other families:
//
//   - internal/names: how alike names and descriptions are
//   - internal/tools: the tools of a message
package crossserver
