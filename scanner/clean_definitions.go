package scanner

import (
	"crypto/sha256"
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// cleanDefinitions contains the definitions in which the text rules found nothing, each with the number
// of decoded bytes that its text takes from the event's limit. Servers list the same definitions in
// session after session, so most are inspected only once. A definition is identified by everything that
// text rules can see: its bytes, its kind, the direction of its message, and the names in its list.
type cleanDefinitions map[[sha256.Size]byte]int

// maxClean is the maximum number of definitions in cleanDefinitions. When one more is added, all
// earlier ones are forgotten.
const maxClean = 4096

// definitionText inspects the text of a definition in a list. If the definition is in cleanDefinitions,
// only its values are extracted.
func (in *Inspector) definitionText(kind mcp.SubjectKind, name string, node int) {
	if in.brief || in.event.Projected || in.event.Kind == LockEvent { // in a lockfile, definitionKey lacks the names of the siblings
		in.inspectDefinition(kind, name, node)
		return
	}
	key := in.definitionKey(kind, node)
	if decoded, ok := in.clean[key]; ok && in.decoding.left >= decoded {
		in.decoding.left -= decoded
		in.valuesOnly = true
		in.region(kind, name, node, node)
		in.valuesOnly = false
		return
	}
	before, values := in.progress(), len(in.facts.Messages[in.message].Values)
	in.inspectDefinition(kind, name, node)
	now := in.progress()
	decoded := before.decodable - now.decodable
	before.decodable = now.decodable
	encoded := func(v Value) bool { return v.Via != "" }
	if now != before || before.incomplete() || slices.ContainsFunc(in.facts.Messages[in.message].Values[values:], encoded) {
		return
	}
	if len(in.clean) >= maxClean || in.clean == nil {
		in.clean = cleanDefinitions{}
	}
	in.clean[key] = decoded
}

func (in *Inspector) inspectDefinition(kind mcp.SubjectKind, name string, node int) {
	in.region(kind, name, node, node)
	in.scattered(kind, name, node, node)
}

// progress records everything about an event, except its values, that inspecting text can change.
type progress struct {
	findings, skips, dropped, unfinished int
	decodable                            int // bytes that may still be decoded
	cut, deep                            bool
	unread                               string
}

// incomplete reports whether any of the event's text has been left out so far. If so, progress cannot
// show whether more is left out later.
func (p progress) incomplete() bool {
	return p.skips > 0 || p.dropped > 0 || p.unfinished > 0 || p.decodable < 0 || p.cut || p.deep || p.unread != ""
}

func (in *Inspector) progress() progress {
	return progress{len(in.found.all), len(in.facts.Skips), in.found.dropped, len(in.scan.Unfinished()), in.decoding.left, in.cut, in.decoding.deep, in.decoding.unread}
}

// definitionKey returns the key of a definition in the current list.
func (in *Inspector) definitionKey(kind mcp.SubjectKind, node int) (key [sha256.Size]byte) {
	h := sha256.New()
	h.Write([]byte{byte(kind), byte(in.event.Direction)})
	h.Write(in.listed[:])
	h.Write(in.tree.Raw(node))
	h.Sum(key[:0])
	return key
}

// namesIn returns a digest of the names in a list.
func (in *Inspector) namesIn(list int) (names [sha256.Size]byte) {
	h := sha256.New()
	doc := in.tree
	for c := doc.First(list); c >= 0; c = doc.Next(c) {
		if n := doc.Get(c, "name"); n >= 0 {
			h.Write(doc.Raw(n))
		}
		h.Write([]byte{0})
	}
	h.Sum(names[:0])
	return names
}
