package conform

import (
	"regexp"
	"regexp/syntax"
)

// The bounds of patterns.
const (
	maxPattern  = 1024     // bytes
	maxProgram  = 10_000   // instructions of the program that a pattern is compiled to
	maxMatching = 32 << 20 // instructions for all bytes that one check matches
)

// pattern is a regular expression that is compiled when it is first needed. Matching is
// linear, in the text and in the program.
type pattern struct {
	source string
	re     *regexp.Regexp
	size   int // instructions
	tried  bool
}

// compile reports whether a pattern can be used: many are in a dialect of JavaScript
// that this one does not know.
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

// matches reports whether a text matches, as long as the check has work left for it.
func (r *run) matches(p *pattern, text []byte) bool {
	if !p.compile() {
		return r.stop()
	}
	if r.matched += p.size * (len(text) + 1); r.matched > maxMatching {
		return r.stop()
	}
	return p.re.Match(text)
}
