package text

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Secrets masks known values, whatever they look like, in the forms in which programs write them:
// plain, escaped, percent-encoded, in hex or in base64, in upper or lower case. The zero value
// masks nothing.
type Secrets struct {
	forms       []string // in lower case
	words       []string // in lower case: values that look like words; not masked within names
	credentials []string // forms of the values that are certainly secret
	values      []string
}

// minSecret is the minimum length, in bytes, of a value that is masked; shorter values occur in too many
// words.
const minSecret = 6

// NewSecrets returns a mask for the values that are long enough. credentials are those that are certainly
// secret; see [Secrets.Reveals].
func NewSecrets(values, credentials []string) (s Secrets) {
	s.forms, s.words = formsOf(values)
	s.credentials, _ = formsOf(credentials)
	s.values = values
	return s
}

// Values returns the values that are masked.
func (s Secrets) Values() []string { return s.values }

// With returns a mask that also masks the secrets of another one.
func (s Secrets) With(o Secrets) Secrets {
	return Secrets{slices.Concat(s.forms, o.forms), slices.Concat(s.words, o.words), slices.Concat(s.credentials, o.credentials), slices.Concat(s.values, o.values)}
}

// Reveals reports whether a text contains a value that is certainly secret, in any form. Other values are
// masked in case they are secret, but may be as harmless as the name of a project.
func (s Secrets) Reveals(text []byte) bool {
	if len(s.credentials) == 0 {
		return false
	}
	low := lowerASCII(string(text))
	return slices.ContainsFunc(s.credentials, func(form string) bool { return strings.Contains(low, form) })
}

// formsOf returns the forms of values, and those values that look like words, in lower case.
func formsOf(values []string) (forms, words []string) {
	for _, v := range values {
		if len(v) < minSecret {
			continue
		}
		forms = append(forms, hex.EncodeToString([]byte(v)))
		forms = append(forms, base64Forms(v)...)
		if IsWord(v) {
			words = append(words, lowerASCII(v))
			continue
		}
		escaped, _ := json.Marshal(v) // a string always marshals
		forms = append(forms, v, string(escaped[1:len(escaped)-1]), url.QueryEscape(v), url.PathEscape(v))
	}
	for i, f := range forms {
		forms[i] = lowerASCII(f)
	}
	slices.Sort(forms)
	return slices.Compact(forms), words
}

// IsWord reports whether a value looks like a word: at most 20 letters in one case, or with an initial
// capital. Generated secrets are longer, mix both cases or have digits.
func IsWord(value string) bool { return wordOfLetters.MatchString(value) }

var wordOfLetters = lazyregexp.New(`^(?:[A-Za-z]?[a-z]{1,19}|[A-Z]{1,20})$`)

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
	search := func(form string, word bool) {
		for at := 0; ; {
			start := strings.Index(low[at:], form)
			if start < 0 {
				return
			}
			start += at
			at = start + len(form)
			if !word || !partOfName(low, start, at) {
				spans = append(spans, [2]int{start, at})
			}
		}
	}
	for _, form := range s.forms {
		search(form, false)
	}
	for _, word := range s.words {
		search(word, true)
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

// partOfName reports whether the word between two offsets is a part of a longer word, a name or a path.
func partOfName(s string, start, end int) bool {
	joins := func(c byte) bool { return isAlnum(c) || strings.IndexByte("_-/", c) >= 0 }
	if end < len(s) && joins(s[end]) || end+1 < len(s) && s[end] == '.' && isAlnum(s[end+1]) {
		return true
	}
	escaped := start > 1 && s[start-2] == '\\' || start > 2 && s[start-3] == '%'
	return start > 0 && joins(s[start-1]) && !escaped
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
	for t := range jsonStrings(data) {
		value := bytes.IndexAny(t.before, ",]}") // the end of a number
		if value < 0 || !message || !t.numberIdentifies {
			value = 0
		}
		out = append(out, t.before[:value]...)
		out = append(out, s.mask(string(t.before[value:]), `"`+Masked+`"`)...)
		if message && (t.isName && plainKey(t.literal) || !t.isName && t.identifies) {
			out = append(out, t.literal...)
		} else {
			out = append(out, s.maskString(t.literal)...)
		}
	}
	if bytes.Equal(out, data) {
		return data
	}
	return out
}

// WithoutVocabulary returns a mask without those values that look like words and that a message uses in the
// name of a member, a tool or a server. A password such as "postgres" is then a word of the server's
// vocabulary: masking it would change definitions that everyone can read, and thereby reveal the password.
func (s Secrets) WithoutVocabulary(message []byte) Secrets {
	if len(s.words) == 0 || s.find(string(message)) == nil {
		return s
	}
	used := func(word string) bool {
		for t := range jsonStrings(message) {
			if (t.isName || t.identifies) && strings.Contains(lowerASCII(string(t.literal)), word) {
				return true
			}
		}
		return false
	}
	s.words = slices.DeleteFunc(slices.Clone(s.words), used)
	return s
}

// jsonString is a string literal in a JSON text, or the end of the text.
type jsonString struct {
	before           []byte // text since the previous literal
	literal          []byte // with its quotes; empty at the end
	isName           bool   // it is the name of a member
	identifies       bool   // see jsonPlace.identifies
	numberIdentifies bool   // likewise for a number in before
}

// jsonStrings returns the string literals of a JSON text. If the text is invalid, it returns those that can
// be recognized.
func jsonStrings(data []byte) iter.Seq[jsonString] {
	return func(yield func(jsonString) bool) {
		at := jsonPlace{root: 1}
		if first := bytes.TrimLeft(data, " \t\r\n"); len(first) > 0 && first[0] == '[' {
			at.root = 2 // a batch
		}
		for rest := data; len(rest) > 0; {
			start := bytes.IndexByte(rest, '"')
			if start < 0 {
				start = len(rest)
			}
			t := jsonString{before: rest[:start], numberIdentifies: at.identifies()}
			at.pass(t.before)
			end := start + stringEnd(rest[start:])
			t.literal, rest = rest[start:end], rest[end:]
			if t.isName = bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":")); t.isName {
				at.key = t.literal
			}
			t.identifies = at.identifies()
			if !yield(t) {
				return
			}
		}
	}
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
