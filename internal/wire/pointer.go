package wire

import (
	"net/url"
	"strconv"
	"strings"
)

// EscapePointer escapes a key as a token of a JSON Pointer (RFC 6901).
func EscapePointer(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// UnescapePointer returns the key in a JSON Pointer token.
func UnescapePointer(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// LocalReference returns the JSON Pointer in a reference to a place in the same document, such as
// #/$defs/a. It keeps invalid percent escapes and decodes the others, because lenient readers do. A
// reference by name, such as #node, has no pointer.
func LocalReference(ref string) (pointer string, ok bool) {
	pointer, ok = strings.CutPrefix(ref, "#")
	parts := strings.Split(pointer, "%")
	for i, part := range parts[1:] {
		plain, err := url.PathUnescape("%" + part)
		if err != nil {
			plain = "%" + part
		}
		parts[i+1] = plain
	}
	pointer = strings.Join(parts, "")
	return pointer, ok && (pointer == "" || pointer[0] == '/')
}

// Child returns the member or element of node i at a token of a JSON Pointer, or -1.
func (d *Doc) Child(i int, token string) int {
	if d.Kind(i) != Array {
		return d.Get(i, UnescapePointer(token))
	}
	n, err := strconv.ParseUint(token, 10, 31)
	if err != nil {
		return -1
	}
	c := d.First(i)
	for ; c >= 0 && n > 0; n-- {
		c = d.Next(c)
	}
	return c
}

// AppendPointer appends the JSON Pointer of node i relative to its ancestor root.
func (d *Doc) AppendPointer(dst []byte, root, i int) []byte {
	if i == root || i < 0 {
		return dst
	}
	n := &d.Nodes[i]
	dst = d.AppendPointer(dst, root, int(n.Parent))
	dst = append(dst, '/')
	if n.KeyEnd == 0 {
		return strconv.AppendInt(dst, int64(n.Index), 10)
	}
	var unescaped []byte
	for _, b := range d.Key(i, &unescaped) {
		switch b {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, b)
		}
	}
	return dst
}
