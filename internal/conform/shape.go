package conform

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// shape is the part of a schema by which most values are seen to conform without the
// validator, in a tenth of its time and without memory of their own. It is never asked
// whether a value does not.
type shape struct {
	unsure   bool // the schema says more than that
	kinds    [wire.Object + 1]bool
	whole    bool // of numbers: integers
	members  map[string]*shape
	required []string
	closed   bool
	elements *shape
	any      []*shape
	words    map[string]bool // of strings; nil for all
	least    *float64
	most     *float64
	shortest int
	longest  int // 0 for any length
}

// silent are keywords that say nothing about what conforms.
var silent = map[string]bool{"title": true, "description": true, "default": true, "examples": true, "$schema": true, "$comment": true,
	"deprecated": true, "readOnly": true, "writeOnly": true, "$defs": true, "definitions": true, "required": true, "additionalProperties": true}

// kindsOf maps the types of JSON Schema to kinds.
var kindsOf = map[string]wire.Kind{"object": wire.Object, "array": wire.Array, "string": wire.String, "number": wire.Number,
	"integer": wire.Number, "boolean": wire.Bool, "null": wire.Null}

// shapeOf returns the shape of a schema.
func shapeOf(schema any) *shape {
	m, ok := schema.(map[string]any)
	s := &shape{unsure: !ok}
	for k := range s.kinds {
		s.kinds[k] = m["type"] == nil
	}
	for key, v := range m {
		if !silent[key] && !s.keyword(key, v) {
			s.unsure = true
		}
	}
	switch closed := m["additionalProperties"].(type) {
	case nil:
	case bool:
		s.closed = !closed
	default:
		s.unsure = true
	}
	required, _ := m["required"].([]any)
	for _, r := range required {
		name, ok := r.(string)
		s.required = append(s.required, name)
		s.unsure = s.unsure || !ok
	}
	return s
}

// keyword takes in a keyword, and reports whether that says all of it.
func (s *shape) keyword(key string, v any) (ok bool) {
	switch key {
	case "type":
		name, ok := v.(string)
		kind, known := kindsOf[name]
		s.kinds[kind], s.whole = ok && known, name == "integer"
		return ok && known
	case "properties":
		members, ok := v.(map[string]any)
		s.members = make(map[string]*shape, len(members))
		for name, member := range members {
			s.members[name] = shapeOf(member)
		}
		return ok
	case "items":
		s.elements = shapeOf(v)
		return true
	case "anyOf":
		forms, ok := v.([]any)
		for _, form := range forms {
			s.any = append(s.any, shapeOf(form))
		}
		return ok
	case "enum":
		return s.enum(v)
	case "minimum":
		s.least, ok = number(v)
	case "maximum":
		s.most, ok = number(v)
	case "minLength":
		s.shortest, ok = length(v)
	case "maxLength":
		s.longest, ok = length(v)
		ok = ok && s.longest > 0
	}
	return ok
}

func (s *shape) enum(v any) bool {
	list, ok := v.([]any)
	s.words = make(map[string]bool, len(list))
	for _, e := range list {
		word, isText := e.(string)
		s.words[word] = true
		ok = ok && isText
	}
	return ok
}

// exactDigits is how long a number may be that is compared as a float: two such numbers
// are in order as their floats are.
const exactDigits = 15

func number(v any) (*float64, bool) {
	n, _ := v.(json.Number)
	f, err := strconv.ParseFloat(string(n), 64)
	return &f, err == nil && len(n) <= exactDigits
}

func length(v any) (int, bool) {
	n, _ := v.(json.Number)
	i, err := strconv.Atoi(string(n))
	return i, err == nil
}

// surely reports whether the value at node i conforms without any doubt.
func (s *shape) surely(doc *wire.Doc, i int, buf *[]byte) bool {
	kind := doc.Kind(i)
	if s.unsure || !s.kinds[kind] || s.words != nil && kind != wire.String {
		return false
	}
	if s.any != nil {
		fits := false
		for _, form := range s.any {
			fits = fits || form.surely(doc, i, buf)
		}
		if !fits {
			return false
		}
	}
	switch kind {
	case wire.Object:
		return s.object(doc, i, buf)
	case wire.Array:
		for c := doc.First(i); c >= 0 && s.elements != nil; c = doc.Next(c) {
			if !s.elements.surely(doc, c, buf) {
				return false
			}
		}
	case wire.String:
		return s.text(doc, i, buf)
	case wire.Number:
		return s.number(doc.Raw(i))
	}
	return true
}

func (s *shape) object(doc *wire.Doc, i int, buf *[]byte) bool {
	for _, name := range s.required {
		if doc.Get(i, name) < 0 {
			return false
		}
	}
	for c := doc.First(i); c >= 0; c = doc.Next(c) {
		*buf = (*buf)[:0]
		member, known := s.members[string(doc.Key(c, buf))]
		if known && !member.surely(doc, c, buf) || !known && s.closed {
			return false
		}
	}
	return true
}

func (s *shape) text(doc *wire.Doc, i int, buf *[]byte) bool {
	if s.words == nil && s.shortest == 0 && s.longest == 0 {
		return true
	}
	*buf = (*buf)[:0]
	text := doc.Text(i, buf)
	n := utf8.RuneCount(text)
	return (s.words == nil || s.words[string(text)]) && n >= s.shortest && (s.longest == 0 || n <= s.longest)
}

func (s *shape) number(raw []byte) bool {
	if !s.whole && s.least == nil && s.most == nil {
		return true
	}
	if len(raw) > exactDigits {
		return false
	}
	for _, c := range raw {
		if c == 'e' || c == 'E' || c == '.' && s.whole {
			return false
		}
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && (s.least == nil || f >= *s.least) && (s.most == nil || f <= *s.most)
}
