package scanner

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// AppendJSON appends s as one line of JSON.
func (s *Shared) AppendJSON(b []byte) []byte {
	b = appendText(append(b, '{'), "session", s.Session)
	b = appendText(append(b, ','), "server", s.Server)
	b = appendTime(append(b, ','), s.Time)
	if len(s.Tools) > 0 {
		b = append(b, `,"tools":[`...)
		for i, k := range s.Tools {
			if i > 0 {
				b = append(b, ',')
			}
			b = k.appendJSON(b)
		}
		b = append(b, ']')
	}
	if c := s.Call; c != nil {
		b = appendText(append(b, `,"call":{`...), "tool", c.Tool)
		b = appendText(append(b, ','), "id", c.ID)
		b = appendTime(append(b, ','), c.Time)
		b = fmt.Appendf(b, `,"category":%d,"counts":%t,`, c.Category, s.Counts)
		if c.Awaited {
			b = append(b, `"awaited":true,`...)
		}
		b = append(c.Location.appendJSON(b), '}')
	}
	if s.Answered != "" {
		b = appendText(append(b, ','), "answered", s.Answered)
	}
	if u := s.Suspect; u != nil {
		b = appendText(append(b, `,"suspect":{`...), "id", u.ID)
		b = appendTime(append(b, ','), u.Time)
		b = appendText(append(b, ','), "orders", u.Orders)
		b = fmt.Appendf(b, `,"secret":%t,`, u.Secret)
		b = append(u.At.appendJSON(b), '}')
	}
	if len(s.Values) > 0 {
		b = s.appendValues(b)
	}
	return append(b, '}')
}

// appendValues appends the values and the result that contained them. Each value is an array: digest,
// kind, said, base, line, column and encoding (Via); see [Value].
func (s *Shared) appendValues(b []byte) []byte {
	b = appendText(append(b, `,"from":{`...), "tool", s.From.Tool)
	b = appendText(append(b, ','), "orders", s.From.Orders)
	b = s.From.Location.appendJSON(append(b, ','))
	b = append(b, `},"values":[`...)
	for i := range s.Values {
		v := &s.Values[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `["%016x",%d,%t,%t,%d,%d,`, v.digest, v.Kind, v.said, v.base, v.at.line, v.at.column)
		b = append(wire.AppendString(b, []byte(v.Via)), ']')
	}
	return append(b, ']')
}

func (k *Known) appendJSON(b []byte) []byte {
	d := k.Definition
	b = appendText(append(b, '{'), "name", d.Name)
	b = appendText(append(b, ','), "description", d.Description)
	b = appendText(append(b, ','), "digest", d.Digest.String())
	b = append(b, `,"parts":[`...)
	for i := range d.Parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), d.Parts[i].String()...), '"')
	}
	b = fmt.Appendf(b, `],"can":%d,"category":%d,"foreign":%t,`, d.Can, d.Category, d.Foreign)
	b = appendTime(b, k.Time)
	at := k.Location()
	return append(at.appendJSON(append(b, ',')), '}')
}

func (l *Location) appendJSON(b []byte) []byte {
	b = appendText(append(b, `"at":{`...), "file", l.File)
	b = fmt.Appendf(b, `,"line":%d,"column":%d`, l.Line, l.Column)
	if l.Pointer != "" {
		b = appendText(append(b, ','), "pointer", l.Pointer)
	}
	return append(b, '}')
}

func appendText(b []byte, key, value string) []byte {
	return wire.AppendString(append(b, `"`+key+`":`...), []byte(value))
}

func appendTime(b []byte, t time.Time) []byte {
	return append(t.UTC().AppendFormat(append(b, `"time":"`...), time.RFC3339Nano), '"')
}

// errShared is the error for JSON that AppendJSON did not write.
var errShared = errors.New("not the session data of a message, as written by mcpscan proxy")

// ParseShared parses the output of AppendJSON at node n of doc. It rejects text with other members or
// types, because ignoring them would lose a part of what the message adds to the session. The result
// does not refer to doc.
func ParseShared(doc *wire.Doc, n int) (*Shared, error) {
	r := &sharedReader{doc: doc, ok: doc.Kind(n) == wire.Object && len(doc.Anomalies) == 0}
	r.allowOnly(n, "session", "server", "time", "tools", "call", "answered", "suspect", "from", "values")
	s := &Shared{Session: r.text(n, "session"), Server: r.text(n, "server"), Time: r.time(n)}
	r.each(doc.Get(n, "tools"), func(c int) { s.Tools = append(s.Tools, r.known(s, c)) })
	if c := doc.Get(n, "call"); c >= 0 {
		r.allowOnly(c, "tool", "id", "time", "category", "counts", "awaited", "at")
		s.Call, s.Counts = &Call{Server: s.Server, Tool: r.text(c, "tool"), ID: r.text(c, "id"), Time: r.time(c),
			Category: capability.Category(r.number(doc.Get(c, "category"), int64(capability.Categories)-1)), Location: r.location(c)}, r.truth(doc.Get(c, "counts"))
		if awaited := doc.Get(c, "awaited"); awaited >= 0 { // absent in recordings of older versions
			s.Call.Awaited = r.truth(awaited)
		}
	}
	if doc.Get(n, "answered") >= 0 {
		s.Answered = r.text(n, "answered")
	}
	if c := doc.Get(n, "suspect"); c >= 0 {
		r.allowOnly(c, "id", "time", "orders", "secret", "at")
		s.Suspect = &sharedSuspect{r.text(c, "id"), r.time(c), Suspicion{r.text(c, "orders"), r.truth(doc.Get(c, "secret")), r.location(c)}}
	}
	if values, from := doc.Get(n, "values"), doc.Get(n, "from"); values >= 0 || from >= 0 {
		r.allowOnly(from, "tool", "orders", "at")
		s.From = Outflow{Server: s.Server, Tool: r.text(from, "tool"), Location: r.location(from), Orders: r.text(from, "orders")}
		r.each(values, func(c int) { s.Values = append(s.Values, r.value(c)) })
		r.ok = r.ok && values >= 0
	}
	if !r.ok {
		return nil, errShared
	}
	return s, nil
}

// sharedReader reads members of a document. A member that is missing or has the wrong type sets
// ok to false.
type sharedReader struct {
	doc *wire.Doc
	ok  bool
}

// allowOnly marks the input as invalid if node n has a member that is not in keys.
func (r *sharedReader) allowOnly(n int, keys ...string) {
	for c := r.doc.First(n); c >= 0 && r.ok; c = r.doc.Next(c) {
		r.ok = slices.ContainsFunc(keys, func(key string) bool { return r.doc.KeyIs(c, key) })
	}
}

func (r *sharedReader) each(list int, read func(item int)) {
	if list < 0 {
		return
	}
	r.ok = r.ok && r.doc.Kind(list) == wire.Array
	for c := r.doc.First(list); c >= 0 && r.ok; c = r.doc.Next(c) {
		read(c)
	}
}

func (r *sharedReader) text(n int, key string) string {
	if r.doc.Kind(n) != wire.Object {
		r.ok = false
		return ""
	}
	s, ok := r.doc.Str(n, key)
	r.ok = r.ok && ok
	return s
}

func (r *sharedReader) time(n int) time.Time {
	t, err := time.Parse(time.RFC3339Nano, r.text(n, "time"))
	r.ok = r.ok && err == nil && !t.IsZero()
	return t.UTC()
}

func (r *sharedReader) number(n int, most int64) int64 {
	if r.doc.Kind(n) != wire.Number {
		r.ok = false
		return 0
	}
	i, err := strconv.ParseInt(string(r.doc.Raw(n)), 10, 64)
	r.ok = r.ok && err == nil && i >= 0 && i <= most
	return i
}

func (r *sharedReader) truth(n int) bool {
	r.ok = r.ok && r.doc.Kind(n) == wire.Bool
	return r.ok && string(r.doc.Raw(n)) == "true"
}

func (r *sharedReader) digest(s string) (d mcp.Digest) {
	if s != "" {
		r.ok = r.ok && d.Parse(s) == nil
	}
	return d
}

func (r *sharedReader) location(n int) (l Location) {
	at := r.doc.Get(n, "at")
	r.allowOnly(at, "file", "line", "column", "pointer")
	l = Location{File: r.text(at, "file"), Line: int(r.number(r.doc.Get(at, "line"), 1<<31-1)), Column: int(r.number(r.doc.Get(at, "column"), 1<<31-1))}
	if r.doc.Get(at, "pointer") >= 0 {
		l.Pointer = r.text(at, "pointer")
	}
	return l
}

func (r *sharedReader) known(s *Shared, n int) *Known {
	r.allowOnly(n, "name", "description", "digest", "parts", "can", "category", "foreign", "time", "at")
	d := &mcp.Definition{Kind: mcp.ToolSubject, Name: r.text(n, "name"), Description: r.text(n, "description"), Digest: r.digest(r.text(n, "digest")),
		Can: capability.Set(r.number(r.doc.Get(n, "can"), 1<<capability.Count-1)), Category: capability.Category(r.number(r.doc.Get(n, "category"), int64(capability.Categories)-1)),
		Foreign: r.truth(r.doc.Get(n, "foreign"))}
	d.Description = d.Description[:min(len(d.Description), descriptionBytes)]
	i := 0
	r.each(r.doc.Get(n, "parts"), func(c int) {
		if r.ok = r.ok && i < len(d.Parts) && r.doc.Kind(c) == wire.String; r.ok {
			d.Parts[i] = r.digest(r.doc.TextString(c))
			i++
		}
	})
	r.ok = r.ok && i == len(d.Parts)
	at := r.location(n)
	return &Known{Definition: d, at: at.place(), provenance: &provenance{Server: s.Server, Session: s.Session, file: at.File, pointer: at.Pointer, Time: r.time(n)}}
}

func (r *sharedReader) value(n int) (v Value) {
	doc := r.doc
	i := 0
	r.each(n, func(c int) {
		switch i++; i {
		case 1:
			if r.ok = doc.Kind(c) == wire.String; r.ok {
				digest, err := strconv.ParseUint(doc.TextString(c), 16, 64)
				v.digest, r.ok = digest, err == nil
			}
		case 2:
			v.Kind = text.DistinctKind(r.number(c, int64(text.DistinctKinds)-1))
		case 3:
			v.said = r.truth(c)
		case 4:
			v.base = r.truth(c)
		case 5:
			v.at.line = int32(r.number(c, 1<<31-1))
		case 6:
			v.at.column = int32(r.number(c, 1<<31-1))
		case 7:
			if r.ok = doc.Kind(c) == wire.String; r.ok {
				v.Via = doc.TextString(c)
			}
		default:
			r.ok = false
		}
	})
	r.ok = r.ok && i == 7
	return v
}
