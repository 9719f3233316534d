// Package llm reads what agents keep of their language models: requests, responses and
// recorded streams of the providers' APIs, and the transcripts of clients. It turns each
// format into the same items: tools that were declared, calls, and results.
//
// A format is recognised by the members that its writers always write; the table formats has
// them all. What a format says that no reader knows is an item as well, never silence.
package llm
