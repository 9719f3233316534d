package scanner

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/mcpscan/mcpscan/internal/text"
)

// decoding bounds the text decoded from one event. Otherwise, nested and ambiguous
// encodings would cause unbounded work.
type decoding struct {
	left  int                  // bytes that may still be decoded
	seen  map[decodedText]bool // texts already decoded in the current field
	whole *int                 // result of CountAround for the current field
	// The prose of the current field if it is JSON: values is without escapes, rendered also without
	// markup; see inReading.
	values, rendered []byte

	deep   bool   // there are more levels of encoding than are followed
	unread string // why something could not be read

	searches int // for the surroundings of a finding
}

// decodedText identifies decoded text by its content and by its range in the field. It prevents
// decoding the same text again if its encodings can be removed in different orders.
type decodedText struct {
	from, to int
	digest   [sha256.Size]byte
}

// The bounds for one event: the size of its decoded text is at most decodedBytes plus decodedTimes
// times the event's size.
const (
	decodedTimes = 4
	decodedBytes = 1 << 20
)

func (d *decoding) reset(frame int) {
	d.left, d.deep, d.unread, d.searches = decodedBytes+decodedTimes*frame, false, "", 0
}

// field starts the decoding of another field.
func (d *decoding) field() {
	clear(d.seen)
	d.whole, d.values, d.rendered = nil, nil, nil
}

// tell invokes skip with each reason why the event's text was not decoded in full.
func (d *decoding) tell(skip func(string)) {
	if d.deep {
		skip(fmt.Sprintf("text with more than %d layers of encoding: deeper layers were not inspected", text.MaxLayers))
	}
	if d.unread != "" {
		skip(d.unread)
	}
	if d.left < 0 {
		skip(fmt.Sprintf("the decoded text of a message exceeds %d times the length of the message plus %d bytes: the rest was not inspected", decodedTimes, decodedBytes))
	}
}

// decode inspects the decoded forms of a text. seen holds the words found by pattern matching that
// indicate a disguise.
func (in *Inspector) decode(p *TextPass, seen text.Disguised) {
	in.decoding.field()
	if in.unread && bytes.IndexByte(p.Source, '\\') >= 0 { // a lenient reader would decode even a single escape
		plain, _ := text.Unescape(p.Source)
		in.layer(p, text.Hidden{Start: 0, End: len(p.Source), Via: text.Escapes, Text: plain}, 1)
	}
	in.layers(p, p.Source, seen, 1)
}

// layers inspects text that is encoded or disguised in s, the text of the pass.
func (in *Inspector) layers(p *TextPass, s []byte, seen text.Disguised, n int) {
	yield := func(h text.Hidden) {
		if n > 1 || !in.unread || h.Via != text.Escapes {
			in.layer(p, h, n)
		}
	}
	text.Decode(s, yield)
	text.Undisguise(s, &seen, p.Via, yield)
}

// layer inspects text decoded from the n-th nested encoding.
func (in *Inspector) layer(p *TextPass, h text.Hidden, n int) {
	if h.Unread != "" {
		in.decoding.unread = h.Unread
		return
	}
	inner := *p
	inner.Source, inner.Via = h.Text, h.Via
	if n == 1 { // positions inside decoded text cannot be located
		inner.original, inner.from, inner.to = p.Source, h.Start, h.End
	}
	d := &in.decoding
	this := decodedText{inner.from, inner.to, sha256.Sum256(h.Text)}
	if d.seen[this] || d.left < 0 || in.late() {
		return
	}
	if n > text.MaxLayers {
		d.deep = true
		return
	}
	set(&d.seen, this, true)
	if d.left -= len(h.Text); d.left < 0 {
		return
	}
	in.values(&inner)
	in.layers(&inner, h.Text, in.match(&inner), n+1)
}
