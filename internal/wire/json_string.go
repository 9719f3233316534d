package wire

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// scanEscape returns the length of the escape sequence at the start of b, which begins with a
// backslash. lone reports a lone surrogate; msg is set if the sequence is not allowed.
func scanEscape(b []byte) (n int, lone bool, msg string) {
	if len(b) < 2 {
		return 0, false, "unexpected end inside an escape"
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, false, ""
	case 'u':
		r, ok := hex4(b[2:])
		if !ok {
			return 0, false, "expected four hexadecimal digits after \\u"
		}
		if !utf16.IsSurrogate(r) {
			return 6, false, ""
		}
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if r2, ok := hex4(b[8:]); ok && utf16.DecodeRune(r, r2) != utf8.RuneError {
				return 12, false, ""
			}
		}
		return 6, true, ""
	}
	return 0, false, "unknown escape " + quoteByte(b[1])
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// decodeEscape returns the rune of the escape at the start of b, which the parser has accepted,
// and its length. A lone surrogate becomes U+FFFD.
func decodeEscape(b []byte) (rune, int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ := hex4(b[2:])
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			r2, _ := hex4(b[8:])
			if full := utf16.DecodeRune(r, r2); full != utf8.RuneError {
				return full, 12
			}
		}
		return utf8.RuneError, 6
	}
	return rune(b[1]), 2
}

// AppendUnquoted appends the text of lit, a string literal with its quotes that Parse accepted.
func AppendUnquoted(dst, lit []byte) []byte {
	lit = lit[1 : len(lit)-1]
	dst = slices.Grow(dst, len(lit)) // no text is longer than its literal
	for len(lit) > 0 {
		i := bytes.IndexByte(lit, '\\')
		if i < 0 {
			return append(dst, lit...)
		}
		dst = append(dst, lit[:i]...)
		r, n := decodeEscape(lit[i:])
		dst = utf8.AppendRune(dst, r)
		lit = lit[i+n:]
	}
	return dst
}

// RawOffset maps a byte offset in the text of a string literal back to the byte offset in the
// literal, so that a finding points at the bytes that were sent. Every byte of an escaped
// rune maps to the start of its escape.
func RawOffset(lit []byte, off int) int {
	i, text := 1, 0
	for i < len(lit)-1 && text < off {
		plain := lit[i:min(len(lit)-1, i+off-text)]
		if n := bytes.IndexByte(plain, '\\'); n != 0 {
			if n < 0 {
				n = len(plain)
			}
			i += n
			text += n
			continue
		}
		r, n := decodeEscape(lit[i:])
		if text += utf8.RuneLen(r); text > off {
			break
		}
		i += n
	}
	return i
}

// Offset converts an offset in the text of node i, or in its key, to an offset in Data.
func (d *Doc) Offset(i int, key bool, off int) int {
	n := &d.Nodes[i]
	switch {
	case key:
		return int(n.KeyStart) + RawOffset(d.Data[n.KeyStart:n.KeyEnd], off)
	case n.flags&bare != 0:
		return int(n.Start) + off
	}
	return int(n.Start) + RawOffset(d.Raw(i), off)
}

// Text returns the text of a string node: a slice of the data if the literal has no escapes,
// otherwise appended to *buf. It is valid until the data or the buffer changes.
func (d *Doc) Text(i int, buf *[]byte) []byte {
	n := &d.Nodes[i]
	return d.literal(n.Start, n.End, n.flags, buf)
}

// Key returns the key of node i, or nil outside objects. It uses buf as Text does.
func (d *Doc) Key(i int, buf *[]byte) []byte {
	n := &d.Nodes[i]
	if n.KeyEnd == 0 {
		return nil
	}
	return d.literal(n.KeyStart, n.KeyEnd, n.flags>>keyShift, buf)
}

// TextString and KeyString are like Text and Key, but return copies.
func (d *Doc) TextString(i int) string {
	d.buf = d.buf[:0]
	return d.Names.String(d.Text(i, &d.buf))
}

func (d *Doc) KeyString(i int) string {
	d.buf = d.buf[:0]
	return d.Names.String(d.Key(i, &d.buf))
}

func (d *Doc) literal(start, end int32, f Flags, buf *[]byte) []byte {
	if f&bare != 0 {
		return d.Data[start:end:end]
	}
	if f&Escaped == 0 {
		return d.Data[start+1 : end-1 : end-1]
	}
	from := len(*buf)
	*buf = AppendUnquoted(*buf, d.Data[start:end])
	return (*buf)[from:len(*buf):len(*buf)]
}

// TextFlags returns the flags of a string node's literal.
func (d *Doc) TextFlags(i int) Flags { return d.Nodes[i].flags & (1<<keyShift - 1) }

// KeyFlags returns the flags of the key of node i.
func (d *Doc) KeyFlags(i int) Flags { return d.Nodes[i].flags >> keyShift }

// Raw returns the source bytes of node i.
func (d *Doc) Raw(i int) []byte { n := &d.Nodes[i]; return d.Data[n.Start:n.End] }

// Kind returns the kind of node i, or Invalid if i is negative, so it accepts any result of Get.
func (d *Doc) Kind(i int) Kind {
	if i < 0 {
		return Invalid
	}
	return d.Nodes[i].Kind
}

// First returns the first child of container i, or -1.
func (d *Doc) First(i int) int {
	if d.Kind(i) < Array || d.Nodes[i].Len == 0 {
		return -1
	}
	return i + 1
}

// Next returns the sibling after node i, or -1.
func (d *Doc) Next(i int) int {
	n := &d.Nodes[i]
	if n.Parent < 0 || n.Next >= d.Nodes[n.Parent].Next {
		return -1
	}
	return int(n.Next)
}

// Get returns the member of object i whose key is exactly key, or -1. If the key is duplicated
// it returns the last one, as most parsers do; the duplicate is in Anomalies.
func (d *Doc) Get(i int, key string) int {
	if d.Kind(i) != Object {
		return -1
	}
	found := -1
	for c := d.First(i); c >= 0; c = d.Next(c) {
		if d.KeyIs(c, key) {
			found = c
		}
	}
	return found
}

// KeyIs reports whether the key of node i is exactly key.
func (d *Doc) KeyIs(i int, key string) bool {
	n := &d.Nodes[i]
	if n.KeyEnd == 0 {
		return false
	}
	if n.flags>>keyShift&Escaped == 0 {
		return string(d.Data[n.KeyStart+1:n.KeyEnd-1]) == key
	}
	d.buf = AppendUnquoted(d.buf[:0], d.Data[n.KeyStart:n.KeyEnd])
	return string(d.buf) == key
}

// Str returns the value of the string member key of object i, and whether there is one.
func (d *Doc) Str(i int, key string) (string, bool) {
	s, ok := d.StrBytes(i, key)
	return d.Names.String(s), ok
}

// StrBytes is Str without a copy. The bytes are valid until the next use of d.
func (d *Doc) StrBytes(i int, key string) ([]byte, bool) {
	c := d.Get(i, key)
	if d.Kind(c) != String {
		return nil, false
	}
	d.buf = d.buf[:0]
	return d.Text(c, &d.buf), true
}

// Lists reports whether node i is an array that contains the string s.
func (d *Doc) Lists(i int, s string) bool {
	if d.Kind(i) != Array {
		return false
	}
	for c := d.First(i); c >= 0; c = d.Next(c) {
		if d.buf = d.buf[:0]; d.Kind(c) == String && string(d.Text(c, &d.buf)) == s {
			return true
		}
	}
	return false
}
