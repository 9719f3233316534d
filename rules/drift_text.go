package rules

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// texts returns what a definition says to whoever reads it: its descriptions and
// titles, at any depth, by pointer. Instructions are a text by themselves.
func texts(doc *wire.Doc) map[string]string {
	found := map[string]string{}
	var buf []byte
	if doc.Kind(0) == wire.String {
		found[""] = string(doc.Text(0, &buf))
		return found
	}
	for i := range doc.Nodes {
		if doc.Kind(i) == wire.String && isText(doc, i) {
			buf = buf[:0]
			found[string(doc.AppendPointer(nil, 0, i))] = string(doc.Text(i, &buf))
		}
	}
	return found
}

// isText tells a description or a title from a property of that name.
func isText(doc *wire.Doc, i int) bool {
	return (doc.KeyIs(i, "description") || doc.KeyIs(i, "title")) && doc.Kind(int(doc.Nodes[i].Parent)) == wire.Object
}

// retold is a text that was changed or added.
type retold struct {
	pointer     string
	before, now string
	added       []string // sentences of it that were not there
}

// retold returns the texts that changed, in the order of their pointers.
func (c *change) retold() (all []retold) {
	before, now := texts(&c.old), texts(&c.now)
	for _, pointer := range slices.Sorted(maps.Keys(now)) {
		if was := before[pointer]; was != now[pointer] {
			all = append(all, retold{pointer, was, now[pointer], added(was, now[pointer])})
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(before)) {
		if _, still := now[pointer]; !still {
			all = append(all, retold{pointer: pointer, before: before[pointer]})
		}
	}
	return all
}

// retoldIn reports whether a text changed below a pointer.
func (c *change) retoldIn(pointer string) bool {
	return slices.ContainsFunc(c.retold(), func(r retold) bool { return strings.HasPrefix(r.pointer, pointer+"/") })
}

// added returns the sentences of a text that did not stand in it before.
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

// plain is a sentence without what a new layout changes.
func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// longSentence is the length from which a sentence is shown in parts.
const longSentence = 160

// split cuts a text into sentences and lines, so that a change in a long text
// stands alone. What is longer than a line of a diff is cut between words.
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
		if i > 0 && strings.IndexByte(".!?;:", line[i-1]) >= 0 || i > longSentence {
			return i + 1
		}
	}
	return len(line)
}

// weighText says how far a text that changed goes beyond what was approved.
func weighText(r retold, found []*scanner.Finding) (severity scanner.Severity, why string) {
	worst := scanner.Severity(0)
	var rule string
	for _, f := range found {
		if (f.Pointer == r.pointer || f.Subject == scanner.ServerSubject) && (rule == "" || f.Severity > worst) {
			worst, rule = f.Severity, f.Rule.ID
		}
	}
	switch {
	case worst >= scanner.High:
		return scanner.Critical, "what was added is an attack by the rule " + rule
	case worst == scanner.Medium:
		return scanner.High, "what was added is suspicious by the rule " + rule + ", and nobody has approved it"
	}
	if words := gained(r); len(words) > 0 {
		return scanner.Medium, "it now speaks of " + strings.Join(words, ", ")
	}
	if rule != "" && worst >= scanner.Low {
		return scanner.Low, "the rule " + rule + " has a remark on what was added"
	}
	return scanner.Note, "it says nothing new that is known to matter"
}

// gained returns words of consequence that the added sentences have, and the
// text before had not.
func gained(r retold) (words []string) {
	before := map[string]bool{}
	for _, w := range words1(r.before) {
		before[w] = true
	}
	for _, w := range words1(strings.Join(r.added, " ")) {
		if say := consequence(w); say != "" && !before[w] && !slices.Contains(words, say) && len(words) < 5 {
			before[w] = true
			words = append(words, say)
		}
	}
	return words
}

// words1 are the words of a text in lower case; an address is one word.
func words1(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \t\n,;()[]{}<>\"'`", r) })
}

// consequence returns how a word is told that adds to what a tool may do or touch,
// "" for every other word.
func consequence(w string) string {
	w = strings.TrimRight(w, ".:!?")
	switch {
	case strings.Contains(w, "://"), strings.Contains(w, "@") && strings.Contains(w, "."):
		return "an address"
	case strings.HasPrefix(w, "~/"), strings.HasPrefix(w, "/etc/"), strings.HasPrefix(w, "/home/"), strings.HasPrefix(w, "/root/"):
		return "a path"
	case consequences[w]:
		return strconv.Quote(w)
	}
	return ""
}

// consequences are the words for acts that change or send something, for data that
// is not for everybody, and for orders. Neither seed names any: they were chosen by
// what the changes of published servers do not do.
var consequences = wordSet(`delete deletes deleting remove removes erase erases drop drops overwrite overwrites
	update updates modify modifies send sends sending upload uploads uploading transmit transmits forward forwards publish publishes
	post posts share shares execute executes run runs shell sudo admin install installs download downloads
	external remote endpoint webhook secret secrets credential credentials password passwords token tokens key keys
	personal private confidential sensitive pii ssh env
	must always never mandatory required before ignore instead silently`)
