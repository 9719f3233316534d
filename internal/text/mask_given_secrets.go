package text

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Secrets masks known values, whatever they look like, in the forms in which programs write them:
// plain, escaped, percent-encoded, in hex or in base64, in upper or lower case. The zero value
// masks nothing.
type Secrets struct{ forms []string } // in lower case

// minSecret is the minimum length of a value that is masked everywhere; shorter values occur in too
// many words.
const minSecret = 6

// NewSecrets returns a mask for the values that are long enough.
func NewSecrets(values []string) Secrets {
	var s Secrets
	for _, v := range values {
		if len(v) < minSecret {
			continue
		}
		escaped, _ := json.Marshal(v) // a string always marshals
		s.forms = append(s.forms, v, string(escaped[1:len(escaped)-1]), url.QueryEscape(v), url.PathEscape(v), hex.EncodeToString([]byte(v)))
		s.forms = append(s.forms, base64Forms(v)...)
	}
	for i, f := range s.forms {
		s.forms[i] = lowerASCII(f)
	}
	slices.Sort(s.forms)
	s.forms = slices.Compact(s.forms)
	return s
}

// base64Forms returns one substring for each base64 alphabet and each position of v within a group
// of three bytes. The base64 form of any text that contains v contains at least one of them. The
// substrings omit the characters that also encode neighbouring bytes.
func base64Forms(v string) (forms []string) {
	for before := range 3 {
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), v...))
		first := (before*8 + 5) / 6
		last := (before + len(v)) * 8 / 6
		if form := text[first:last]; len(form) >= minSecret {
			forms = append(forms, form, strings.NewReplacer("+", "-", "/", "_").Replace(form))
		}
	}
	return forms
}

// lowerASCII converts ASCII letters only, so that all offsets stay the same.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// Mask returns text with every secret replaced.
func (s Secrets) Mask(text string) string { return s.mask(text, Masked) }

func (s Secrets) mask(text, by string) string {
	var b strings.Builder
	from := 0
	for _, span := range s.find(text) {
		b.WriteString(text[from:span[0]])
		b.WriteString(by)
		from = span[1]
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// find returns the spans of secrets, sorted and merged.
func (s Secrets) find(text string) (spans [][2]int) {
	if len(s.forms) == 0 {
		return nil
	}
	low := lowerASCII(text)
	for _, f := range s.forms {
		for at := 0; ; {
			i := strings.Index(low[at:], f)
			if i < 0 {
				break
			}
			spans = append(spans, [2]int{at + i, at + i + len(f)})
			at += i + len(f)
		}
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	apart := spans[:0]
	for _, span := range spans {
		if n := len(apart); n > 0 && span[0] <= apart[n-1][1] {
			apart[n-1][1] = max(apart[n-1][1], span[1])
		} else {
			apart = append(apart, span)
		}
	}
	return apart
}

// MaskJSON returns data with every secret in its JSON strings replaced, including escaped ones. A
// number that contains a secret becomes a string. In invalid JSON, only the strings that can be
// recognized are masked.
func (s Secrets) MaskJSON(data []byte) []byte { return s.maskJSON(data, false) }

// MaskMessage is like MaskJSON, but keeps member names that look like words, and the members that
// identify the message and the tool: a server that chooses its own credentials must not be able to
// choose which of its messages become unreadable.
func (s Secrets) MaskMessage(data []byte) []byte { return s.maskJSON(data, true) }

func (s Secrets) maskJSON(data []byte, message bool) []byte {
	if len(s.forms) == 0 || !bytes.ContainsRune(data, '\\') && s.find(string(data)) == nil {
		return data
	}
	var out []byte
	at := jsonPlace{root: 1}
	if first := bytes.TrimLeft(data, " \t\r\n"); len(first) > 0 && first[0] == '[' {
		at.root = 2 // a batch
	}
	for rest := data; len(rest) > 0; {
		start := bytes.IndexByte(rest, '"')
		if start < 0 {
			start = len(rest)
		}
		value := bytes.IndexAny(rest[:start], ",]}") // the end of a number
		if value < 0 || !message || !at.identifies() {
			value = 0
		}
		out = append(out, rest[:value]...)
		out = append(out, s.mask(string(rest[value:start]), `"`+Masked+`"`)...)
		at.pass(rest[:start])
		end := start + stringEnd(rest[start:])
		literal := rest[start:end]
		rest = rest[end:]
		name := bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
		if name {
			at.key = literal
		}
		if message && (name && plainKey(literal) || !name && at.identifies()) {
			out = append(out, literal...)
		} else {
			out = append(out, s.maskString(literal)...)
		}
	}
	if bytes.Equal(out, data) {
		return data
	}
	return out
}

// plainKey reports whether a member name, in quotes, looks like a word. Digits, which most credentials
// have, are not part of a word.
func plainKey(literal []byte) bool {
	for _, c := range bytes.Trim(literal, `"`) {
		if letter := c|0x20 >= 'a' && c|0x20 <= 'z'; !letter && strings.IndexByte("_$/-", c) < 0 {
			return false
		}
	}
	return len(literal) <= 42
}

// jsonPlace is the current position while a JSON text is read from its beginning.
type jsonPlace struct {
	root  int    // depth at which the members of a message are: 1, or 2 in a batch
	depth int    // number of open objects and arrays
	key   []byte // the current member's name in quotes; nil in an array
}

// pass moves past a text that contains no string.
func (p *jsonPlace) pass(t []byte) {
	for _, c := range t {
		switch c {
		case '{', '[':
			p.depth++
			p.key = nil
		case '}', ']':
			p.depth--
			p.key = nil
		case ',':
			p.key = nil
		}
	}
}

// identifies reports whether the current member determines the kind of the message or of a part of it,
// the tool that it calls or defines, or, as the id of the message, the request that it answers.
func (p *jsonPlace) identifies() bool {
	switch string(p.key) {
	case `"jsonrpc"`, `"method"`, `"name"`, `"role"`, `"type"`:
		return true
	case `"id"`:
		return p.depth == p.root
	}
	return false
}

// stringEnd returns the length of the string literal at the start of data, or len(data) if it is
// unterminated.
func stringEnd(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// maskString masks one string literal, including its quotes.
func (s Secrets) maskString(raw []byte) string {
	if bytes.IndexByte(raw, '\\') >= 0 {
		if decoded, err := jsontext.AppendUnquote(nil, raw); err == nil || len(decoded) > 0 {
			if masked := s.Mask(string(decoded)); masked != string(decoded) {
				quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(masked, "\uFFFD"))
				return string(quoted)
			}
		}
	}
	return s.Mask(string(raw))
}
