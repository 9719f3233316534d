package policy

import (
	"errors"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// If an argument is a JSON text, unpack adds the values in it. Servers made with the Python SDK parse
// the text of an argument that is declared as a list or an object.
func (q *request) unpack(known knownTopics) {
	var doc wire.Doc
	for i := 0; i < len(q.values); i++ { // added values can be JSON texts, too
		v := q.values[i]
		s := strings.TrimSpace(v.Text)
		if s == "" || s[0] != '[' && s[0] != '{' {
			continue
		}
		var limit *wire.SyntaxError
		if err := doc.Parse(wire.Lenient([]byte(s))); err != nil {
			q.lost = q.lost || errors.As(err, &limit) && limit.Limit
			continue
		}
		lines := v.lines || strings.ContainsAny(s, "\n\r")
		for c := range doc.Nodes {
			a := argumentValue{Argument: &scanner.Argument{Name: v.Name, Pointer: v.Pointer, Offset: v.Offset}, keys: v.keys, about: v.about, outer: len(v.keys), inner: true, lines: lines}
			a.escaped = (doc.KeyFlags(c)|doc.TextFlags(c))&wire.Escaped != 0
			if key := doc.KeyString(c); key != "" {
				a.keys, a.about = append(slices.Clip(v.keys), key), v.about.and(known.of(key))
			}
			switch doc.Kind(c) {
			case wire.String:
				a.Text = doc.TextString(c)
			case wire.Number:
				a.Text = string(doc.Raw(c))
			}
			if a.Text != "" || a.escaped {
				q.values = append(q.values, a)
			}
		}
	}
}
