package session

import (
	"compress/flate"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var ResponseFlood = scanner.Rule{
	ID:         "res-flood",
	Category:   scanner.OutputPoisoning,
	Title:      "A result is larger than a model can read, or says one thing without end",
	Why:        "A result fills the context of the model. What the user and the other servers said is pushed out of it, rules among that, and the user pays for every token.",
	Fix:        "Have the client cut results at a length, and the server return pages.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Four MiB of text are about a million tokens, the most that models read. Repetition is told by how far the text can be compressed: ordinary ones to a fourth, tables and logs to a twentieth, one that repeats itself to less than a fiftieth. It counts from a length that fills a third of a common context, as a long file of the user's can be dull.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM10", "ATLAS:AML.T0034.002", "CWE-400"},
	Message: func(p *scanner.MessagePass) {
		result := p.Doc.Get(p.Root, "result")
		if result < 0 || p.Direction == scanner.ClientToServer || len(p.Doc.Raw(result)) < repeatedBytes {
			return
		}
		for _, key := range [...]string{"content", "contents", "messages"} {
			list := p.Doc.Get(result, key)
			if list < 0 {
				continue
			}
			switch size, packed := sizeOf(p.Doc, list); {
			case size >= floodBytes:
				p.Report(list, true, scanner.Medium, "the text of the result is longer than any model reads")
			case size >= repeatedBytes && size >= repeatedRatio*packed:
				p.Report(list, true, scanner.Medium, "the text of the result says the same over and over")
			}
		}
	},
}

const (
	floodBytes    = 4 << 20
	repeatedBytes = 256 << 10 // about 64,000 tokens
	repeatedRatio = 50
)

// sizeOf returns how long the texts of a list of content are together, and what is left of
// them when they are compressed. Pictures and other blobs are no text. Beyond the length
// of a flood nobody needs to know more.
func sizeOf(doc *wire.Doc, list int) (size, packed int) {
	var out byteCount
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		panic(err) // a level that the package does not know
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

// byteCount is how many bytes were written to it.
type byteCount int

func (c *byteCount) Write(b []byte) (int, error) {
	*c += byteCount(len(b))
	return len(b), nil
}
