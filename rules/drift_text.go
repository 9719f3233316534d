package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// proseWords is how many words turn a value other than a description (a default, enum value,
// example or unknown member) into prose. The name of a credentials file is enough alone.
const proseWords = 4

// texts returns the texts of a definition at any depth, by pointer. Instructions are one text.
func texts(doc *wire.Doc, kind scanner.SubjectKind) map[string]string {
	found := map[string]string{}
	var buf []byte
	if doc.Kind(0) == wire.String {
		found["/instructions"] = string(doc.Text(0, &buf))
		return found
	}
	named := kind == scanner.ResourceSubject || kind == scanner.TemplateSubject // by what leads there; the name is a text
	for i := range doc.Nodes {
		if doc.Kind(i) != wire.String {
			continue
		}
		buf = buf[:0]
		s := doc.Text(i, &buf)
		if doc.Nodes[i].KeyEnd > 0 && isText(keyOf(doc, i), doc, i) || named && doc.Nodes[i].Parent == 0 && doc.KeyIs(i, "name") ||
			len(strings.Fields(string(s[:min(len(s), 200)]))) >= proseWords || keyFile.MatchString(strings.ToLower(string(s[:min(len(s), 200)]))) {
			found[string(doc.AppendPointer(nil, 0, i))] = string(s)
		}
	}
	return found
}

// isText tells a description or a title from a property of that name.
func isText(key string, doc *wire.Doc, i int) bool {
	return (key == "description" || key == "title") && (i < 0 || doc.Kind(i) == wire.String)
}

// retold is a text that was changed or added.
type retold struct {
	pointer     string
	before, now string
	added       []string // sentences of it that were not in it
	fresh       []string // those of them that stood nowhere in the definition
	dropped     []string // sentences that are no longer in it
}

// retold returns the texts that changed, in the order of their pointers.
func (c *change) retold() (all []retold) {
	if c.texts != nil {
		return *c.texts
	}
	before, now := texts(&c.old, c.d.Kind), texts(&c.now, c.d.Kind)
	anywhere := map[string]bool{}
	for _, text := range before {
		c.foreign = c.foreign || foreign(text)
		for _, s := range split(text) {
			anywhere[plain(s)] = true
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(now)) {
		if was := before[pointer]; was != now[pointer] {
			r := retold{pointer: pointer, before: was, now: now[pointer], added: added(was, now[pointer]), dropped: added(now[pointer], was)}
			for _, s := range r.added {
				if !anywhere[plain(s)] {
					r.fresh = append(r.fresh, s)
				}
			}
			all = append(all, r)
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(before)) {
		if _, still := now[pointer]; !still {
			all = append(all, retold{pointer: pointer, before: before[pointer], dropped: split(before[pointer])})
		}
	}
	c.texts = &all
	return all
}

// retoldIn reports whether a text changed below a pointer.
func (c *change) retoldIn(pointer string) bool {
	return slices.ContainsFunc(c.retold(), func(r retold) bool { return strings.HasPrefix(r.pointer, pointer+"/") })
}

// added returns the sentences that were not in the text before.
func added(before, now string) (sentences []string) {
	old := map[string]bool{}
	for _, s := range split(before) {
		old[plain(s)] = true
	}
	for _, s := range split(now) {
		if p := plain(s); p != "" && !old[p] {
			sentences = append(sentences, s)
		}
	}
	return sentences
}

// plain is a sentence without layout.
func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// longSentence is the length from which a sentence is shown in parts.
const longSentence = 160

// split cuts a text into sentences and lines, so that a diff shows a change in a long text
// separately. Longer ones are cut between words.
func split(s string) (parts []string) {
	for line := range strings.SplitSeq(s, "\n") {
		for len(line) > 0 {
			n := sentenceEnd(line)
			parts = append(parts, line[:n])
			line = line[n:]
		}
	}
	return parts
}

func sentenceEnd(line string) int {
	for i := 0; i < len(line); i++ {
		if line[i] != ' ' {
			continue
		}
		if i > 0 && strings.IndexByte(".!?", line[i-1]) >= 0 || i > longSentence {
			return i + 1
		}
	}
	return len(line)
}
