package text

import (
	"sync"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Expr is a regular expression that is asked of many texts and seldom matches:
// a filter goes ahead of it. It may be shared by goroutines, and is compiled when
// it is first asked.
type Expr struct {
	re      *lazyregexp.Regexp
	filters sync.Pool
}

// LazyExpr returns the expression, in the syntax of [regexp]. See [lazyregexp.New].
func LazyExpr(expr string) *Expr {
	automaton := sync.OnceValue(func() *automaton { return newAutomaton(expr) })
	return &Expr{
		re:      lazyregexp.New(expr),
		filters: sync.Pool{New: func() any { return newFilter(automaton()) }},
	}
}

// FindIndex returns where the leftmost match in t begins and ends, or nil.
func (e *Expr) FindIndex(t []byte) []int {
	if !e.mayMatch(t) {
		return nil
	}
	return e.re.FindIndex(t)
}

// Match reports whether there is a match in t.
func (e *Expr) Match(t []byte) bool { return e.mayMatch(t) && e.re.Match(t) }

func (e *Expr) mayMatch(t []byte) bool {
	f := e.filters.Get().(*filter)
	defer e.filters.Put(f)
	return f.mayMatch(t)
}
