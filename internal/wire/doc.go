// Package wire reads the data on an MCP connection: frames (lines and server-sent events),
// strict JSON with exact byte spans, and the canonical form used for digests.
//
// It must never be more lenient than the strictest peer: anything that another parser would
// reject or read differently is an error or an anomaly here. It never decodes into Go structs,
// because a decoder that drops, folds or overwrites members hides exactly what a scanner has to
// see.
package wire
