// Package wire reads the data on an MCP connection: frames (lines and server-sent events),
// strict JSON with exact byte spans, and the canonical form used for digests.
//
// It must never be more lenient than the strictest peer: anything that another parser would
// reject or read differently is an error or an anomaly. It never decodes into Go structs,
// because decoders drop, fold or overwrite members, which a scanner must see.
package wire
