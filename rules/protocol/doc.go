// Package protocol finds messages that break MCP or JSON-RPC in a way that two readers
// understand differently, and what weakens a connection.
//
// A rule of this family sees one message with its spans, its HTTP head and the session that it
// belongs to. It never repairs or skips a message.
//
// What it shares with other families:
//
//   - internal/wire: strict JSON with positions
//   - internal/names: sets of words
package protocol
