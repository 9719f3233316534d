package conform

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// The limits on patterns.
const (
	maxPattern  = 1024     // bytes
	maxProgram  = 10_000   // instructions of a compiled pattern
	maxMatching = 32 << 20 // instructions times bytes matched by a check
)

// pattern is a regular expression, compiled on first use. Matching takes time linear in the length
// of the text and in the size of the program.
type pattern struct {
	source string
	re     *regexp.Regexp
	size   int // instructions
	tried  bool
}

// The characters that JavaScript's \s matches, and those that its dot does not match. Both sets are
// smaller in package regexp.
const (
	spaces   = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	lineEnds = `\n\r\x{2028}\x{2029}`
)

// translated returns a pattern in the syntax of package regexp. It reports false if the pattern has
// an element that means something else in JavaScript and has no equivalent.
func translated(source string) (string, bool) {
	var b strings.Builder
	class := false
	for i := 0; i < len(source); i++ {
		c, rest := source[i], source[i+1:]
		switch {
		case c == '\\' && rest != "":
			i++
			switch e := rest[0]; {
			case e == 's' && class:
				b.WriteString(spaces)
			case e == 's':
				b.WriteString(`[` + spaces + `]`)
			case e == 'S' && !class:
				b.WriteString(`[^` + spaces + `]`)
			case strings.IndexByte("SAzQECa", e) >= 0, e == 'x' && strings.HasPrefix(rest[1:], "{"):
				return "", false
			default:
				b.WriteByte(c)
				b.WriteByte(e)
			}
			continue
		case class && c == '[' && strings.HasPrefix(rest, ":"), // a named class in package regexp
			!class && c == '[' && strings.HasPrefix(strings.TrimPrefix(rest, "^"), "]"): // a class that contains ]
			return "", false
		case !class && c == '(' && strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:") && !strings.HasPrefix(rest, "?<"): // flags
			return "", false
		case !class && c == '.':
			b.WriteString(`[^` + lineEnds + `]`)
			continue
		case c == '[':
			class = true
		case c == ']':
			class = false
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

// compile reports whether a pattern can be used: it may contain JavaScript syntax that package
// regexp does not support.
func (p *pattern) compile() bool {
	if p.tried {
		return p.re != nil
	}
	p.tried = true
	if len(p.source) > maxPattern {
		return false
	}
	source, ok := translated(p.source)
	if !ok {
		return false
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return false
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return false
	}
	p.size = len(program.Inst)
	p.re, _ = regexp.Compile(source)
	return p.re != nil
}

// matches reports whether a text matches. It stops the check if the pattern cannot be used or would
// take too much work.
func (r *run) matches(p *pattern, text []byte) bool {
	if !p.compile() {
		return r.stop()
	}
	if r.matched += p.size * (len(text) + 1); r.matched > maxMatching {
		return r.stop()
	}
	return p.re.Match(text)
}
