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
	classes int                  // including two that no character has: textEnd and lastStart
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

// textEnd returns the class that stands for the end of the text.
func (a *automaton) textEnd() uint8 { return uint8(a.classes - 2) }

// lastStart returns the class that stands for the last position at which a match may begin. A
// transition on it reads no character.
func (a *automaton) lastStart() uint8 { return uint8(a.classes - 1) }

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

// contextAfter returns the context of the position after t.
func contextAfter(t []byte) uint8 {
	if len(t) == 0 {
		return afterNothing
	}
	r, _ := utf8.DecodeLastRune(t)
	return after(r)
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
	symbols := utf8.RuneSelf + len(a.starts) // ASCII characters and non-ASCII ranges
	words := (symbols + 63) / 64
	classes := make(symbolSets, kindsOfAfter*words, 16*words)
	for s := range symbols {
		classes.at(int(after(a.symbol(s))), words).add(s, s+1)
	}
	inside := make(symbolSets, len(ranges)*words)
	for k, set := range ranges {
		a.mark(inside.at(k, words), set)
		if classes = classes.split(inside.at(k, words)); len(classes) > fullRow*words {
			return false
		}
	}
	a.classes = len(classes) / words
	a.after = make([]uint8, a.classes+1) // one more for textEnd
	a.accepts = make([]row, len(ranges))
	a.beyond = make([]uint8, len(a.starts))
	for c := range a.classes {
		class := classes.at(c, words)
		for k := range a.accepts {
			if class.meets(inside.at(k, words)) {
				a.accepts[k].add(uint8(c))
			}
		}
		for s := range class.all() {
			a.after[c] = after(a.symbol(s))
			if s < utf8.RuneSelf {
				a.ascii[s] = uint8(c)
			} else {
				a.beyond[s-utf8.RuneSelf] = uint8(c)
			}
		}
	}
	for pc, k := range of {
		if k >= 0 {
			a.insts[pc].arg = uint32(k)
		}
	}
	a.classes += 2
	return true
}

// symbol returns the first character of symbol s, to represent all its characters.
func (a *automaton) symbol(s int) rune {
	if s < utf8.RuneSelf {
		return rune(s)
	}
	return a.starts[s-utf8.RuneSelf]
}

// ranges returns the distinct character sets that instructions read, as ranges given by their first
// and last characters, and, for each instruction, the index of its set, or -1 if it reads none.
func ranges(prog *syntax.Prog) (sets [][]rune, of []int) {
	of = make([]int, len(prog.Inst))
	known := map[string]int{}
	var key []byte
	for pc := range prog.Inst {
		inst := &prog.Inst[pc]
		if key = setKey(key[:0], inst); len(key) == 0 {
			of[pc] = -1
			continue
		}
		k, again := known[string(key)]
		if !again {
			k = len(sets)
			known[string(key)] = k
			sets = append(sets, reads(inst))
		}
		of[pc] = k
	}
	return sets, of
}

// setKey appends a key for the set of characters that an instruction reads, or nothing if it reads
// none.
func setKey(key []byte, inst *syntax.Inst) []byte {
	switch inst.Op {
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return append(key, 0xff, byte(inst.Op))
	case syntax.InstRune, syntax.InstRune1:
		for _, r := range inst.Rune {
			key = utf8.AppendRune(key, r)
		}
		if anyCase(inst) {
			key = append(key, 0xff)
		}
	}
	return key
}

// anyCase reports whether an instruction that reads one character reads it in every case.
func anyCase(inst *syntax.Inst) bool {
	return inst.Op == syntax.InstRune && len(inst.Rune) == 1 && syntax.Flags(inst.Arg)&syntax.FoldCase != 0
}

// reads returns the characters that an instruction reads, as ranges.
func reads(inst *syntax.Inst) []rune {
	switch {
	case inst.Op == syntax.InstRuneAny:
		return []rune{0, unicode.MaxRune}
	case inst.Op == syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case len(inst.Rune) != 1:
		return inst.Rune
	}
	r := inst.Rune[0]
	set := []rune{r, r}
	if anyCase(inst) {
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			set = append(set, c, c)
		}
	}
	return set
}

// mark adds the symbols whose characters are in a set to the symbol set inside. Every range in set
// must begin and end where a symbol's range does.
func (a *automaton) mark(inside symbolSet, set []rune) {
	for i := 0; i < len(set); i += 2 {
		inside.add(int(min(set[i], utf8.RuneSelf)), int(min(set[i+1]+1, utf8.RuneSelf)))
		if set[i+1] < utf8.RuneSelf {
			continue
		}
		from, _ := slices.BinarySearch(a.starts, set[i])
		to, _ := slices.BinarySearch(a.starts, set[i+1]+1)
		inside.add(utf8.RuneSelf+from, utf8.RuneSelf+to)
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

// classBefore is like classAt for the character at the end of t, which must not be ASCII.
func (a *automaton) classBefore(t []byte) (class uint8, n int) {
	r, n := utf8.DecodeLastRune(t)
	return a.classOf(r), n
}

// keptSize is the size, in instructions, of the largest counted repetition that an automaton counts
// exactly. loosen removes the maximum of a larger one, and lowers its minimum to about keptMin
// instructions. Each count needs a state, and the states of several repetitions multiply.
const (
	keptMin  = 16
	keptSize = 64
)

// loosen replaces counted repetitions that are too large with unbounded ones, so the expression
// matches at least what it matched before.
func loosen(re *syntax.Regexp) {
	for _, sub := range re.Sub {
		loosen(sub)
	}
	if isLarge(re) {
		re.Min, re.Max = min(re.Min, max(1, keptMin/size(re.Sub[0]))), -1
	}
}

// isLarge reports whether an expression is a counted repetition that is too large.
func isLarge(re *syntax.Regexp) bool {
	return re.Op == syntax.OpRepeat && max(re.Min, re.Max)*size(re.Sub[0]) > keptSize
}

// containsLarge reports whether loosen would change an expression.
func containsLarge(re *syntax.Regexp) bool {
	return isLarge(re) || slices.ContainsFunc(re.Sub, containsLarge)
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
