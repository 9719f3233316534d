package text

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// leastSpaces is the minimum number of spaces in a value that is prose, rather than an identifier or a time.
const leastSpaces = 3

// RenderJSON yields the prose in the strings of a JSON text, without escapes, in the same form as Render. It
// leaves out names and short values, which are not sentences.
func (r *Renderer) RenderJSON(s []byte, yield func(rendered []byte, parts []Part)) {
	r.begin(s, yield)
	end := 0
	for t := range jsonStrings(s) {
		start := end + len(t.before)
		end = start + len(t.literal)
		if t.isName || len(t.literal) < 2 || t.literal[len(t.literal)-1] != '"' || bytes.Count(t.literal, []byte(" ")) < leastSpaces && !bytes.HasSuffix(t.literal, []byte(`\n"`)) {
			continue
		}
		value := t.literal[1 : len(t.literal)-1]
		if bytes.IndexByte(value, '\\') >= 0 {
			decoded, err := jsontext.AppendUnquote(nil, t.literal)
			if err != nil && len(decoded) == 0 {
				continue
			}
			value = decoded
		}
		if n := len(r.out); n > 0 && r.out[n-1] != '\n' { // a value that ends with a line feed is a line of a longer text
			r.put([]byte("\n\n"), start, start+1)
		}
		if r.put(value, start+1, end-1); len(r.out) > renderedBytes {
			r.flush()
		}
	}
	r.flush()
}

// IsJSON reports whether a text begins and ends like a JSON object or array.
func IsJSON(s []byte) bool {
	s = bytes.TrimSpace(s)
	return len(s) > 2 && (s[0] == '{' && s[len(s)-1] == '}' || s[0] == '[' && s[len(s)-1] == ']')
}
