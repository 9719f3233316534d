package replay

import (
	"bytes"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

type format int

const (
	formatUnknown    format = iota
	formatEmpty             // nothing but white space
	formatLines             // one JSON value per line
	formatPrefixed          // log lines that end in a message
	formatDocument          // one JSON value, usually over several lines
	formatHTTP              // HTTP exchanges as text
	formatTranscript        // bodies of LLM APIs or lines of a transcript, one per line, or an event stream
)

// sniffLines is the number of lines that are examined to recognise the format. Other lines, such as a
// banner, a comment or a truncated record, may precede the first line that identifies the format.
const sniffLines = 50

// sniff recognises a file's format by its head, the first bytes. whole is set if head is the entire
// file.
func sniff(head []byte, whole bool) format {
	head = bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	if len(bytes.TrimSpace(head)) == 0 {
		if whole {
			return formatEmpty
		}
		return formatUnknown
	}
	var doc wire.Doc
	rest, first := head, true
	for range sniffLines {
		line, tail, complete := bytes.Cut(rest, []byte("\n"))
		rest = tail
		line = bytes.TrimSpace(line)
		alone := first && whole && len(bytes.TrimSpace(tail)) == 0
		if (complete || whole) && tooDeep(line, &doc) {
			return formatLines // reported as too deep, whatever its format
		}
		if f := sniffLine(line, complete || whole, first, &doc); alone && (f == formatLines && !isLine(&doc) || f == formatTranscript && !startsStream(line)) {
			return formatDocument
		} else if f != formatUnknown {
			return f
		}
		first = first && len(line) == 0
		if !complete {
			break
		}
	}
	if looksLikeJSON.Match(head) { // the reader reports where the JSON becomes invalid
		return formatDocument
	}
	return formatUnknown
}

var (
	looksLikeJSON = lazyregexp.New(`^\s*(?:\{|\[\s*[\[{])`)
	archiveHead   = lazyregexp.New(`^\{\s*"log"\s*:\s*\{`)
)

// tooDeep reports whether a line is an object or an array that is nested too deeply.
func tooDeep(line []byte, doc *wire.Doc) bool {
	if len(line) <= wire.MaxDepth || !opensJSON(line) || line[len(line)-1] != line[0]+2 { // in ASCII, ] and } are two after [ and {
		return false
	}
	err := doc.Parse(line)
	return err != nil && strings.Contains(err.Error(), "nesting is deeper")
}

// isLine reports whether the only line of a file belongs to a recording and is not a small document,
// such as a dump of definitions or a client configuration.
func isLine(doc *wire.Doc) bool {
	if doc.Kind(0) == wire.Array {
		return isMessage(doc, doc.First(0))
	}
	return isMessage(doc, 0) || doc.Kind(doc.Get(0, "type")) == wire.String || payload(doc) >= 0
}

func sniffLine(line []byte, complete, first bool, doc *wire.Doc) format {
	switch {
	case len(line) == 0:
		return formatUnknown
	case startsStream(line):
		return formatTranscript
	case isSegment(line) || bytes.HasPrefix(line, []byte("### curl")):
		return formatHTTP
	case line[0] == '{' || line[0] == '[':
		if !complete { // a line longer than the head: a recording, HAR, or a single body
			if first && (archiveHead.Match(line) || startsTranscript(line)) {
				return formatDocument
			}
			if list, _ := wire.Skim(line, archiveValues); first && list.Kind() == wire.Array && listsRecords(list) {
				return formatDocument
			}
			return formatLines
		}
		if doc.Parse(line) == nil {
			if payload(doc) < 0 && startsTranscript(line) {
				return formatTranscript
			}
			if first && doc.Kind(doc.Get(doc.Get(0, "log"), "entries")) == wire.Array {
				return formatDocument
			}
			return formatLines
		}
		if first {
			// A line that ends inside a string or a member is a truncated record; one that ends
			// with an opening bracket or a comma is the first line of a document.
			if last := line[len(line)-1]; last == '{' || last == '[' || last == ',' {
				return formatDocument
			}
		}
	}
	if _, at := splitPrefix(line); at > 0 && doc.Parse(trimMetadata(line[at:])) == nil {
		return formatPrefixed
	}
	if at := unprefixed(line, len(line)); at > 0 && line[0] != '"' && doc.Parse(trimMetadata(line[at:])) == nil && isMessage(doc, 0) {
		return formatPrefixed
	}
	return formatUnknown
}
