package text

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// leastSpaces is the minimum number of spaces in a value that is prose, rather than an identifier or a time.
const leastSpaces = 3

// Span is the part [Start, End) of a text.
type Span struct{ Start, End int }

// RenderJSON yields the prose in the strings of a JSON text, without escapes, in the same form as Render. It
// leaves out names and short values, which are not sentences.
func (r *Renderer) RenderJSON(s []byte, yield func(rendered []byte, parts []Part)) {
	r.begin(s, yield)
	for v := range jsonProse(s) {
		if n := len(r.out); n > 0 && r.out[n-1] != '\n' { // a value that ends with a line feed is a line of a longer text
			r.put([]byte("\n\n"), v.Start-1, v.Start)
		}
		r.value(v.Start, v.End)
		if len(r.out) > renderedBytes || len(r.parts) > renderedParts {
			r.flush()
		}
	}
	r.flush()
}

// EscapedProse returns the values that RenderJSON renders and that contain escapes, without their
// quotation marks. It returns nil if the text is not a valid JSON object or array.
func EscapedProse(s []byte) (values []Span) {
	if !IsJSON(s) || bytes.IndexByte(s, '\\') < 0 || !jsontext.Value(s).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil
	}
	for v := range jsonProse(s) {
		if bytes.IndexByte(s[v.Start:v.End], '\\') >= 0 {
			values = append(values, v)
		}
	}
	return values
}

// jsonProse returns the values in a JSON text that are prose, without their quotation marks.
func jsonProse(s []byte) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		end := 0
		for t := range jsonStrings(s) {
			start := end + len(t.before)
			end = start + len(t.literal)
			if t.isName || len(t.literal) < 2 || t.literal[len(t.literal)-1] != '"' || bytes.Count(t.literal, []byte(" ")) < leastSpaces && !bytes.HasSuffix(t.literal, []byte(`\n"`)) {
				continue
			}
			if !yield(Span{start + 1, end - 1}) {
				return
			}
		}
	}
}

// value adds the JSON string at [start, end) of the source. Each escape is a part of its own, so that
// the locations of all other parts are exact.
func (r *Renderer) value(start, end int) {
	for start < end {
		i := bytes.IndexByte(r.s[start:end], '\\')
		if i < 0 {
			i = end - start
		}
		r.add(start, start+i)
		if start += i; start == end {
			return
		}
		n := min(escapeLen(r.s[start:end]), end-start)
		quoted := append(append([]byte{'"'}, r.s[start:start+n]...), '"')
		if decoded, _ := jsontext.AppendUnquote(nil, quoted); len(decoded) > 0 {
			r.put(decoded, start, start+n)
		}
		start += n
	}
}

// escapeLen returns the length of the escape at the beginning of s, which encodes one byte, or one or
// two UTF-16 code units.
func escapeLen(s []byte) int {
	switch {
	case len(s) < 2 || s[1] != 'u':
		return 2
	case len(s) >= 12 && lower(s[2]) == 'd' && bytes.IndexByte([]byte("89abAB"), s[3]) >= 0 && s[6] == '\\' && s[7] == 'u':
		return 12
	}
	return 6
}

// IsJSON reports whether a text begins and ends like a JSON object or array.
func IsJSON(s []byte) bool {
	s = bytes.TrimSpace(s)
	return len(s) > 2 && (s[0] == '{' && s[len(s)-1] == '}' || s[0] == '[' && s[len(s)-1] == ']')
}
