// Package reading tells what the sentences of a definition say, word for word
// and without grammar: which senses meet in a sentence, and which are denied
// in it. What a meeting of senses means is left to rules.
//
// A word list alone cannot tell an attack from a text about one, and a list of
// attacks knows only their wordings. An order that subverts has to name what is
// taken, where it goes, who acts or who must not know, whatever words it
// chooses, so it is looked for by these.
package reading

import (
	"bytes"
	"iter"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Text is a text of a definition, and what is known of the definition.
type Text struct {
	Folded      []byte
	OfParameter bool // the text belongs to a parameter
	Definition
}

// Definition is asked about the definition that a text belongs to.
type Definition interface {
	FirstSentence(start int) bool     // the text says there what the definition is for
	Parameter(name string) bool       // the definition has a parameter of this name
	OtherTool(sentence []byte) string // a tool of others that a sentence names, or nothing
}

// Sentence is a sentence of a text, and where each sense is said in it first.
type Sentence struct {
	Start, End int
	has        [Senses]span
	denied     uint64 // the senses that are said and denied, a bit for each
	named      bool   // a word is spelled like the name of a tool
}

// span is a part of a text; one that ends at 0 is none.
type span struct{ start, end int32 }

// Says reports whether a sense is said and not denied.
func (s *Sentence) Says(v Sense) bool { return s.has[v].end > 0 }

// SaysOneOf reports whether one of the senses is said.
func (s *Sentence) SaysOneOf(vs []Sense) bool {
	for _, v := range vs {
		if s.Says(v) {
			return true
		}
	}
	return false
}

// Place returns where a sense is said, as offsets in the text. It can lie in the
// sentence ahead.
func (s *Sentence) Place(v Sense) (start, end int) {
	return int(s.has[v].start), int(s.has[v].end)
}

func (s *Sentence) denies(v Sense) bool { return s.denied&(1<<v) != 0 }

// set notes the place of a sense that was not said before.
func (s *Sentence) set(v Sense, start, end int) {
	if !s.Says(v) {
		s.has[v] = span{int32(start), int32(end)} // a message is far shorter than 2 GiB
	}
}

// The measures of a sentence, in bytes: what is shorter cannot say who does what
// to whom, and in what is longer words that are further apart do not meet.
const (
	shortest = 12
	longest  = 700
)

// Sentences reads a text sentence by sentence. One takes more memory than its text, and is
// valid until the next is read.
func Sentences(t Text) iter.Seq[*Sentence] {
	return func(yield func(*Sentence) bool) {
		s, ahead := new(Sentence), (*Sentence)(nil)
		for start := 0; start < len(t.Folded); {
			if t.Folded[start] == ' ' || t.Folded[start] == '\n' {
				start++
				continue
			}
			end := sentenceEnd(t.Folded, start)
			if end-start >= shortest {
				*s = Sentence{Start: start, End: end}
				s.read(&t)
				if ahead == nil {
					ahead = new(Sentence)
				} else {
					s.refer(ahead)
				}
				if !yield(s) {
					return
				}
				s, ahead = ahead, s
			}
			start = end + 1
		}
	}
}

// sentenceEnd returns where the sentence that begins at start ends: at a full
// stop, or ahead of a line that is an item of its own.
func sentenceEnd(t []byte, start int) int {
	for i := start; i < len(t); i++ {
		switch t[i] {
		case '\n':
			next := t[i+1 : min(len(t), i+60)]
			if len(next) > 0 && bytes.IndexByte([]byte("-*#<>|0123456789`"), next[0]) >= 0 || label.Match(next) {
				return i
			}
		case '"':
			if (t[start] == '"' || t[start] == '`') && nextMember(t, start, i) {
				return i - 1
			}
		case '.', '!', '?':
			if (i+1 == len(t) || t[i+1] == ' ' || t[i+1] == '\n') && !abbreviates(t, i) {
				return i
			}
		}
		if i-start >= longest && t[i] == ' ' {
			return i
		}
	}
	return len(t)
}

// label begins a line that documents a parameter or a part of a result, or is a
// member of a JSON object.
var label = lazyregexp.New(`^("[\w .-]+"|[\w.-]+)(\s\([^)\n]*\))?:`)

// nextMember reports that the quotation mark at i begins a further member of a JSON
// object. One inside of a sentence of prose is part of it; in an example that stands
// by itself the members say nothing of each other.
func nextMember(t []byte, start, i int) bool {
	ahead := bytes.TrimRight(t[max(start, i-2):i], " ")
	return (bytes.HasSuffix(ahead, []byte(",")) || bytes.HasSuffix(ahead, []byte("{"))) && member.Match(t[i:min(len(t), i+60)])
}

var member = lazyregexp.New(`^"[\w .-]+"\s?:`)

// abbreviates reports the last full stop of e.g. and i.e.
func abbreviates(t []byte, i int) bool {
	return t[i] == '.' && i >= 2 && t[i-2] == '.' && t[i-1] >= 'a' && t[i-1] <= 'z'
}

// read finds the senses of the sentence.
func (s *Sentence) read(t *Text) {
	f := t.Folded[:s.End]
	var d denial
	x := indexed()
	for i := s.Start; i < s.End; {
		if !wordByte(f[i]) {
			d.pause(f[i])
			i++
			continue
		}
		j := i
		for j < s.End && wordByte(f[j]) {
			j++
		}
		stop := j // without a closing quotation mark or a hyphen at a line's end
		for stop > i && (f[stop-1] == '\'' || f[stop-1] == '-') {
			stop--
		}
		h := x.whole[string(f[i:stop])]
		if !partOfAddress(f, i, j) {
			s.word(x, h, f, i, stop, &d)
		}
		s.name(t, i, j)
		d.word(f, i, j, h.negates)
		i = j
	}
	s.phrases(t, d.any)
	if t.FirstSentence(s.Start) {
		s.set(First, s.Start, s.Start+1)
	}
	if t.OfParameter && !s.Says(Parameter) {
		s.set(Described, s.Start, s.Start+1)
	}
	if c, m := s.has[Conversation], s.has[Meantime]; m.start <= c.start && c.end <= m.end {
		s.has[Conversation] = span{}
	}
	if st := s.has[Stealth]; st.end > 0 && goesWrong.Match(f[st.start:s.End]) {
		s.has[Stealth] = span{}
	}
}

// goesWrong is what happens without a word where something was done wrong: a manual says
// so, and nobody hides it.
var goesWrong = lazyregexp.New(`^(silently|quietly)\s+(return|fail|ignor|drop|skip|truncat|los|break|produc|fall|default|discard|corrupt)\w*\b`)

// partOfAddress reports a word of a path or an address, which says nothing.
func partOfAddress(t []byte, i, j int) bool {
	return i > 0 && (t[i-1] == '.' || t[i-1] == '@' || t[i-1] == '/') || j < len(t) && t[j] == '@'
}

// wordByte reports a byte of a word. A pipe is a word of a command.
func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '\'' || b == '|' || b >= 0x80
}

// word notes the senses of the phrases that begin with the word t[i:j].
func (s *Sentence) word(x *index, h head, t []byte, i, j int, d *denial) {
	for k := range h.entries {
		if end, ok := h.entries[k].stands(t, j); ok {
			s.note(t, h.entries[k].sense, i, end, d)
		}
	}
	if j-i < stemHead || !x.heads[headIndex(t[i:j])] {
		return
	}
	for n := stemHead; n <= min(j-i, longestStem); n++ {
		for _, v := range x.stems[string(t[i:i+n])] {
			s.note(t, v, i, j, d)
		}
	}
}

// note sets the place of a sense, or that it is denied, unless the words beside
// it give it another.
func (s *Sentence) note(t []byte, v Sense, start, end int, d *denial) {
	if beside(v, t, start, end) {
		return
	}
	if deniable&(1<<v) != 0 && d.covers(start) {
		s.denied |= 1 << v
		return
	}
	s.set(v, start, end)
}

// refer gives a sentence that has something done with "it" the senses of what
// the sentence ahead of it speaks of.
func (s *Sentence) refer(ahead *Sentence) {
	if !s.Says(Pronoun) || !s.Says(Hand) && !s.Says(Take) || s.SaysOneOf(things[:]) {
		return
	}
	for _, v := range aspects {
		if start, end := ahead.Place(v); ahead.Says(v) {
			s.set(v, start, end)
		}
	}
}
