// Package wire reads what is on an MCP connection: frames (lines and
// server-sent events), strict JSON with exact byte spans, and the canonical
// form that digests are taken of.
//
// It must never be more lenient than the strictest peer: what another parser
// would refuse, or read in a second way, is an error or an anomaly here. It
// never decodes into Go structs, because a decoder that drops, folds or
// overwrites members hides exactly what a scanner has to see.
package wire
