package text

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A filter says quickly that an expression does not match a text. It may say
// yes where the expression does not match, and never no where it does: counted
// repetitions are read as unbounded ones, and characters beyond ASCII are reported
// apart by six of their bits. What it says yes to is left to the expression.
//
// It is a deterministic automaton whose states are made when they are met. An
// expression costs some fifty nanoseconds for each byte of a window, and nearly
// all windows around an anchor hold no match.
type filter struct {
	*automaton
	ids    map[string]int32
	states []filterState
	next   []int32 // state*classes+class -> state, unknown or matched
	set    []uint32
	seen   []uint64 // by instruction: the step that came to it last
	step   uint64
	stack  []uint32
}

// filterState is a set of instructions, and the text before the place.
type filterState struct {
	at     []uint32
	before uint8
}

const (
	unknown = 0
	matched = -1

	// maxStates bounds the memory of a filter. Where more are met, all are
	// forgotten: the work for a byte is bounded by the expression either way.
	maxStates = 256
)

// The text before a place, as assertions ask for it.
const (
	afterOther = iota
	afterNothing
	afterLine
	afterWord
	kindsOfAfter
)

// automaton is the part of a filter that all goroutines share.
type automaton struct {
	prog    *syntax.Prog
	class   [symbols]uint8
	classes int     // with one for the end of the text, which is the last
	after   []uint8 // by class
	accepts []row   // by instruction: the classes that it reads
}

// Symbols are the ASCII characters, and 64 for all others.
const (
	beyond  = utf8.RuneSelf
	symbols = beyond + 64
)

// newAutomaton prepares the filters of an expression that has been compiled.
func newAutomaton(expr string) *automaton {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err) // it compiled as an expression
	}
	prog, err := syntax.Compile(unbounded(re).Simplify())
	if err != nil {
		panic(err)
	}
	a := &automaton{prog: prog}
	a.classify()
	return a
}

// keptMin bounds how many copies of a repeated part a filter tells apart.
const keptMin = 16

// unbounded makes unbounded repetitions of counted ones.
func unbounded(re *syntax.Regexp) *syntax.Regexp {
	if re.Op == syntax.OpRepeat && (re.Max > re.Min+1 || re.Min > keptMin) {
		re.Min, re.Max = min(re.Min, keptMin), -1
	}
	for i, sub := range re.Sub {
		re.Sub[i] = unbounded(sub)
	}
	return re
}

// classify puts symbols that no instruction tells apart into one class.
func (a *automaton) classify() {
	rows := make([]row, len(a.prog.Inst))
	for s := range symbols {
		a.class[s] = after(s)
	}
	a.classes = kindsOfAfter
	split := map[row]bool{{}: true}
	for pc := range a.prog.Inst {
		rows[pc] = reads(&a.prog.Inst[pc])
		if !split[rows[pc]] {
			split[rows[pc]] = true
			a.split(&rows[pc])
		}
	}
	a.after = make([]uint8, a.classes+1)
	a.accepts = make([]row, len(rows))
	for s, c := range a.class {
		a.after[c] = after(s)
		for pc := range rows {
			if rows[pc].has(s) {
				a.accepts[pc].add(int(c))
			}
		}
	}
	a.classes++
}

// split makes two of each class of which the row has some symbols only.
func (a *automaton) split(r *row) {
	var inside [symbols + 1]uint8 // by class: the one for its symbols in the row, where there are others
	var out [symbols + 1]bool
	for s, c := range a.class {
		out[c] = out[c] || !r.has(s)
	}
	for s, c := range a.class {
		if !out[c] || !r.has(s) {
			continue
		}
		if inside[c] == 0 {
			inside[c] = uint8(a.classes)
			a.classes++
		}
		a.class[s] = inside[c]
	}
}

// row is a set of symbols or classes.
type row [symbols/64 + 1]uint64

func (r *row) add(i int)      { r[i/64] |= 1 << (i % 64) }
func (r *row) has(i int) bool { return r[i/64]>>(i%64)&1 != 0 }

// after returns what a symbol is to the place behind it.
func after(symbol int) uint8 {
	switch {
	case symbol == '\n':
		return afterLine
	case symbol < beyond && syntax.IsWordChar(rune(symbol)):
		return afterWord
	}
	return afterOther
}

// reads returns the symbols that stand for a character which the instruction reads.
func reads(inst *syntax.Inst) (r row) {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
	default:
		return r
	}
	ranges, folded := inst.Rune, len(inst.Rune) == 1 && syntax.Flags(inst.Arg)&syntax.FoldCase != 0
	if len(ranges) == 1 {
		ranges = []rune{ranges[0], ranges[0]}
	}
	for i := 0; i < len(ranges); i += 2 {
		low, high := ranges[i], ranges[i+1]
		for s := low; s <= min(high, beyond-1); s++ {
			r.add(int(s))
		}
		low = max(low, beyond)
		for c := low; c <= min(high, low+63); c++ {
			r.add(symbolOf(c))
		}
	}
	if folded {
		for c := unicode.SimpleFold(ranges[0]); c != ranges[0]; c = unicode.SimpleFold(c) {
			r.add(symbolOf(c))
		}
	}
	return r
}

// symbolOf returns the symbol that stands for a character.
func symbolOf(r rune) int {
	if r < beyond {
		return int(r)
	}
	return beyond + int(r)&63
}

func newFilter(a *automaton) *filter {
	f := &filter{automaton: a, seen: make([]uint64, len(a.prog.Inst))}
	f.reset()
	return f
}

// reset forgets all states. The first is none, because its place means unknown;
// the second is at the beginning of a text.
func (f *filter) reset() {
	f.ids = map[string]int32{}
	f.states, f.next = append(f.states[:0], filterState{}), append(f.next[:0], make([]int32, f.classes)...)
	f.intern(nil, afterNothing)
}

// intern returns the place in next of the state with this set of instructions.
func (f *filter) intern(at []uint32, before uint8) int32 {
	key := make([]byte, 0, 64)
	key = append(key, before)
	for _, pc := range at {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	if id, ok := f.ids[string(key)]; ok {
		return id
	}
	id := int32(len(f.next))
	f.ids[string(key)] = id
	f.states = append(f.states, filterState{slices.Clone(at), before})
	f.next = append(f.next, make([]int32, f.classes)...)
	return id
}

// mayMatch reports false only where the expression does not match t.
func (f *filter) mayMatch(t []byte) bool {
	_, ok := f.search(t)
	return ok
}

// search returns where in t the expression may have matched first: no match ends
// ahead of it.
func (f *filter) search(t []byte) (end int, ok bool) {
	state, end := f.run(f.start(), t)
	return end, state == matched || f.ends(state)
}

// start returns the state at the beginning of a text.
func (f *filter) start() int32 { return int32(f.classes) }

// run returns the state behind t, or matched as soon as the expression may
// match, and how far it has read. A state is good until the next call.
func (f *filter) run(state int32, t []byte) (to int32, read int) {
	for i := 0; i < len(t); {
		symbol, n := int(t[i]), 1
		if symbol >= beyond {
			r, size := utf8.DecodeRune(t[i:])
			symbol, n = symbolOf(r), size
		}
		i += n
		c := f.class[symbol]
		to = f.next[state+int32(c)]
		if to == unknown {
			to = f.follow(state, c)
		}
		if to == matched {
			return matched, i - n // a match is noticed at the text after it
		}
		state = to
	}
	return state, len(t)
}

// ends reports whether the expression may match a text that ends in this state.
func (f *filter) ends(state int32) bool {
	end := f.classes - 1
	to := &f.next[int(state)+end]
	if *to == unknown {
		*to = f.start() // anything but the other two
		if f.reach(state, uint8(end)) {
			*to = matched
		}
	}
	return *to == matched
}

// follow makes the state behind another that reads a class, or matched.
func (f *filter) follow(state int32, c uint8) int32 {
	to := int32(matched)
	if !f.reach(state, c) {
		slices.Sort(f.set)
		f.set = slices.Compact(f.set)
		if len(f.states) >= maxStates {
			f.reset()
			return f.intern(f.set, f.after[c])
		}
		to = f.intern(f.set, f.after[c])
	}
	f.next[state+int32(c)] = to
	return to
}

// reach puts into the set the text after a state that reads a class. It
// returns true where there is a match.
func (f *filter) reach(state int32, c uint8) bool {
	from := f.states[int(state)/f.classes]
	f.set, f.stack = f.set[:0], append(f.stack[:0], uint32(f.prog.Start))
	f.stack = append(f.stack, from.at...)
	f.step++
	flags := f.assertions(from.before, c)
	for len(f.stack) > 0 {
		pc := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		if f.seen[pc] == f.step {
			continue
		}
		f.seen[pc] = f.step
		switch inst := &f.prog.Inst[pc]; inst.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			f.stack = append(f.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			f.stack = append(f.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^flags == 0 {
				f.stack = append(f.stack, inst.Out)
			}
		case syntax.InstFail:
		default:
			if f.accepts[pc].has(int(c)) {
				f.set = append(f.set, inst.Out)
			}
		}
	}
	return false
}

// assertions returns what holds between the text before a place and the
// class that follows it.
func (f *filter) assertions(before, c uint8) syntax.EmptyOp {
	var flags syntax.EmptyOp
	end := int(c) == f.classes-1
	switch before {
	case afterNothing:
		flags |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	case afterLine:
		flags |= syntax.EmptyBeginLine
	}
	switch {
	case end:
		flags |= syntax.EmptyEndText | syntax.EmptyEndLine
	case f.after[c] == afterLine:
		flags |= syntax.EmptyEndLine
	}
	if (before == afterWord) != (f.after[c] == afterWord) {
		return flags | syntax.EmptyWordBoundary
	}
	return flags | syntax.EmptyNoWordBoundary
}
