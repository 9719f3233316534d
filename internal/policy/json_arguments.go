package policy

import (
	"errors"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// If an argument is a JSON text, unpack adds the strings and keys in it that contain escapes. Servers
// made with the Python SDK parse the text of an argument that is declared as a list or an object, so the
// escapes would hide a path. Everything without escapes is visible in the argument itself.
func (q *request) unpack() {
	var doc wire.Doc
	for i := 0; i < len(q.values); i++ { // added values can be JSON texts, too
		v := q.values[i]
		s := strings.TrimSpace(v.Text)
		if s == "" || s[0] != '[' && s[0] != '{' || !strings.Contains(s, `\`) {
			continue
		}
		var limit *wire.SyntaxError
		if err := doc.Parse(wire.Lenient([]byte(s))); err != nil {
			q.lost = q.lost || errors.As(err, &limit) && limit.Limit
			continue
		}
		for c := range doc.Nodes {
			text, keys := "", v.keys
			if doc.KeyFlags(c)&wire.Escaped != 0 {
				keys = append(slices.Clip(keys), doc.KeyString(c))
			}
			if doc.Kind(c) == wire.String && doc.TextFlags(c)&wire.Escaped != 0 {
				text = doc.TextString(c)
			}
			if text != "" || len(keys) > len(v.keys) {
				q.values = append(q.values, argumentValue{Argument: &scanner.Argument{Name: v.Name, Pointer: v.Pointer, Text: text, Offset: v.Offset}, keys: keys, inner: true})
			}
		}
	}
}
