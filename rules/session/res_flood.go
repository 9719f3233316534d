package session

import (
	"compress/flate"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var ResponseFlood = scanner.Rule{
	ID:         "res-flood",
	Category:   scanner.OutputPoisoning,
	Title:      "A result is too long for any model, or repeats itself",
	Why:        "A long result fills the model's context. It pushes out what the user and other servers said, including rules, and the user pays for every token.",
	Fix:        "In the client, truncate results to a maximum length; in the server, paginate them.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "4 MiB of text is about a million tokens, the size of the largest context windows of current models. Repetition is measured by compression: ordinary text compresses to a quarter of its size, tables and logs to a twentieth, repetitive text to less than a fiftieth. Repetition is reported only if the text fills at least a third of a typical context window, because a user's long file can be repetitive too.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM10", "ATLAS:AML.T0034.002", "CWE-400"},
	Message: func(p *scanner.MessagePass) {
		result := p.Doc.Get(p.Root, "result")
		if result < 0 || p.Direction == mcp.ClientToServer || len(p.Doc.Raw(result)) < repeatedBytes {
			return
		}
		for _, key := range [...]string{"content", "contents", "messages"} {
			list := p.Doc.Get(result, key)
			if list < 0 {
				continue
			}
			switch size, packed := sizeOf(p.Doc, list); {
			case size >= floodBytes:
				p.Report(list, true, scanner.Medium, "the result is longer than any model's context")
			case size >= repeatedBytes && size >= repeatedRatio*packed:
				p.Report(list, true, scanner.Medium, "the result repeats the same text")
			}
		}
	},
}

const (
	floodBytes    = 4 << 20
	repeatedBytes = 256 << 10 // about 64,000 tokens
	repeatedRatio = 50
)

// sizeOf returns the total length, in bytes, of the texts in a content array, uncompressed and
// compressed. Images and other blobs do not count. It stops at floodBytes.
func sizeOf(doc *wire.Doc, list int) (size, packed int) {
	var out byteCount
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		panic(err) // cannot happen, because the level is valid
	}
	var buf []byte
	for i, end := list, int(doc.Nodes[list].Next); i < end && size < floodBytes; i++ {
		if doc.Kind(i) != wire.String || !doc.KeyIs(i, "text") {
			continue
		}
		buf = buf[:0]
		said := doc.Text(i, &buf)
		size += len(said)
		w.Write(said)
	}
	w.Close()
	return size, int(out)
}

// byteCount counts the bytes written to it.
type byteCount int

func (c *byteCount) Write(b []byte) (int, error) {
	*c += byteCount(len(b))
	return len(b), nil
}
