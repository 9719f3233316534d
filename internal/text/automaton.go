package text

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// automaton is a compiled expression over character classes: characters that no instruction
// distinguishes share a class. It is immutable and shared by all searches.
type automaton struct {
	insts   []inst
	begin   uint32               // the first instruction
	ascii   [utf8.RuneSelf]uint8 // class of an ASCII character
	starts  []rune               // first character of each non-ASCII range
	beyond  []uint8              // class of each range
	classes int                  // including one for the end of the text, which is the last
	after   []uint8              // by class: the context it forms for the next position
	accepts []row                // the sets of classes that instructions accept
}

// inst is a [syntax] instruction without its rune list, which accounts for most of its size.
type inst struct {
	out, arg uint32 // for an instruction that reads a character, arg is its index in accepts
	op       syntax.InstOp
}

// row is a set of character classes.
type row [4]uint64

func (r *row) add(i uint8)      { r[i/64] |= 1 << (i % 64) }
func (r *row) has(i uint8) bool { return r[i/64]>>(i%64)&1 != 0 }

// fullRow is the maximum number of classes; typical expressions have ten to sixty.
const fullRow = 250

// The context before a position, as needed to evaluate assertions.
const (
	afterOther = iota
	afterNothing
	afterLine
	afterWord
	kindsOfAfter
)

// after returns the context of the position after a character.
func after(r rune) uint8 {
	switch {
	case r == '\n':
		return afterLine
	case syntax.IsWordChar(r):
		return afterWord
	}
	return afterOther
}

// newAutomaton compiles an expression. It returns nil if the expression needs more classes than an
// automaton supports.
func newAutomaton(re *syntax.Regexp) *automaton {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		panic(err) // the expression has already been compiled elsewhere
	}
	a := &automaton{insts: make([]inst, len(prog.Inst)), begin: uint32(prog.Start)}
	for pc, i := range prog.Inst {
		a.insts[pc] = inst{i.Out, i.Arg, i.Op}
	}
	if !a.classify(prog) {
		return nil
	}
	return a
}

// parsed returns the syntax tree of a valid expression.
func parsed(expr string) *syntax.Regexp {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return re
}

// classify groups characters that no instruction distinguishes into classes. It returns false if
// there are too many.
func (a *automaton) classify(prog *syntax.Prog) bool {
	ranges, of := ranges(prog)
	a.starts = []rune{utf8.RuneSelf}
	for _, set := range ranges {
		for i := 0; i < len(set); i += 2 {
			a.starts = append(a.starts, max(set[i], utf8.RuneSelf), max(set[i+1]+1, utf8.RuneSelf))
		}
	}
	slices.Sort(a.starts)
	a.starts = slices.Compact(a.starts)
	class := make([]int, utf8.RuneSelf+len(a.starts)) // by symbol: an ASCII character or a non-ASCII range
	for s := range class {
		class[s] = int(after(a.symbol(s)))
	}
	a.classes = kindsOfAfter
	inside := make([][]bool, len(ranges))
	for k, set := range ranges {
		inside[k] = make([]bool, len(class))
		a.mark(inside[k], set)
		if a.split(class, inside[k]); a.classes > fullRow {
			return false
		}
	}
	a.after = make([]uint8, a.classes+1)
	a.accepts = make([]row, len(ranges))
	a.beyond = make([]uint8, len(a.starts))
	for s, c := range class {
		a.after[c] = after(a.symbol(s))
		for k := range a.accepts {
			if inside[k][s] {
				a.accepts[k].add(uint8(c))
			}
		}
		if s < utf8.RuneSelf {
			a.ascii[s] = uint8(c)
		} else {
			a.beyond[s-utf8.RuneSelf] = uint8(c)
		}
	}
	for pc, k := range of {
		if k >= 0 {
			a.insts[pc].arg = uint32(k)
		}
	}
	a.classes++
	return true
}

// symbol returns a representative character of a symbol.
func (a *automaton) symbol(s int) rune {
	if s < utf8.RuneSelf {
		return rune(s)
	}
	return a.starts[s-utf8.RuneSelf]
}

// ranges returns the distinct character sets that instructions read and, for each instruction, the
// index of its set, or -1 if it reads none.
func ranges(prog *syntax.Prog) (sets [][]rune, of []int) {
	known := map[string]int{}
	for pc := range prog.Inst {
		set := reads(&prog.Inst[pc])
		if set == nil {
			of = append(of, -1)
			continue
		}
		k, again := known[string(set)]
		if !again {
			k = len(sets)
			known[string(set)] = k
			sets = append(sets, set)
		}
		of = append(of, k)
	}
	return sets, of
}

// reads returns the characters that an instruction reads, as ranges given by their first and last
// characters.
func reads(inst *syntax.Inst) []rune {
	switch inst.Op {
	case syntax.InstRuneAny:
		return []rune{0, unicode.MaxRune}
	case syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case syntax.InstRune, syntax.InstRune1:
	default:
		return nil
	}
	if len(inst.Rune) != 1 {
		return inst.Rune
	}
	r := inst.Rune[0]
	set := []rune{r, r}
	if inst.Op == syntax.InstRune && syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			set = append(set, c, c)
		}
	}
	return set
}

// mark marks the symbols whose characters are in a set. Every range in set
// must begin and end where a symbol's range does.
func (a *automaton) mark(inside []bool, set []rune) {
	for i := 0; i < len(set); i += 2 {
		for r := set[i]; r < utf8.RuneSelf && r <= set[i+1]; r++ {
			inside[r] = true
		}
		k, _ := slices.BinarySearch(a.starts, set[i])
		for ; k < len(a.starts) && a.starts[k] <= set[i+1]; k++ {
			inside[utf8.RuneSelf+k] = true
		}
	}
}

// split divides each class that has symbols both inside and outside the set.
func (a *automaton) split(class []int, inside []bool) {
	out, to := make([]bool, len(class)+kindsOfAfter), make([]int, len(class)+kindsOfAfter)
	for s, c := range class {
		if !inside[s] {
			out[c] = true
		}
	}
	for s, c := range class {
		if !inside[s] || !out[c] {
			continue
		}
		if to[c] == 0 {
			to[c] = a.classes
			a.classes++
		}
		class[s] = to[c]
	}
}

// classOf returns the class of a non-ASCII character.
func (a *automaton) classOf(r rune) uint8 {
	k, found := slices.BinarySearch(a.starts, r)
	if !found {
		k--
	}
	return a.beyond[k]
}

// classAt returns the class and length of the character at the start of t.
func (a *automaton) classAt(t []byte) (class uint8, n int) {
	r, n := utf8.DecodeRune(t)
	if r < utf8.RuneSelf {
		return a.ascii[r], n
	}
	return a.classOf(r), n
}

// classBefore is like classAt for the character at the end of t.
func (a *automaton) classBefore(t []byte) (class uint8, n int) {
	r, n := utf8.DecodeLastRune(t)
	return a.classOf(r), n
}

// keptSize is the largest repetition, in instructions, that an automaton counts exactly. loosen
// makes a larger one unbounded, with at most about keptMin instructions required. Each count needs
// a state, and the states of several repetitions multiply.
const (
	keptMin  = 16
	keptSize = 64
)

// loosen replaces counted repetitions that are too large with unbounded ones and reports whether
// there were any; the expression then matches more.
func loosen(re *syntax.Regexp) (loose bool) {
	for _, sub := range re.Sub {
		loose = loosen(sub) || loose
	}
	if re.Op == syntax.OpRepeat && max(re.Min, re.Max)*size(re.Sub[0]) > keptSize {
		re.Min, re.Max = min(re.Min, max(1, keptMin/size(re.Sub[0]))), -1
		loose = true
	}
	return loose
}

// size returns the approximate number of instructions in an expression.
func size(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += size(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(1, re.Min, re.Max)
	}
	return n
}

// reversed rewrites an expression in place to match the same strings reversed.
func reversed(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpLiteral:
		re.Rune = slices.Clone(re.Rune)
		slices.Reverse(re.Rune)
	case syntax.OpConcat:
		slices.Reverse(re.Sub)
	case syntax.OpBeginLine:
		re.Op = syntax.OpEndLine
	case syntax.OpEndLine:
		re.Op = syntax.OpBeginLine
	case syntax.OpBeginText:
		re.Op = syntax.OpEndText
	case syntax.OpEndText:
		re.Op = syntax.OpBeginText
	}
	for _, sub := range re.Sub {
		reversed(sub)
	}
	return re
}
