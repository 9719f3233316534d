package conform

import (
	"regexp"
	"regexp/syntax"
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

// compile reports whether a pattern can be used: many use JavaScript syntax that package regexp
// does not support.
func (p *pattern) compile() bool {
	if p.tried {
		return p.re != nil
	}
	p.tried = true
	if len(p.source) > maxPattern {
		return false
	}
	tree, err := syntax.Parse(p.source, syntax.Perl)
	if err != nil {
		return false
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return false
	}
	p.size = len(program.Inst)
	p.re, _ = regexp.Compile(p.source)
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
