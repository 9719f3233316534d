// Package wire reads the data on an MCP connection: frames (lines and server-sent events),
// strict JSON with exact byte spans, and the canonical form used for digests.
//
// Parsing must stay strict: what RFC 8259 forbids is an error, and keys that other parsers may
// read differently are anomalies. The package never decodes into Go structs, because decoders
// drop, fold or overwrite members, which a scanner must see.
package wire
