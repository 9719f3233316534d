package text

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// automaton is a compiled expression with the characters in classes: those that no
// instruction tells apart are one. It is immutable, and shared by all searches.
type automaton struct {
	insts   []inst
	begin   uint32               // the first instruction
	ascii   [utf8.RuneSelf]uint8 // class of an ASCII character
	starts  []rune               // where the ranges of other characters begin
	beyond  []uint8              // class of each range
	classes int                  // with one for the end of the text, which is the last
	after   []uint8              // by class: what it is to the place behind it
	accepts []row                // the sets of classes that instructions read
}

// inst is an instruction of package [syntax] without the characters that it reads, which are
// most of its size.
type inst struct {
	out, arg uint32 // arg of a reading instruction is its place in accepts
	op       syntax.InstOp
}

// row is a set of classes.
type row [4]uint64

func (r *row) add(i uint8)      { r[i/64] |= 1 << (i % 64) }
func (r *row) has(i uint8) bool { return r[i/64]>>(i%64)&1 != 0 }

// fullRow is how many classes there may be; expressions have ten to sixty.
const fullRow = 250

// The text before a place, as assertions ask for it.
const (
	afterOther = iota
	afterNothing
	afterLine
	afterWord
	kindsOfAfter
)

// after returns what a character is to the place behind it.
func after(r rune) uint8 {
	switch {
	case r == '\n':
		return afterLine
	case syntax.IsWordChar(r):
		return afterWord
	}
	return afterOther
}

// newAutomaton compiles an expression; nil where it tells more characters apart than an
// automaton has classes.
func newAutomaton(re *syntax.Regexp) *automaton {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		panic(err) // the expression compiled elsewhere
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

// parsed returns the syntax of an expression that has been compiled.
func parsed(expr string) *syntax.Regexp {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return re
}

// classify puts characters that no instruction tells apart into one class.
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
	class := make([]int, utf8.RuneSelf+len(a.starts)) // by symbol: an ASCII character, or a range of others
	for s := range class {
		class[s] = int(after(a.symbol(s)))
	}
	a.classes = kindsOfAfter
	inside := make([][]bool, len(ranges))
	for k, set := range ranges {
		inside[k] = make([]bool, len(class))
		for s := range class {
			inside[k][s] = contains(set, a.symbol(s))
		}
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

// symbol returns a character that stands for a symbol.
func (a *automaton) symbol(s int) rune {
	if s < utf8.RuneSelf {
		return rune(s)
	}
	return a.starts[s-utf8.RuneSelf]
}

// ranges returns the different sets of characters that instructions read, and by
// instruction which one it reads, -1 for none.
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

// reads returns the characters that an instruction reads, as pairs of the first and the last.
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

func contains(set []rune, r rune) bool {
	for i := 0; i < len(set); i += 2 {
		if set[i] <= r && r <= set[i+1] {
			return true
		}
	}
	return false
}

// split makes two of each class of which some symbols only are inside.
func (a *automaton) split(class []int, inside []bool) {
	out, to := map[int]bool{}, map[int]int{}
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

// classOf returns the class of a character beyond ASCII.
func (a *automaton) classOf(r rune) uint8 {
	k, found := slices.BinarySearch(a.starts, r)
	if !found {
		k--
	}
	return a.beyond[k]
}

// classAt returns the class of the character at the beginning of t, and its length.
func (a *automaton) classAt(t []byte) (class uint8, n int) {
	r, n := utf8.DecodeRune(t)
	if r < utf8.RuneSelf {
		return a.ascii[r], n
	}
	return a.classOf(r), n
}

// classBefore is classAt for the end of t.
func (a *automaton) classBefore(t []byte) (class uint8, n int) {
	r, n := utf8.DecodeLastRune(t)
	return a.classOf(r), n
}

// keptMin bounds how many copies of a repeated part a loosened expression tells apart, and
// keptSize how much of a repetition an automaton counts exactly: it has a state for each
// count, and those of several repetitions multiply.
const (
	keptMin  = 16
	keptSize = 64
)

// loosen makes unbounded repetitions of counted ones that are too large, and reports
// whether there was one: the expression matches more then.
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

// loosened returns the automaton of an expression that may match more than it; nil where
// it would have too many classes.
func loosened(expr string) *automaton {
	re := parsed(expr)
	loosen(re)
	return newAutomaton(re)
}

// size returns about how many instructions an expression has.
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

// reversed turns an expression into the one that matches the same texts from their end.
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
