package llm

import (
	"slices"
	"strconv"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Text is a JSON text and its location.
type Text struct {
	Data    []byte
	Pointer string // of its root in the surrounding document or line
	origin  scanner.Origin
	places  *scanner.Places // nil if the file contains the text in a different form
}

// NewText returns a text that starts at a location in a file.
func NewText(at scanner.Origin, data []byte) *Text {
	return &Text{Data: data, origin: at, places: scanner.NewPlacesAt(at, data)}
}

// Quoted returns a text that the file contains in a different form: inside a string, or in pieces.
// All of it has the same location.
func Quoted(at scanner.Origin, data []byte) *Text {
	pointer := at.Pointer
	at.Exact, at.Pointer = false, ""
	return &Text{Data: data, Pointer: pointer, origin: at}
}

// View is a value in a text. The zero View represents an absent value.
type View struct {
	text    *Text
	doc     *wire.Doc
	n       int
	base    int    // offset of the document in the text
	pointer string // of the document in the text
}

// viewOf returns a view of the root of doc, which spans all of text.
func viewOf(text *Text, doc *wire.Doc) View { return View{text: text, doc: doc} }

// absent is the document of the zero View.
var absent = wire.Doc{Nodes: []wire.Node{{Parent: -1}}}

func (v View) in() *wire.Doc {
	if v.doc == nil {
		return &absent
	}
	return v.doc
}

// Kind returns the kind of the value, or Invalid if it is absent.
func (v View) Kind() wire.Kind { return v.in().Kind(v.n) }

// Is reports whether the value is present and not null.
func (v View) Is() bool { return v.Kind() > wire.Null }

// At returns a member of an object.
func (v View) At(key string) View { return v.node(v.in().Get(v.n, key)) }

// either returns the first of the members that is present and not null.
func (v View) either(keys ...string) (m View) {
	for _, key := range keys {
		if m = v.At(key); m.Is() {
			break
		}
	}
	return m
}

func (v View) node(n int) View {
	if n < 0 {
		return View{}
	}
	v.n = n
	return v
}

// First returns the first child of a container, skipping nulls.
func (v View) First() View { return v.node(v.in().First(v.n)).orNext() }

// Next returns the next sibling of the value, skipping nulls.
func (v View) Next() View { return v.node(v.in().Next(v.n)).orNext() }

// orNext returns the value or, if it is null, the next sibling that is not null.
func (v View) orNext() View {
	for v.Kind() == wire.Null {
		v = v.node(v.in().Next(v.n))
	}
	return v
}

// each visits the children of a container that are not null.
func (v View) each(visit func(View)) {
	for c := v.First(); c.Is(); c = c.Next() {
		visit(c)
	}
}

// Key returns the name of a member.
func (v View) Key() string { return v.in().KeyString(v.n) }

func (v View) has(key string, kind wire.Kind) bool { return v.At(key).Kind() == kind }

// Str returns the text of a string member, or "" if there is none.
func (v View) Str(key string) string {
	s, _ := v.in().Str(v.n, key)
	return s
}

func (v View) says(key string, words ...string) bool { return slices.Contains(words, v.Str(key)) }

// is reports whether a member is true.
func (v View) is(key string) bool { return string(v.At(key).Raw()) == "true" }

// Raw returns the raw bytes of the value.
func (v View) Raw() []byte { return v.in().Raw(v.n) }

// Text returns the text of a string.
func (v View) Text() []byte {
	if v.Kind() != wire.String {
		return nil
	}
	var buf []byte
	return v.doc.Text(v.n, &buf)
}

// Pointer returns the JSON Pointer of the value in the document or line.
func (v View) Pointer() string {
	if v.doc == nil {
		return ""
	}
	if v.text.places == nil { // a value inside a string has no pointer of its own
		return v.text.Pointer
	}
	return string(v.doc.AppendPointer([]byte(v.text.Pointer+v.pointer), 0, v.n))
}

// Path returns the JSON Pointer of the value in its text, regardless of where the text is.
func (v View) Path() string {
	return string(v.in().AppendPointer([]byte(v.pointer), 0, v.n))
}

// Origin returns the location of the value. It is exact if the file contains Raw verbatim at that
// location.
func (v View) Origin() scanner.Origin {
	if v.doc == nil {
		return scanner.Origin{}
	}
	at := v.text.origin
	if v.text.places != nil {
		at = v.text.places.Origin(v.base + int(v.doc.Nodes[v.n].Start))
	}
	at.Pointer = v.Pointer()
	return at
}

// index returns an array index as a JSON Pointer.
func index(i int) string { return "/" + strconv.Itoa(i) }

// AppendCanonical appends the value in canonical form.
func (v View) AppendCanonical(dst []byte) []byte {
	if v.doc == nil {
		return dst
	}
	return v.doc.AppendCanonical(dst, v.n)
}

// Parsed parses the text of a string as JSON.
func (v View) Parsed() (View, error) {
	var doc wire.Doc
	text := v.Text()
	err := doc.Parse(text)
	return viewOf(Quoted(v.Origin(), text), &doc), err
}
