package drift

import (
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// proseWords is the minimum number of words for a value other than a description (a default, enum
// value, example or unknown member) to count as prose. A value that names a credentials file always
// counts.
const proseWords = 4

// texts returns the texts of a definition at any depth, by JSON pointer. Instructions are one text.
func texts(doc *wire.Doc, kind mcp.SubjectKind) map[string]string {
	found := map[string]string{}
	if doc.Kind(0) == wire.String {
		found["/instructions"] = doc.TextString(0)
		return found
	}
	var buf []byte
	named := kind == mcp.ResourceSubject || kind == mcp.TemplateSubject // resources are identified by URI
	for i := range doc.Nodes {
		if doc.Kind(i) != wire.String {
			continue
		}
		buf = buf[:0]
		s := doc.Text(i, &buf)
		if doc.Nodes[i].KeyEnd > 0 && isText(doc.KeyString(i), doc, i) || named && doc.Nodes[i].Parent == 0 && doc.KeyIs(i, "name") ||
			len(strings.Fields(string(s[:min(len(s), 200)]))) >= proseWords || keyFile.MatchString(strings.ToLower(string(s[:min(len(s), 200)]))) {
			found[string(doc.AppendPointer(nil, 0, i))] = string(s)
		}
	}
	return found
}

// isText reports whether a member is a description or title rather than a property with that name.
func isText(key string, doc *wire.Doc, i int) bool {
	return (key == "description" || key == "title") && (i < 0 || doc.Kind(i) == wire.String)
}

// changedText is a text that was added, changed or removed.
type changedText struct {
	pointer     string
	before, now string
	added       []string // sentences that only the current text has
	fresh       []string // added sentences that were nowhere in the approved definition
	dropped     []string // sentences that only the earlier text has
}

// changedTexts returns the added and changed texts, sorted by pointer, followed by the
// removed ones.
func (c *change) changedTexts() (all []changedText) {
	if c.texts != nil {
		return *c.texts
	}
	before, now := texts(&c.old, c.d.Kind), texts(&c.now, c.d.Kind)
	anywhere := sentenceSet{}
	for _, text := range before {
		c.foreign = c.foreign || foreign(text)
		anywhere.add(text)
	}
	for _, pointer := range slices.Sorted(maps.Keys(now)) {
		if was := before[pointer]; was != now[pointer] {
			r := changedText{pointer: pointer, before: was, now: now[pointer], added: added(was, now[pointer]), dropped: added(now[pointer], was)}
			r.fresh = slices.DeleteFunc(slices.Clone(r.added), func(s string) bool { return anywhere.has(plain(s)) })
			all = append(all, r)
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(before)) {
		if _, still := now[pointer]; !still {
			all = append(all, changedText{pointer: pointer, before: before[pointer], dropped: slices.Collect(split(before[pointer]))})
		}
	}
	c.texts = &all
	return all
}

// textsChangedIn reports whether any text below a pointer changed.
func (c *change) textsChangedIn(pointer string) bool {
	return slices.ContainsFunc(c.changedTexts(), func(r changedText) bool { return strings.HasPrefix(r.pointer, pointer+"/") })
}

// added returns the sentences of the current text that the earlier one lacks.
func added(before, now string) (sentences []string) {
	old := sentenceSet{}
	old.add(before)
	for s := range split(now) {
		if p := plain(s); p != "" && !old.has(p) {
			sentences = append(sentences, s)
		}
	}
	return sentences
}

// sentenceSet holds hashes of normalized sentences rather than the sentences themselves, to save
// memory: a long text may have half as many sentences as bytes.
type sentenceSet map[uint64]struct{}

// hashSeed is random in each run, so that nobody can craft two sentences with the same hash.
var hashSeed = maphash.MakeSeed()

func (set sentenceSet) add(text string) {
	for s := range split(text) {
		set[maphash.String(hashSeed, plain(s))] = struct{}{}
	}
}

func (set sentenceSet) has(plain string) bool {
	_, ok := set[maphash.String(hashSeed, plain)]
	return ok
}

// plain normalizes the white space and case of a sentence.
func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// longSentence is the maximum length, in bytes, of a sentence that is not split.
const longSentence = 160

// split splits a text into sentences and lines, so that a diff isolates a change in a long text. It
// splits long sentences between words. It treats a line break inside a sentence as white space,
// because moving a text to another file can change its line breaks.
func split(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			n := sentenceEnd(s)
			if !yield(strings.TrimSuffix(s[:n], "\n")) {
				return
			}
			s = s[n:]
		}
	}
}

// sentenceEnd returns the length of the first sentence of s and the white space after it.
func sentenceEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n' && (i == 0 || !wrapped(s[i-1], s[i+1:])):
			return i + 1
		case s[i] != ' ' && s[i] != '\n':
		case i > 0 && strings.IndexByte(".!?", s[i-1]) >= 0 || i > longSentence:
			return i + 1
		}
	}
	return len(s)
}

// wrapped reports whether a line break is inside a sentence: last, the character before it, ends
// neither a sentence nor a clause, and next, the text after it, begins with a lowercase letter.
func wrapped(last byte, next string) bool {
	return next != "" && 'a' <= next[0] && next[0] <= 'z' && strings.IndexByte(".!?:;", last) < 0
}
