package config

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// parseJSON reads JSON with comments and trailing commas, which many clients accept in their settings
// files. A file without a value has no root.
func parseJSON(data []byte) ([]*node, *SyntaxError) {
	if blank(data) {
		return nil, nil
	}
	loc := newLocator(data)
	if off := tooDeep(data); off >= 0 {
		return nil, syntaxError(loc.at(off), "nested more than %d levels deep, which no client configuration needs: remove the nesting here", maxDepth)
	}
	// The file may end in a line comment; hujson requires a line feed after it.
	data = append(data[:len(data):len(data)], '\n')
	value, err := hujson.Parse(data)
	if err != nil {
		return nil, jsonError(data, err)
	}
	return []*node{jsonNode(value, loc)}, nil
}

func jsonNode(v hujson.Value, loc *locator) *node {
	n := &node{pos: loc.at(v.StartOffset)}
	switch x := v.Value.(type) {
	case *hujson.Object:
		n.kind = kindObject
		n.members = make([]member, 0, len(x.Members))
		for _, m := range x.Members {
			name, _ := m.Name.Value.(hujson.Literal)
			pos := loc.at(m.Name.StartOffset)
			n.members = append(n.members, member{name.String(), pos, jsonNode(m.Value, loc)})
		}
	case *hujson.Array:
		n.kind = kindArray
		n.items = make([]*node, 0, len(x.Elements))
		for _, e := range x.Elements {
			n.items = append(n.items, jsonNode(e, loc))
		}
	case hujson.Literal:
		n.text = x.String()
		switch x.Kind() {
		case '"':
			n.kind = kindString
		case 't', 'f':
			n.kind = kindBool
		case '0':
			n.kind = kindNumber
		}
	}
	return n
}

// blank reports whether there are only spaces and comments, as in a settings file that was never edited.
func blank(data []byte) bool {
	for {
		data = bytes.TrimLeft(data, " \t\r\n")
		n := commentLen(data)
		if n == 0 || bytes.HasPrefix(data, []byte("/*")) && !bytes.Contains(data[2:], []byte("*/")) {
			return len(data) == 0
		}
		data = data[n+1:]
	}
}

// tooDeep returns the offset of the first bracket beyond maxDepth, or -1. It skips strings and
// comments as hujson does; where hujson finds a syntax error, the result does not matter.
func tooDeep(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '/':
			i += commentLen(data[i:])
		}
	}
	return -1
}

// commentLen returns the length of a comment, not counting its first slash.
func commentLen(data []byte) int {
	end := ""
	switch {
	case bytes.HasPrefix(data, []byte("//")):
		end = "\n"
	case bytes.HasPrefix(data, []byte("/*")):
		end = "*/"
	default:
		return 0
	}
	i := bytes.Index(data[2:], []byte(end))
	if i < 0 {
		return len(data) - 1
	}
	return 2 + i + len(end) - 1
}

// jsonError converts a hujson error to a SyntaxError. hujson reports a byte column and repeats an
// invalid literal in full, which may be a secret.
func jsonError(data []byte, err error) *SyntaxError {
	msg := err.Error()
	var line, col int
	if n, _ := fmt.Sscanf(msg, "hujson: line %d, column %d:", &line, &col); n == 2 {
		_, msg, _ = strings.Cut(msg, fmt.Sprintf("column %d: ", col))
	}
	off := 0
	for range line - 1 {
		off += bytes.IndexByte(data[off:], '\n') + 1
	}
	off = max(0, min(off+col-1, len(data)-1)) // the line feed at the end was added by parseJSON
	if strings.HasPrefix(msg, "invalid literal") {
		msg = "expected true, false, null or a number; a string needs double quotes"
		if data[off] == '"' {
			msg = "this string has a raw control character or an invalid escape: write the character as \\n, \\t, \\\" or \\u0000"
		}
	}
	return syntaxError(newLocator(data).at(off), "not JSON: %s", msg)
}
