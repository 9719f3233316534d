// Package llm reads recordings of agents' traffic with language models: requests, responses and
// streams of provider APIs, and client transcripts. It turns every format into the same items:
// declared tools, calls, and results.
//
// A format is recognised by members that its writers always write; formats.go lists the formats.
// Content that no reader knows becomes an item too; it is never dropped silently.
package llm
