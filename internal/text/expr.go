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

// Expr is a regular expression that is matched against many texts. It gives the same matches as
// package [regexp] in a tenth of the time: automata find where a match begins and ends or, if the
// expression counts too far for that, where a match can begin. It is safe for concurrent use and
// compiled on first use.
type Expr struct {
	source string
	tree   *syntax.Regexp // instead of the source, of a branch of another expression
	re     *lazyregexp.Regexp

	wholeOnce sync.Once
	once      sync.Once
	forward   *automaton // nil if there are too many character classes
	exact     bool       // the automata match exactly what the expression does, not more
	heads     func() (head, inside *lazyregexp.Regexp)
	parts     []*Expr       // branches of an alternation that is not exact; each has few states by itself
	literals  *literalTable // every match of a branch contains one of its literals
	always    uint64        // bit set of the branches without literals

	backOnce sync.Once
	backward *automaton // of the reversed expression; nil if there are too many character classes

	mu   sync.Mutex
	free []*search // idle searches, which keep their states
}

// search is the per-goroutine state for matching an expression.
type search struct {
	any, ordered, back *dfa
	starts             []int
}

// LazyExpr returns the expression, in the syntax of [regexp]. See [lazyregexp.New].
func LazyExpr(expr string) *Expr { return &Expr{source: expr, re: lazyregexp.New(expr)} }

// String returns the source of the expression.
func (e *Expr) String() string {
	if e.tree != nil {
		return e.tree.String()
	}
	return e.source
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
	forward := e.parsed()
	if e.exact = !loosen(forward); !e.exact {
		if e.split(e.parsed()); e.parts != nil {
			return
		}
	}
	e.forward = newAutomaton(forward)
	e.heads = sync.OnceValues(func() (head, inside *lazyregexp.Regexp) {
		source := e.String()
		if strings.Contains(source, `\Q`) { // may extend to the end of the expression
			source = e.parsed().String()
		}
		return lazyregexp.New(`^(?:` + source + `)`), lazyregexp.New(`^(?s:.)(?:` + source + `)`)
	})
}

// parsed returns a syntax tree of the expression that the caller may change.
func (e *Expr) parsed() *syntax.Regexp {
	if e.tree != nil {
		return cloned(e.tree)
	}
	return parsed(e.source)
}

// cloned returns a copy of a syntax tree; only reversed changes runes, and it copies them.
func cloned(re *syntax.Regexp) *syntax.Regexp {
	to := *re
	to.Sub0 = [1]*syntax.Regexp{}
	to.Sub = make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		to.Sub[i] = cloned(sub)
	}
	return &to
}

// The limits of the literals by which a branch of an alternation is selected: a branch is tried
// only on a text that contains one of its literals.
const (
	leastLiteral = 2
	mostLiterals = 256
	mostParts    = 64
)

// split finds the branches of an alternation, or none if the expression is not one: its leftmost
// match is that of its branches, and on a tie that of the first branch.
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

// take returns a search, or nil if the expression has no automaton.
func (e *Expr) take() *search {
	e.once.Do(e.compile)
	if e.forward == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.free); n > 0 {
		s := e.free[n-1]
		e.free = e.free[:n-1]
		return s
	}
	return &search{}
}

func (e *Expr) put(s *search) {
	e.mu.Lock()
	e.free = append(e.free, s)
	e.mu.Unlock()
}

// anyOf, orderedOf and backOf return the automata of a search, creating them on first use.
func (s *search) anyOf(e *Expr) *dfa {
	if s.any == nil {
		s.any = newDFA(e.forward, false, true)
	}
	return s.any
}

func (s *search) orderedOf(e *Expr) *dfa {
	if s.ordered == nil {
		s.ordered = newDFA(e.forward, true, true)
	}
	return s.ordered
}

// backOf may return nil.
func (s *search) backOf(e *Expr) *dfa {
	e.backOnce.Do(func() {
		re := e.parsed()
		loosen(re)
		e.backward = newAutomaton(reversed(re))
	})
	if s.back == nil && e.backward != nil {
		s.back = newDFA(e.backward, false, !e.exact)
	}
	return s.back
}

// Match reports whether t contains a match.
func (e *Expr) Match(t []byte) bool {
	s := e.take()
	if s == nil && e.parts == nil {
		return e.whole().Match(t)
	}
	if s == nil {
		for in := e.partsIn(t); in != 0; in &= in - 1 {
			if e.parts[bits.TrailingZeros64(in)].Match(t) {
				return true
			}
		}
		return false
	}
	defer e.put(s)
	may := s.anyOf(e).mayMatch(t)
	return may && (e.exact || e.verify(s, t) != nil)
}

// FindIndex returns the start and end of the leftmost match in t, or nil.
func (e *Expr) FindIndex(t []byte) []int {
	s := e.take()
	if s == nil {
		return e.without(t)
	}
	defer e.put(s)
	if !e.exact {
		if !s.anyOf(e).mayMatch(t) {
			return nil
		}
		return e.verify(s, t)
	}
	end := s.orderedOf(e).last(t)
	if end < 0 {
		return nil
	}
	start, back := end, s.backOf(e)
	if back == nil {
		return e.whole().FindIndex(t)
	}
	back.back(t, end, func(at int) bool { start = at; return true })
	return []int{start, end}
}

// without is FindIndex for an expression without an automaton of its own.
func (e *Expr) without(t []byte) (first []int) {
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
	if e.parts != nil || e.heads == nil {
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

// verify finds the leftmost match of an expression whose automata match more than it does.
func (e *Expr) verify(s *search, t []byte) []int {
	s.starts = s.starts[:0]
	back := s.backOf(e)
	if back == nil {
		return e.whole().FindIndex(t)
	}
	back.back(t, len(t), func(at int) bool { s.starts = append(s.starts, at); return true })
	if len(s.starts) > maxStarts {
		return e.whole().FindIndex(t) // one pass over the text costs as much as verifying each of them
	}
	head, inside := e.heads()
	for _, at := range slices.Backward(s.starts) {
		if at == 0 {
			if loc := head.FindIndex(t); loc != nil {
				return loc
			}
			continue
		}
		_, n := utf8.DecodeLastRune(t[:at])
		if loc := inside.FindIndex(t[at-n:]); loc != nil {
			return []int{at, at - n + loc[1]}
		}
	}
	return nil
}
