package llm

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// nested reads a member that is itself a body.
func (r *Reader) nested(b *body, key string) {
	v := b.members[key]
	if v.Kind() == wire.Invalid {
		return
	}
	pointer := "/" + wire.EscapePointer(key)
	if f := r.known.recognise(v); f != nil {
		format := r.format
		r.format = f.name
		f.read(r, r.sub(b, v, pointer))
		r.format = format
		return
	}
	r.skipAt(b.origin(v, pointer), "%s: %s in an unknown format", r.format, quote(key))
}

// bodyStarts are the beginnings by which a JSON body or an event stream in a string is recognised.
var bodyStarts = []string{"{", "[", "data:", "event:"}

// readExchange reads a logged request and its response.
func readExchange(r *Reader, b *body) {
	for _, keys := range [][]string{requestMembers, responseMembers} {
		for _, key := range keys {
			switch v := b.members[key]; {
			case v.Kind() >= wire.Array:
				r.nested(b, key)
			case v.Kind() == wire.String && begins(strings.TrimSpace(string(v.Text())), bodyStarts):
				r.skipAt(b.origin(v, "/"+key), "%s: %s is a string that contains a body", r.format, quote(key))
			}
		}
	}
}

func readExchanges(r *Reader, b *body) {
	i := 0
	for c := b.root.Children(); c.Next(); i++ {
		f := r.known.recognise(c.Value)
		if f == nil {
			r.skipAt(b.origin(c.Value, index(i)), "%s: an element in an unknown format", r.format)
			continue
		}
		r.history, r.turn, r.session = false, "", ""
		f.read(r, r.sub(b, c.Value, index(i)))
	}
}
