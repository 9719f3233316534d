package llm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Reader reads the bodies or lines of one file. It keeps the state needed to read later ones:
// the open streams, and the request that each response answers.
type Reader struct {
	Max  int64       // maximum size of a message in bytes; a longer one is not read
	Emit func(*Item) // called with each item

	outer     Record // the record around the current body
	format    string
	firstText *scanner.Origin // the body's first text from a user or model
	sawText   bool            // the current stream has had such a text
	items     int             // number of items of the body
	session   string
	time      time.Time
	turn      string
	style     Style
	history   bool
	clock     bool
	suite     bool
	answer    int      // index of the next answer: the number of messages of the last request plus the answers to it
	before    string   // the response that the request continues
	doc       wire.Doc // of the current part
	known     recogniser
	streams   streams
	runs      runs
	repeats   bool // the current items were already in the same stream
	asked     bool // an OpenAI Responses request was read, so its tools are known

	changes struct { // the current change log of VS Code
		session string
		time    time.Time // of its last request
	}

	answering bool // the previous item was from the model
	answers   int  // number of answers from the model, in a log of items
}

// body is a text in a known format.
type body struct {
	text    *Text
	pointer string // of root in the text
	root    wire.Value
	members map[string]wire.Value
}

// Read reads a text, and returns false if its format is unknown.
func (r *Reader) Read(text *Text) bool {
	root, err := wire.Skim(text.Data, maxValues)
	return r.ReadValue(text, root, "", err != nil)
}

// ReadValue reads a value in a text. broken means that the text ends inside it.
func (r *Reader) ReadValue(text *Text, root wire.Value, pointer string, broken bool) bool {
	f := r.known.recognise(root)
	if f == nil {
		return false
	}
	b := &body{text: text, root: root, pointer: pointer, members: map[string]wire.Value{}}
	r.format, r.firstText, r.items = f.name, nil, 0
	r.session, r.time, r.turn, r.style, r.history, r.clock, r.suite = r.outer.Session, r.outer.Time, "", Plain, false, true, false
	r.fill(b)
	f.read(r, b)
	if strings.Contains(f.name, "stream") { // each event is a piece of the stream
		if r.firstText != nil && !r.sawText {
			r.sawText = true
			r.ignoreAt(*r.firstText, saidReason)
		}
		return true
	}
	if r.firstText != nil {
		r.ignoreAt(*r.firstText, saidReason)
	}
	if r.items == 0 && !broken {
		r.ignoreAt(b.origin(root, ""), "a part of "+f.name+" without tools, calls or results")
	}
	return true
}

// saidReason is the reason why text from users and models is not inspected.
const saidReason = "text from users and models: only tools, calls and results are inspected"

// Within sets the record that contains the bodies that follow.
func (r *Reader) Within(o Record) { r.outer = o }

// emit adds the properties of the body to an item, and passes it to Emit.
func (r *Reader) emit(i Item) {
	if i.Kind != Known && i.Kind != Begin {
		r.items++
	}
	i.Format, i.Style, i.Suite = r.format, r.style, r.suite
	i.Session, i.Turn = cmp.Or(i.Session, r.session), cmp.Or(i.Turn, r.turn)
	if i.Time.IsZero() {
		i.Time = r.time
	}
	if r.outer.Turn != "" && !r.history {
		i.Turn = r.outer.Turn
	}
	i.History = i.History || r.history
	i.Record = r.outer.Session != ""
	i.Fresh = r.outer.Answer && !i.History && !r.repeats && !i.Echo
	i.Clock = r.clock && i.Time.IsZero()
	r.Emit(&i)
}

// result emits a result, unless it has no content.
func (r *Reader) result(i Item) {
	if i.Content.Is() {
		i.Kind = Result
		r.emit(i)
	}
}

// skip emits an item for content that is not read.
func (r *Reader) skip(v View, format string, args ...any) {
	r.emit(Item{Kind: Skipped, At: v, Reason: fmt.Sprintf(format, args...)})
}

func (r *Reader) skipAt(at scanner.Origin, format string, args ...any) {
	r.emit(Item{Kind: Skipped, origin: &at, Reason: fmt.Sprintf(format, args...)})
}

func (r *Reader) ignoreAt(at scanner.Origin, reason string) {
	r.emit(Item{Kind: Ignored, origin: &at, Reason: reason})
}

// textAt records the location of text that is not inspected. Only the first location in a body is
// kept.
func (r *Reader) textAt(at scanner.Origin) {
	if r.firstText == nil {
		r.firstText = &at
	}
}

// text records text that is not inspected, because it is not tool output.
func (r *Reader) text(v View) {
	if r.firstText == nil {
		r.textAt(v.Origin())
	}
}

// unknown reports an unknown type of block, item or message.
func (r *Reader) unknown(v View, what, kind string) {
	r.skip(v, "%s: %s of an unknown type, %s", r.format, what, quote(kind))
}

// quote shortens and quotes a word from an untrusted text for use in a reason, so that reports have
// few distinct reasons.
func quote(word string) string {
	const most = 40
	word = strings.Map(func(c rune) rune {
		if c == '"' || c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, word)
	if len(word) > most {
		word = word[:most] + "..."
	}
	return `"` + word + `"`
}

// origin returns the location of a value in the body, given its JSON Pointer relative to the body's
// root.
func (b *body) origin(v wire.Value, pointer string) scanner.Origin {
	at := b.text.origin
	if b.text.places != nil {
		at = b.text.places.Origin(v.Start())
	}
	at.Pointer = b.at(pointer)
	return at
}

// at returns the JSON Pointer, in the document or line, of the value at a pointer in the body.
func (b *body) at(pointer string) string {
	if b.text.places == nil { // a value inside a string has no pointer of its own
		return b.text.Pointer
	}
	return b.text.Pointer + b.pointer + pointer
}

// view parses a value of the body. The view is valid until the next call.
func (r *Reader) view(b *body, v wire.Value, pointer string) (View, bool) {
	if v.Kind() == wire.Invalid {
		return View{}, false
	}
	if r.Max > 0 && int64(len(v.Raw())) > r.Max {
		r.skipAt(b.origin(v, pointer), "a part of %s exceeds the limit of %d bytes (--max-message)", r.format, r.Max)
		return View{}, false
	}
	if err := r.doc.Parse(v.Raw()); err != nil {
		r.skipAt(b.origin(v, pointer), "a part of %s cannot be read: %v", r.format, syntax(err))
		return View{}, false
	}
	if slices.ContainsFunc(r.doc.Anomalies, func(a wire.Anomaly) bool { return a.Kind == wire.DuplicateKey }) {
		r.skipAt(b.origin(v, pointer), twiceReason)
	}
	return View{text: b.text, doc: &r.doc, base: v.Start(), pointer: b.pointer + pointer}, true
}

// syntax returns a syntax error without its position, so that equal errors give equal reasons.
func syntax(err error) string {
	if s, ok := err.(*wire.SyntaxError); ok {
		return s.Msg
	}
	return err.Error()
}

// str returns the text of a string member of the body.
func (b *body) str(key string) string {
	if v := b.members[key]; v.Kind() == wire.String {
		return string(v.Text())
	}
	return ""
}

func (r *Reader) member(b *body, key string) (View, bool) {
	return r.view(b, b.members[key], "/"+wire.EscapePointer(key))
}

// each parses the elements of an array member of the body.
func (r *Reader) each(b *body, key string, visit func(i int, v View)) {
	list, pointer := b.members[key], "/"+wire.EscapePointer(key)
	switch kind := list.Kind(); {
	case kind == wire.Array:
		r.list(b, list, pointer, visit)
	case kind > wire.Null && strings.Trim(string(list.Raw()), `"[]{} `) != "": // loggers write "{}" for nothing
		r.skipAt(b.origin(list, pointer), "%s: %s is not a list", r.format, quote(key))
	}
}

func (r *Reader) list(b *body, list wire.Value, pointer string, visit func(i int, v View)) {
	i := 0
	for c := list.Children(); c.Next(); i++ {
		if v, ok := r.view(b, c.Value, pointer+index(i)); ok {
			visit(i, v)
		}
	}
}

// fill indexes the members of a body.
func (r *Reader) fill(b *body) {
	for c := b.root.Children(); b.root.Kind() == wire.Object && c.Next(); {
		key := c.Value.Key()
		if _, twice := b.members[key]; twice {
			r.skipAt(b.origin(c.Value, ""), twiceReason)
		}
		b.members[key] = c.Value
	}
}

// twiceReason is the reason reported for a duplicate key.
const twiceReason = "an object in a transcript has a duplicate member: only the last was inspected"

// sub returns a body for a value inside another body.
func (r *Reader) sub(b *body, v wire.Value, pointer string) *body {
	s := &body{text: b.text, root: v, pointer: b.pointer + pointer, members: map[string]wire.Value{}}
	r.fill(s)
	return s
}

// quoted parses text that does not appear verbatim in the file: it was inside a string, or in parts.
func (r *Reader) quoted(at scanner.Origin, data []byte) (View, error) {
	var doc wire.Doc
	err := doc.Parse(data)
	return viewOf(Quoted(at, data), &doc), err
}

// conversation begins a request and resets the message count.
func (r *Reader) conversation(b *body, key string, said wire.Value) {
	r.history, r.answer, r.before = true, 0, ""
	r.emit(Item{Kind: Begin, Key: key, First: firstCall(said), origin: new(b.origin(b.root, ""))})
}

// messages reads the messages of a request.
func (r *Reader) messages(b *body, key string, read func(View)) {
	r.each(b, key, func(i int, v View) {
		r.message(i)
		read(v)
	})
}

// message remembers which message of a request is being read.
func (r *Reader) message(i int) {
	r.turn, r.answer = r.place(i), i+1
}

// place returns the name of the turn that message i belongs to. It includes the ID of the previous
// response, if the request continues one.
func (r *Reader) place(i int) string { return fmt.Sprint(r.before, "message-", i) }

// response begins the answer to the last request.
func (r *Reader) response() {
	r.history = false
	r.turn = r.place(r.answer)
	r.answer++
}

// streamed records that part of the answer to the last request arrived in a stream, and starts that
// stream if it is new.
func (r *Reader) streamed(stream, until string, at scanner.Origin) {
	r.history = false
	if _, known := r.streams.running[stream]; !known && r.streams.start(stream, until, at, r.place(r.answer)) {
		r.answer++
	}
	r.turn = r.streams.running[stream].turn
}

// stamp parses a timestamp of a transcript.
func stamp(s string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, s)
	return t.UTC()
}
