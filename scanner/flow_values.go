package scanner

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Value is a distinctive value in a message, for comparison with values in other messages. It never
// contains an unmasked secret.
type Value struct {
	digest uint64 // fields used in judging are adjacent
	Kind   text.DistinctKind
	said   bool // the value is not from a result: the client sent it, or it is in a definition
	base   bool // see text.Distinct.Base
	Whole  bool // the text consists only of this value
	InLink bool // the text is a link that contains the value

	Offset  int    // offset, in the frame, of the text that contains the value
	at      place  // position of that text in the file
	Via     string // encoding in the message; "" if it is not encoded
	Pointer string // for values from a client: JSON Pointer relative to the parameters
	Text    string // for values from a client: the value, masked if it is a secret
}

// place is a position in a file; the surrounding data identifies the file.
type place struct{ line, column int32 }

func (l *Location) place() place {
	return place{int32(min(l.Line, math.MaxInt32)), int32(min(l.Column, math.MaxInt32))}
}

// The bounds on the values extracted from one event.
const (
	maxValues = 4096 // per kind
	// At twice maxPassages, passages are reduced to the maxPassages with the lowest digests, so that
	// events with the same passages keep the same ones.
	maxPassages = 1024
)

// values collects the distinctive values in one event.
type values struct {
	node  int  // the node whose position is in the field at; -1 if none
	isKey bool // the position is that of the node's key
	at    place

	seen    map[uint64]text.DistinctKind
	of      [text.DistinctKinds]int
	highest uint64 // highest digest of the passages kept; 0 until there are too many
	holders []int  // indexes of the messages with passages
	left    int    // bytes that may still be decoded
	lost    bool
	memory  []Value // reused for the values of each message
}

func (v *values) reset(frame int) {
	if len(v.seen) > maxValues { // clearing a map takes time proportional to its largest size
		v.seen, v.memory = nil, nil
	}
	clear(v.seen)
	v.holders = v.holders[:0]
	v.node, v.of, v.highest, v.lost = -1, [text.DistinctKinds]int{}, 0, false
	v.left = decodedBytes + frame
}

// spareText is the minimum length, in bytes, of a text whose values are extracted on another processor.
const spareText = 16 << 10

// extract extracts the distinctive values in a text. For a long text, it does so on another
// goroutine, if there is a spare processor. The returned function waits until the values are extracted.
func (in *Inspector) extract(p *TextPass) (wait func()) {
	if !in.spare || p.Subject != mcp.ResultSubject || len(p.Source) < spareText {
		in.values(p)
		return func() {}
	}
	in.position(p) // not on the goroutine, because it uses the caller's data
	own := *p
	failed := make(chan any)
	go func() {
		defer func() { failed <- recover() }()
		in.values(&own)
	}()
	return func() {
		if v := <-failed; v != nil {
			panic(v)
		}
	}
}

// values extracts the distinctive values in a text, plain and encoded.
func (in *Inspector) values(p *TextPass) {
	if !in.engine.values {
		return
	}
	switch {
	case p.Subject == mcp.CallSubject:
		if in.tree.KeyIs(p.node, "name") && int(in.tree.Nodes[p.node].Parent) == p.root { // the name of the tool does not count
			return
		}
		in.carried(p, p.Source, p.Via, 0)
	case p.Subject.Definition():
		in.distincts(p, p.Source, p.Via)
	case p.Subject == mcp.ResultSubject, p.Subject == mcp.ErrorSubject:
		if p.original != nil {
			in.distincts(p, p.Source, p.Via)
		} else {
			in.carried(p, p.Source, p.Via, 0)
		}
	}
}

// carried extracts the values in s, and in text encoded in it.
func (in *Inspector) carried(p *TextPass, s []byte, via string, n int) {
	credentials := in.distincts(p, s, via)
	if n == text.MaxLayers {
		return
	}
	inner := func(h text.Hidden) {
		if in.collected.left -= len(h.Text); in.collected.left < 0 {
			in.collected.lost = true
			return
		}
		if v := bytes.TrimSpace(h.Text); p.Subject != mcp.CallSubject && within(credentials, h.Start, h.End) && text.Secretive(v) && !bytes.ContainsAny(v, " \t\n") {
			in.value(p, h.Text, h.Via, text.NewDistinct(v, 0, len(v), text.SecretValue)) // as in a Kubernetes Secret
		}
		in.carried(p, h.Text, h.Via, n+1)
	}
	text.Carried(s, inner)
	if p.Subject == mcp.CallSubject { // text of other subjects is already decoded for all rules
		text.Decode(s, inner)
	}
}

// within reports whether [start, end) is inside one of the spans, which are sorted.
func within(spans [][2]int, start, end int) bool {
	i, _ := slices.BinarySearchFunc(spans, end, func(sp [2]int, end int) int { return sp[1] - end })
	return i < len(spans) && spans[i][0] <= start
}

// distincts extracts the values in s. It returns the spans of the credentials in s.
func (in *Inspector) distincts(p *TextPass, s []byte, via string) (credentials [][2]int) {
	if v := bytes.TrimSpace(s); in.secretKey(p, v) && text.Secretive(v) {
		in.value(p, v, via, text.NewDistinct(v, 0, len(v), text.SecretValue))
		return text.Credentials(s)
	}
	if p.Subject == mcp.CallSubject && !p.isKey {
		defer text.Lookups(s, func(d text.Distinct) { in.value(p, s, via, d) }) // last, after values that are distinctive by themselves
	}
	return text.Distincts(s, p.Subject.Definition(), func(d text.Distinct) { in.value(p, s, via, d) })
}

// maxNamedSecret is the maximum length, in bytes, of a value that counts as a secret because of its
// member's name.
const maxNamedSecret = 4096

// secretKey reports whether s, which is trimmed, is the value of a member whose name denotes a
// secret.
func (in *Inspector) secretKey(p *TextPass, s []byte) bool {
	if p.isKey || p.Subject.Definition() || len(s) > maxNamedSecret || bytes.ContainsAny(s, " \t\n") {
		return false
	}
	in.key = in.key[:0]
	key := in.tree.Key(p.node, &in.key)
	return text.SecretName(key)
}

// value adds a value to the current message, unless the event already has it. A value keeps the
// kind under which it was found first.
func (in *Inspector) value(p *TextPass, s []byte, via string, d text.Distinct) {
	c := &in.collected
	if _, again := c.seen[d.Digest]; again {
		return
	}
	m := &in.facts.Messages[in.message]
	if d.Kind == text.PassageValue {
		if c.highest > 0 && d.Digest > c.highest {
			return
		}
	} else if c.of[d.Kind] >= maxValues {
		c.lost = true
		return
	}
	set(&c.seen, d.Digest, d.Kind)
	c.of[d.Kind]++
	if m.Values == nil {
		m.Values = c.memory
	}
	m.Values = append(m.Values, in.newValue(p, s, via, d))
	c.memory = m.Values[:0]
	if n := len(c.holders); d.Kind == text.PassageValue && (n == 0 || c.holders[n-1] != in.message) {
		c.holders = append(c.holders, in.message)
	}
	if c.of[text.PassageValue] >= 2*maxPassages {
		in.sample()
	}
}

// ownValues gives the current message a copy of its values, because the next message reuses their
// memory.
func (in *Inspector) ownValues() {
	if in.message >= len(in.facts.Messages) {
		return
	}
	if m, n := &in.facts.Messages[in.message], len(in.kept); len(m.Values) > 0 {
		in.kept = append(in.kept, m.Values...)
		m.Values = slices.Clip(in.kept[n:])
	}
}

func (in *Inspector) newValue(p *TextPass, s []byte, via string, d text.Distinct) Value {
	at, start := in.position(p)
	v := Value{Kind: d.Kind, Via: via, digest: d.Digest, base: d.Base, said: p.Subject.Definition() || p.Subject == mcp.CallSubject,
		at: at, Offset: start - int(in.tree.Nodes[in.event.root].Start)}
	if p.Subject == mcp.CallSubject {
		v.InLink = text.IsLink(p.Source)
		v.Whole = len(bytes.TrimSpace(s)) <= d.End-d.Start+len(`"<>"`)
		v.Pointer = in.pointer(p.root, p.node)
		v.Text = shownValue(s[d.Start:d.End], d.Kind)
	}
	return v
}

// position returns the position of a pass's text in the file, and where it begins in the tree's
// text.
func (in *Inspector) position(p *TextPass) (at place, start int) {
	n, c := &in.tree.Nodes[p.node], &in.collected
	start = int(n.Start)
	if p.isKey {
		start = int(n.KeyStart)
	}
	if c.node != p.node || c.isKey != p.isKey {
		loc := in.locate(start)
		c.node, c.isKey = p.node, p.isKey
		c.at = loc.place()
	}
	return c.at, start
}

// shownValue returns the part of a value that a finding may show.
func shownValue(s []byte, kind text.DistinctKind) string {
	if kind == text.SecretValue {
		return maskedValue(string(s[:min(len(s), evidenceChars)]))
	}
	return strings.Clone(string(s[:min(len(s), 4*evidenceChars)]))
}

// maskedValue masks a secret, except for the beginning of a long one.
func maskedValue(s string) string {
	if len(s) >= 16 && s[0] != '-' {
		return s[:4] + text.Masked
	}
	return text.Masked
}

// sample keeps only the maxPassages passages with the lowest digests in the event.
func (in *Inspector) sample() {
	c, messages := &in.collected, in.facts.Messages
	var all []uint64
	for _, h := range c.holders {
		for i := range messages[h].Values {
			if v := &messages[h].Values[i]; v.Kind == text.PassageValue {
				all = append(all, v.digest)
			}
		}
	}
	slices.Sort(all)
	c.highest = all[min(maxPassages, len(all))-1]
	c.of[text.PassageValue] = maxPassages
	c.holders = slices.DeleteFunc(c.holders, func(h int) bool {
		m := &messages[h]
		m.Values = slices.DeleteFunc(m.Values, func(v Value) bool { return v.Kind == text.PassageValue && v.digest > c.highest })
		return !slices.ContainsFunc(m.Values, func(v Value) bool { return v.Kind == text.PassageValue })
	})
}

// number extracts a long number from a message.
func (in *Inspector) number(kind mcp.SubjectKind, name string, root, i int) {
	p := &in.pass
	*p = TextPass{Subject: kind, Name: name, Direction: in.event.Direction, Source: in.tree.Raw(i), in: in, node: i, root: root}
	if kind == mcp.CallSubject || kind == mcp.ResultSubject {
		in.distincts(p, p.Source, "")
	}
}

// longNumber is the minimum length, in characters, of a number that can be an account number.
const longNumber = 11

// isLong reports whether a node is a number long enough to be distinctive.
func (in *Inspector) isLong(n *wire.Node) bool {
	return in.engine.values && n.Kind == wire.Number && n.End-n.Start >= longNumber
}

// tellValues records a skip if a bound prevented a value from being extracted.
func (in *Inspector) tellValues() {
	if in.collected.lost {
		in.skip("one message has more distinctive values than the limit: the flow of the rest is not tracked")
	}
}
