package text

import (
	"math/bits"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Expr is a regular expression that is matched against many texts. It gives the same matches as package
// [regexp] in about a tenth of the time: automata find where a match begins and ends or, if the
// expression's repetition counts are too large for that, where a match can begin. It is safe for
// concurrent use and compiled on first use.
type Expr struct {
	re   *lazyregexp.Regexp
	tree *syntax.Regexp // set for a branch of another expression; its re is set only when needed

	wholeOnce sync.Once
	once      sync.Once
	forward   func() *automaton // nil if there are too many character classes
	exact     bool              // the automata match exactly what the expression does, not more
	heads     func() (head, inside *lazyregexp.Regexp)
	parts     []*Expr       // branches of an alternation that is not exact; each has few states on its own
	literals  *literalTable // every match of a branch with literals contains one of them
	always    uint64        // bit set of the branches without literals

	anyMatch, firstMatch, back, from lazyDFA // back is for the reversed expression
}

// lazyDFA is a dfa that is created on first use. The dfa may be nil.
type lazyDFA struct {
	once sync.Once
	dfa  *dfa
}

func (l *lazyDFA) get(create func() *dfa) *dfa {
	l.once.Do(func() { l.dfa = create() })
	return l.dfa
}

// LazyExpr returns the Expr with the given source, in the syntax of [regexp]. If the source is
// invalid, it panics as [lazyregexp.New] does.
func LazyExpr(expr string) *Expr { return &Expr{re: lazyregexp.New(expr)} }

// String returns the source of the expression.
func (e *Expr) String() string {
	if e.tree != nil {
		return e.tree.String()
	}
	return e.re.Source()
}

// whole returns the expression for package regexp.
func (e *Expr) whole() *lazyregexp.Regexp {
	e.wholeOnce.Do(func() {
		if e.re == nil {
			e.re = lazyregexp.New(e.String())
		}
	})
	return e.re
}

func (e *Expr) compile() {
	tree := e.parsed()
	if e.exact = !containsLarge(tree); !e.exact {
		e.split(cloned(tree))
		loosen(tree)
	}
	e.forward = sync.OnceValue(func() *automaton { return newAutomaton(tree) })
	e.heads = sync.OnceValues(func() (head, inside *lazyregexp.Regexp) {
		source := e.String()
		if strings.Contains(source, `\Q`) { // may extend to the end of the expression
			source = e.parsed().String()
		}
		return lazyregexp.New(`^(?:` + source + `)`), lazyregexp.New(`^(?s:.)(?:` + source + `)`)
	})
}

// parsed returns the expression's syntax tree, which the caller may change.
func (e *Expr) parsed() *syntax.Regexp {
	if e.tree != nil {
		return cloned(e.tree)
	}
	return parsed(e.re.Source())
}

// cloned returns a copy of a syntax tree. The copy shares the runes of the original: only reversed
// changes runes, and it copies them first.
func cloned(re *syntax.Regexp) *syntax.Regexp {
	to := *re
	to.Sub0 = [1]*syntax.Regexp{}
	to.Sub = make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		to.Sub[i] = cloned(sub)
	}
	return &to
}

// The limits on the literals that select branches of an alternation: a branch is tried only on a
// text that contains one of its literals.
const (
	leastLiteral = 2   // bytes
	mostLiterals = 256 // of a branch
	mostParts    = 64  // branches
)

// split finds the branches of an alternation, or none if the expression is not an alternation or has
// more than mostParts branches. An alternation's match is the leftmost match of any branch and, on a
// tie, the match of the first such branch.
func (e *Expr) split(re *syntax.Regexp) {
	var ahead []*syntax.Regexp // assertions
	for re.Op == syntax.OpCapture || re.Op == syntax.OpConcat && asserts(re.Sub[:len(re.Sub)-1]) {
		if re.Op == syntax.OpConcat {
			ahead = append(ahead, re.Sub[:len(re.Sub)-1]...)
		}
		re = re.Sub[len(re.Sub)-1]
	}
	if re.Op != syntax.OpAlternate || len(re.Sub) > mostParts {
		return
	}
	patterns := make([]Pattern, len(re.Sub))
	for i, sub := range re.Sub {
		d := deriver{least: leastLiteral, most: mostLiterals, any: true}
		if patterns[i].Anchors = d.required(sub); patterns[i].Anchors == nil {
			e.always |= 1 << i
		}
		e.parts = append(e.parts, &Expr{tree: &syntax.Regexp{Op: syntax.OpConcat, Sub: append(slices.Clone(ahead), sub)}})
	}
	e.literals = newLiteralTable(patterns, false)
}

// asserts reports whether the expressions are all zero-width assertions.
func asserts(res []*syntax.Regexp) bool {
	return !slices.ContainsFunc(res, func(re *syntax.Regexp) bool {
		return re.Op < syntax.OpBeginLine || re.Op > syntax.OpNoWordBoundary
	})
}

// hasAutomaton compiles the expression on first use, and reports whether its automata find matches.
func (e *Expr) hasAutomaton() bool {
	e.once.Do(e.compile)
	return e.parts == nil && e.forward() != nil
}

// filter returns the dfa that rules out texts without a match, or nil if it needs too many classes.
func (e *Expr) filter() *dfa {
	e.once.Do(e.compile)
	return e.anyMatch.get(func() *dfa {
		if a := e.forward(); a != nil {
			return newDFA(a, false, true)
		}
		return nil
	})
}

// ends returns the dfa that finds the end of the leftmost match.
func (e *Expr) ends() *dfa {
	return e.firstMatch.get(func() *dfa { return newDFA(e.forward(), true, true) })
}

// backward returns the dfa of the reversed expression, or nil if it needs too many classes.
func (e *Expr) backward() *dfa {
	return e.back.get(func() *dfa {
		re := e.parsed()
		loosen(re)
		if a := newAutomaton(reversed(re)); a != nil {
			return newDFA(a, false, !e.exact)
		}
		return nil
	})
}

// matchesFrom returns the dfa that finds the end of a match that begins at a given position, or nil
// if it needs too many classes. Unlike the other automata of the expression, it is always exact.
func (e *Expr) matchesFrom() *dfa {
	return e.from.get(func() *dfa {
		if a := newAutomaton(e.parsed()); a != nil {
			return newDFA(a, true, false)
		}
		return nil
	})
}

// Match reports whether t contains a match.
func (e *Expr) Match(t []byte) bool {
	has := e.hasAutomaton()
	if !has && e.parts == nil {
		return e.whole().Match(t)
	}
	if !has {
		for in := e.partsIn(t); in != 0; in &= in - 1 {
			if e.parts[bits.TrailingZeros64(in)].Match(t) {
				return true
			}
		}
		return false
	}
	return e.filter().mayMatch(t) && (e.exact || e.verify(t) != nil)
}

// FindIndex returns the start and end of the leftmost match in t, or nil.
func (e *Expr) FindIndex(t []byte) []int {
	if e.hasAutomaton() && !e.exact && !e.filter().mayMatch(t) {
		return nil
	}
	return e.locate(t)
}

// locate does the work of FindIndex for a text that the filter accepts.
func (e *Expr) locate(t []byte) []int {
	if !e.hasAutomaton() {
		return e.findInParts(t)
	}
	if !e.exact {
		return e.verify(t)
	}
	end := e.ends().last(t, 0)
	if end < 0 {
		return nil
	}
	start, back := end, e.backward()
	if back == nil {
		return e.whole().FindIndex(t)
	}
	back.back(t, end, func(at int) bool { start = at; return true })
	return []int{start, end}
}

// findInParts does the work of FindIndex for an expression without an automaton of its own.
func (e *Expr) findInParts(t []byte) (first []int) {
	if e.parts == nil {
		return e.whole().FindIndex(t)
	}
	for in := e.partsIn(t); in != 0; in &= in - 1 {
		if loc := e.parts[bits.TrailingZeros64(in)].FindIndex(t); loc != nil && (first == nil || loc[0] < first[0]) {
			first = loc
		}
	}
	return first
}

// partsIn returns a bit set of the branches that may match t.
func (e *Expr) partsIn(t []byte) uint64 {
	in := e.always
	e.literals.scan(t, func(part, _, _ int) { in |= 1 << part })
	return in
}

// FindSubmatchIndex returns the leftmost match in t and its groups, as package regexp does, or nil.
func (e *Expr) FindSubmatchIndex(t []byte) []int {
	at := e.FindIndex(t)
	if at == nil {
		return nil
	}
	if !e.hasAutomaton() {
		return e.whole().FindSubmatchIndex(t)
	}
	re, inside := e.heads()
	from := 0
	if at[0] > 0 {
		_, n := utf8.DecodeLastRune(t[:at[0]])
		re, from = inside, at[0]-n
	}
	loc := re.FindSubmatchIndex(t[from:])
	for i := range loc {
		if loc[i] >= 0 {
			loc[i] += from
		}
	}
	loc[0] = at[0]
	return loc
}

// maxStarts is the maximum number of possible match starts that are verified individually.
const maxStarts = 32

// verify finds the leftmost match of an expression whose automata are inexact: they match more than
// the expression does.
func (e *Expr) verify(t []byte) []int {
	back, from := e.backward(), e.matchesFrom()
	if back == nil || from == nil {
		return e.whole().FindIndex(t)
	}
	starts := make([]int, 0, maxStarts)
	back.back(t, len(t), func(at int) bool { starts = append(starts, at); return len(starts) <= maxStarts })
	if len(starts) > maxStarts {
		return e.whole().FindIndex(t) // one pass over the text costs no more than verifying so many starts
	}
	for _, at := range slices.Backward(starts) {
		if end := from.last(t, at); end >= 0 {
			return []int{at, end}
		}
	}
	return nil
}
