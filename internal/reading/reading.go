// Package reading determines, from words and without grammar, which senses occur in a definition's
// sentences, and which of them are negated. Rules decide what a combination of senses means.
//
// A word list alone cannot distinguish an attack from a text about attacks, and a list of attacks
// covers only known phrasings. But whatever its wording, a malicious instruction must say what is taken,
// where it goes, who acts, or who must not know, so the package searches for these elements.
package reading

import (
	"bytes"
	"iter"
	"slices"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Text is a string of a definition, with its context.
type Text struct {
	Folded      []byte
	OfParameter bool // the string is in the schema of a parameter
	Definition
}

// Definition provides information about the definition that a Text belongs to.
type Definition interface {
	FirstSentence(start int) bool     // whether the sentence at start states the definition's purpose
	Parameter(name string) bool       // whether the definition has a parameter with this name
	OtherTool(sentence []byte) string // another server's tool that the sentence names, or ""
}

// Sentence is a sentence of a Text, with the first occurrence of each sense.
type Sentence struct {
	Start, End  int
	has         [Senses]span
	denied      uint64 // bit set of the negated senses
	named       bool   // the sentence contains a word spelled like a tool name
	ofParameter bool   // the sentence is in the schema of a parameter
}

// span is a part of a text; if end is 0, there is none.
type span struct{ start, end int32 }

// Says reports whether a sense occurs and is not negated.
func (s *Sentence) Says(v Sense) bool { return s.has[v].end > 0 }

// SaysOneOf reports whether any of the senses occurs and is not negated.
func (s *Sentence) SaysOneOf(vs []Sense) bool {
	return slices.ContainsFunc(vs, s.Says)
}

// Place returns the position of a sense, as offsets in the text. It may be in the preceding
// sentence.
func (s *Sentence) Place(v Sense) (start, end int) {
	return int(s.has[v].start), int(s.has[v].end)
}

func (s *Sentence) denies(v Sense) bool { return s.denied&(1<<v) != 0 }

// set remembers the position of a sense, unless it has occurred before.
func (s *Sentence) set(v Sense, start, end int) {
	if !s.Says(v) {
		s.has[v] = span{int32(start), int32(end)} // safe, because a message is far shorter than 2 GiB
	}
}

// The length limits of a sentence, in bytes: a shorter one cannot be an instruction, and in a
// longer one, distant words are unrelated.
const (
	shortest = 12
	longest  = 700
)

// Sentences yields the sentences of a text. A Sentence is large, so it is reused and only valid
// until the next one is read.
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
				*s = Sentence{Start: start, End: end, ofParameter: t.OfParameter}
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

// sentenceEnd returns the end of the sentence that begins at start. A sentence ends at a full stop,
// an exclamation mark or a question mark, before a line or a JSON member that is a separate item,
// or after longest bytes.
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

// label matches the beginning of a line that documents a parameter or part of a result, or that is a
// member of a JSON object.
var label = lazyregexp.New(`^("[\w .-]+"|[\w.-]+)(\s\([^)\n]*\))?:`)

// nextMember reports whether the quotation mark at i begins another member of a JSON object. Inside
// a prose sentence, JSON is part of the sentence, but the members of a standalone example are
// unrelated.
func nextMember(t []byte, start, i int) bool {
	ahead := bytes.TrimRight(t[max(start, i-2):i], " ")
	return (bytes.HasSuffix(ahead, []byte(",")) || bytes.HasSuffix(ahead, []byte("{"))) && member.Match(t[i:min(len(t), i+60)])
}

var member = lazyregexp.New(`^"[\w .-]+"\s?:`)

// abbreviates reports whether t[i] is the last full stop of e.g. or i.e.
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
			d.pause(x, f, i)
			i++
			continue
		}
		j := i
		for j < s.End && wordByte(f[j]) {
			j++
		}
		stop := j // exclude a closing quotation mark, or a hyphen at the end of a line
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

// goesWrong matches descriptions of silent failures, which are documentation and do not hide
// anything.
var goesWrong = lazyregexp.New(`^(silently|quietly)\s+(return|fail|ignor|drop|skip|truncat|los|break|produc|fall|default|discard|corrupt)\w*\b`)

// partOfAddress reports whether a word is part of a path or an address, and therefore has no
// sense.
func partOfAddress(t []byte, i, j int) bool {
	return i > 0 && (t[i-1] == '.' || t[i-1] == '@' || t[i-1] == '/') || j < len(t) && t[j] == '@'
}

// wordByte reports whether b is part of a word. A pipe counts, because it is a word
// in commands.
func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '\'' || b == '|' || b >= 0x80
}

// word finds the senses of the phrases that begin with the word t[i:j].
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

// note adds a sense as present or negated, unless its neighbouring words give it another meaning.
func (s *Sentence) note(t []byte, v Sense, start, end int, d *denial) {
	if beside(v, t, start, end) || v == Hush && s.ofParameter && leavesUnset(t[s.Start:s.End], start-s.Start) {
		return
	}
	if negatable&(1<<v) != 0 && d.covers(start) {
		s.denied |= 1 << v
		return
	}
	s.set(v, start, end)
}

// refer handles a sentence about taking or passing on "it". Such a sentence inherits senses from
// the preceding sentence, unless it names data itself.
func (s *Sentence) refer(ahead *Sentence) {
	if !s.Says(Pronoun) || !s.Says(Hand) && !s.Says(Take) || s.SaysOneOf(sensitive[:]) {
		return
	}
	for _, v := range inherited {
		if start, end := ahead.Place(v); ahead.Says(v) {
			s.set(v, start, end)
		}
	}
}
