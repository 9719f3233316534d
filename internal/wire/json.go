package wire

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of JSON values. Bool covers true and false; the raw span distinguishes them.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "a string", "an array", "an object"}

// String returns the name of the kind for error messages, such as "a string" or "an
// array".
func (k Kind) String() string { return kindNames[k] }

// Flags describe the literal of a string or a member's key.
type Flags uint8

// The results of scanning a string literal. The flags of keys are shifted left by keyShift.
const (
	Escaped   Flags = 1 << iota // has a backslash escape
	Unusual                     // has a byte above 0x7E
	Surrogate                   // has an escaped lone surrogate
	bare                        // is text without quotes, not a literal
)

const keyShift = 4

// MaxDepth is the maximum nesting depth of values. RFC 8259 section 9 allows such a limit; the real
// messages that we examined nest fewer than 40 levels, and peers' limits are between 128 and 10000.
const MaxDepth = 512

// MaxNodes is the maximum number of values in a text, unless the Doc sets another maximum. A value
// of two bytes takes a node of 36 bytes, and later steps need more memory for it.
const MaxNodes = 500_000

// Node is one value of a parsed text. Nodes are in document order, so the subtree of node i
// consists of the nodes from i up to, but not including, Next.
type Node struct {
	Start, End       int32 // span of the value in the text, quotes included
	KeyStart, KeyEnd int32 // span of the member's key, quotes included; both 0 outside objects
	Parent           int32 // index of the enclosing object or array; -1 for the root
	Next             int32 // index of the first node after this subtree
	Index            int32 // index among the children of Parent, from 0
	Len              int32 // number of children
	Kind             Kind
	flags            Flags
}

// Doc is a parsed JSON text. It reuses its memory between calls of Parse, so a worker needs
// only one, and its data is invalid after the next call.
type Doc struct {
	Data      []byte
	Nodes     []Node
	Anomalies []Anomaly // in node order
	MaxNodes  int       // maximum number of values in a text; 0 means the constant MaxNodes
	Names     *Names    // shares the memory of the strings that methods return; nil if they are not shared

	keys keyTable
	buf  []byte
}

// SyntaxError reports the position at which a text stops being valid JSON.
type SyntaxError struct {
	Offset int // byte offset in the text
	Msg    string
	Limit  bool // the text exceeds MaxDepth or the maximum number of values; it may be valid JSON
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Msg)
}

// Parse parses exactly one JSON value, with optional white space around it. It accepts only
// what RFC 8259 allows: no invalid UTF-8, no comments, no second value. Duplicate and
// confusable keys are legal in RFC 8259, and are recorded in Anomalies.
func (d *Doc) Parse(data []byte) error {
	d.Data, d.Nodes, d.Anomalies = data, d.Nodes[:0], d.Anomalies[:0]
	p := parser{d: d, data: data, max: MaxNodes}
	if d.MaxNodes > 0 {
		p.max = d.MaxNodes
	}
	if len(data) >= longText && cap(d.Nodes) == 0 {
		d.Nodes = make([]Node, 0, min(valuesIn(data), p.max))
	}
	if err := p.run(); err != nil {
		return err
	}
	slices.SortStableFunc(d.Anomalies, func(a, b Anomaly) int { return int(a.Node) - int(b.Node) })
	return nil
}

// parser makes a single pass over data. Open containers form a chain through Node.Parent, so
// nesting needs no stack.
type parser struct {
	d     *Doc
	data  []byte
	pos   int
	open  int32 // innermost open container, or -1
	depth int
	count int // values so far
	max   int // maximum number of values

	fold bool // keep only the nodes of open containers
	last Node // the last complete value, if fold is set
}

func (p *parser) fail(format string, args ...any) error {
	return &SyntaxError{Offset: p.pos, Msg: fmt.Sprintf(format, args...)}
}

func (p *parser) exceeds(format string, limit int) error {
	return &SyntaxError{Offset: p.pos, Msg: fmt.Sprintf(format, limit), Limit: true}
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) run() error {
	if len(p.data) > math.MaxInt32 {
		return &SyntaxError{Offset: math.MaxInt32, Msg: "text is longer than 2 GiB"}
	}
	p.open = -1
	p.space()
	if err := p.value(0, 0, 0); err != nil {
		return err
	}
	for p.open >= 0 {
		if err := p.step(); err != nil {
			return err
		}
	}
	p.space()
	if p.pos < len(p.data) {
		return p.fail("unexpected %s after the value", quoteByte(p.data[p.pos]))
	}
	return nil
}

// step reads the next child of the innermost container, or closes it.
func (p *parser) step() error {
	p.space()
	c := &p.d.Nodes[p.open]
	object := c.Kind == Object
	if p.pos >= len(p.data) {
		return p.fail("unexpected end inside %s", c.Kind)
	}
	b := p.data[p.pos]
	if object && b == '}' || !object && b == ']' {
		p.pos++
		p.close()
		return nil
	}
	if c.Len > 0 {
		if b != ',' {
			return p.fail("expected ',' or the end of %s, found %s", c.Kind, quoteByte(b))
		}
		p.pos++
		p.space()
	}
	if !object {
		return p.value(0, 0, 0)
	}
	return p.member()
}

func (p *parser) member() error {
	if p.pos >= len(p.data) || p.data[p.pos] != '"' {
		return p.fail("expected a member name in double quotes")
	}
	start := p.pos
	flags, err := p.str()
	if err != nil {
		return err
	}
	end := p.pos
	p.space()
	if p.pos >= len(p.data) || p.data[p.pos] != ':' {
		return p.fail("expected ':' after a member name")
	}
	p.pos++
	p.space()
	return p.value(int32(start), int32(end), flags<<keyShift)
}

// value reads a scalar, or opens a container; step then reads its children.
func (p *parser) value(keyStart, keyEnd int32, flags Flags) error {
	if p.pos >= len(p.data) {
		return p.fail("unexpected end, expected a value")
	}
	if p.count++; p.count > p.max {
		return p.exceeds("more than %d values", p.max)
	}
	n := Node{Start: int32(p.pos), KeyStart: keyStart, KeyEnd: keyEnd, Parent: p.open, flags: flags}
	if p.open >= 0 {
		n.Index = p.d.Nodes[p.open].Len
		p.d.Nodes[p.open].Len++
	}
	switch b := p.data[p.pos]; {
	case b == '{' || b == '[':
		n.Kind = Object
		if b == '[' {
			n.Kind = Array
		}
		return p.enter(n)
	case b == '"':
		n.Kind = String
		f, err := p.str()
		if err != nil {
			return err
		}
		n.flags |= f
	case b == '-' || b >= '0' && b <= '9':
		n.Kind = Number
		if err := p.number(); err != nil {
			return err
		}
	default:
		if err := p.literal(&n); err != nil {
			return err
		}
	}
	n.End = int32(p.pos)
	if p.fold {
		p.last = n
		return nil
	}
	n.Next = int32(len(p.d.Nodes) + 1)
	p.d.Nodes = append(p.d.Nodes, n)
	return nil
}

func (p *parser) enter(n Node) error {
	if p.depth++; p.depth > MaxDepth {
		return p.exceeds("nesting is deeper than %d", MaxDepth)
	}
	p.pos++
	p.open = int32(len(p.d.Nodes))
	p.d.Nodes = append(p.d.Nodes, n)
	return nil
}

func (p *parser) close() {
	c := &p.d.Nodes[p.open]
	c.End = int32(p.pos)
	c.Next = int32(len(p.d.Nodes))
	if p.fold {
		p.last, p.d.Nodes = *c, p.d.Nodes[:p.open]
	} else if c.Kind == Object && c.Len > 0 {
		p.d.checkKeys(p.open)
	}
	p.open = c.Parent
	p.depth--
}

func (p *parser) literal(n *Node) error {
	for _, lit := range [...]struct {
		text string
		kind Kind
	}{{"true", Bool}, {"false", Bool}, {"null", Null}} {
		if rest := p.data[p.pos:]; len(rest) >= len(lit.text) && string(rest[:len(lit.text)]) == lit.text {
			n.Kind = lit.kind
			p.pos += len(lit.text)
			return nil
		}
	}
	return p.fail("expected a value, found %s", quoteByte(p.data[p.pos]))
}

func (p *parser) digits() bool {
	start := p.pos
	for p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
		p.pos++
	}
	return p.pos > start
}

func (p *parser) number() error {
	if p.data[p.pos] == '-' {
		p.pos++
	}
	if p.pos < len(p.data) && p.data[p.pos] == '0' {
		p.pos++
	} else if !p.digits() {
		return p.fail("expected a digit")
	}
	if p.pos < len(p.data) && p.data[p.pos] == '.' {
		p.pos++
		if !p.digits() {
			return p.fail("expected a digit after '.'")
		}
	}
	if p.pos < len(p.data) && (p.data[p.pos] == 'e' || p.data[p.pos] == 'E') {
		p.pos++
		if p.pos < len(p.data) && (p.data[p.pos] == '+' || p.data[p.pos] == '-') {
			p.pos++
		}
		if !p.digits() {
			return p.fail("expected a digit in the exponent")
		}
	}
	return nil
}

// plain marks the bytes of a string that str need not examine: printable ASCII except the quote
// and the backslash.
var plain = func() (t [256]bool) {
	for b := 0x20; b < 0x7F; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// str reads a string literal and leaves pos after its closing quote.
func (p *parser) str() (Flags, error) {
	var flags Flags
	data, i := p.data, p.pos+1
	for {
		for i < len(data) && plain[data[i]] {
			i++
		}
		if i >= len(data) {
			p.pos = len(data)
			return 0, p.fail("unexpected end inside a string")
		}
		switch b := data[i]; {
		case b == '"':
			p.pos = i + 1
			return flags, nil
		case b == '\\':
			n, lone, msg := scanEscape(data[i:])
			if msg != "" {
				p.pos = i
				return 0, p.fail("%s", msg)
			}
			flags |= Escaped
			if lone {
				flags |= Surrogate
			}
			i += n
		case b < 0x20:
			p.pos = i
			return 0, p.fail("control character %s inside a string must be escaped", quoteByte(b))
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n <= 1 {
				p.pos = i
				return 0, p.fail("invalid UTF-8 inside a string")
			}
			flags |= Unusual
			i += n
		}
	}
}

func quoteByte(b byte) string {
	if b < 0x20 || b >= 0x7F {
		return fmt.Sprintf("byte 0x%02X", b)
	}
	return fmt.Sprintf("%q", b)
}

// SetText makes the document a single string node that spans all of data, quoted or not, for
// text that is not JSON. Offsets in the text are offsets in data.
func (d *Doc) SetText(data []byte) {
	d.Data, d.Anomalies = data, d.Anomalies[:0]
	d.Nodes = append(d.Nodes[:0], Node{Kind: String, End: int32(min(len(data), math.MaxInt32)), Parent: -1, Next: 1, flags: bare | Unusual})
}

// BeginsLikeJSON reports whether data begins like an object or array, which a peer may read as a
// message.
func BeginsLikeJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}
