// Package protocol finds violations of MCP or JSON-RPC that different parsers interpret
// differently, and weaknesses of a connection.
//
// A rule in this family sees one message with its spans, its HTTP headers and its session. It
// never repairs or skips a message.
//
// Shared with other families:
//
//   - internal/wire: strict JSON with positions
//   - internal/names: sets of words
package protocol
