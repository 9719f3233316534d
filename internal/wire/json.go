package wire

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of JSON values. Bool covers true and false: the raw span tells them apart.
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

// String names the kind as an error message does: "a string", "an array".
func (k Kind) String() string { return kindNames[k] }

// Flags tell about the text of a string or of a member's key.
type Flags uint8

// What a scan of a string literal found. Keys use the bits shifted by keyShift.
const (
	Escaped   Flags = 1 << iota // has a backslash escape
	Unusual                     // has a byte above 0x7E
	Surrogate                   // has an escaped surrogate without its other half
	bare                        // is no literal: text without quotes
)

const keyShift = 4

// MaxDepth is how deep values may nest. RFC 8259 section 9 lets a parser set
// such a limit; real messages stay below 40, and peers stop between 128 and 10000.
const MaxDepth = 512

// MaxNodes is how many values a text may have, unless the Doc says otherwise. A
// value of two bytes costs a node of 36, and more behind the parser.
const MaxNodes = 500_000

// Node is one value of a parsed text. Nodes are in document order, so the
// subtree of node i is the nodes from i up to Next.
type Node struct {
	Start, End       int32 // span of the value in the text, quotes included
	KeyStart, KeyEnd int32 // span of the member's key, quotes included; both 0 outside objects
	Parent           int32 // index of the enclosing object or array; -1 for the root
	Next             int32 // index of the first node behind this subtree
	Index            int32 // place among the children of Parent, from 0
	Len              int32 // number of children
	Kind             Kind
	flags            Flags
}

// Doc is a parsed JSON text. It keeps its memory between calls of Parse, so a
// worker needs one, and nothing taken from it may outlive the next call.
type Doc struct {
	Data      []byte
	Nodes     []Node
	Anomalies []Anomaly // in the order of their nodes
	MaxNodes  int       // how many values a text may have; 0 means the constant of this name

	keys keyTable
	buf  []byte
}

// SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int // byte offset in the text
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Msg)
}

// Parse reads exactly one JSON value, with white space around it. It accepts
// what RFC 8259 allows and no more: no invalid UTF-8, no comments, no second
// value. Duplicate and confusable keys are legal there and are noted in Anomalies.
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

// parser is a single pass over data. Containers that are still open form a
// chain through Node.Parent, so depth costs no stack.
type parser struct {
	d     *Doc
	data  []byte
	pos   int
	open  int32 // innermost open container, -1 at the top
	depth int
	count int // values
	max   int // that a text may have of them

	fold bool // keep no nodes but those of the open containers
	last Node // the value that ended last, while folding
}

func (p *parser) fail(format string, args ...any) error {
	return &SyntaxError{Offset: p.pos, Msg: fmt.Sprintf(format, args...)}
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

// value reads a scalar, or opens a container whose children follow in step.
func (p *parser) value(keyStart, keyEnd int32, flags Flags) error {
	if p.pos >= len(p.data) {
		return p.fail("unexpected end, expected a value")
	}
	if p.count++; p.count > p.max {
		return p.fail("more than %d values", p.max)
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
		return p.fail("nesting is deeper than %d", MaxDepth)
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

// plain marks the bytes that stand for themselves in a string: printable ASCII
// but for the quote and the backslash.
var plain = func() (t [256]bool) {
	for b := 0x20; b < 0x7F; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// str reads a string literal and leaves pos behind its closing quote.
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

// SetText makes the document one string node that is all of data, quotes or
// not, for text that is no JSON. Offsets in that text are offsets in data.
func (d *Doc) SetText(data []byte) {
	d.Data, d.Anomalies = data, d.Anomalies[:0]
	d.Nodes = append(d.Nodes[:0], Node{Kind: String, End: int32(min(len(data), math.MaxInt32)), Parent: -1, Next: 1, flags: bare | Unusual})
}
