// Package llm reads what agents record of their language models: requests, responses and recorded
// streams of provider APIs, and client transcripts. It turns every format into the same items:
// declared tools, calls, and results.
//
// A format is recognised by the members that its writers always write; formats lists them all.
// Content that no reader knows becomes an item too; it is never dropped silently.
package llm
