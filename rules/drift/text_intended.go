package drift

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/reading"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/internal/text"
)

// unapproved is a text with unapproved sentences, and the context for reading them.
type unapproved struct {
	*change
	r     changedText
	label bool // the text is a name or value, which does not address a reader
}

// FirstSentence returns false: an unapproved sentence does not state the tool's purpose, which was
// already approved.
func (u *unapproved) FirstSentence(int) bool { return false }

// Parameter reports whether the definition has a parameter with this name.
func (u *unapproved) Parameter(name string) bool {
	properties := u.now.Get(u.now.Get(0, "inputSchema"), "properties")
	for c := u.now.First(properties); c >= 0; c = u.now.Next(c) {
		if strings.EqualFold(u.now.KeyString(c), name) {
			return true
		}
	}
	return false
}

// OtherTool returns the tool of another server that a sentence mentions, or "" if there is none.
func (u *unapproved) OtherTool(sentence []byte) string {
	if !namesOthersTool(u, sentence) {
		return ""
	}
	return string(toolOfOthers.Find(sentence))
}

// intended returns the first harmful intent found in the added sentences, or "" if there is none.
// It is stricter than the rules for whole definitions, which must not report the insistent
// definitions of legitimate servers.
func (c *change) intended(r changedText) (why string) {
	u := unapproved{change: c, r: r, label: isLabel(r.pointer)}
	for _, span := range r.spans() {
		if why = u.read([]byte(span)); why != "" {
			return why
		}
		text.Decode([]byte(span), func(h text.Hidden) {
			if said := u.read(h.Text); said != "" && why == "" {
				why = said + ", hidden in " + h.Via
			}
		})
		if why != "" {
			return why
		}
	}
	return ""
}

// read returns the first harmful intent found in a text, or "" if there is none.
func (u *unapproved) read(s []byte) string {
	var f text.Folder
	t := f.Fold(s).Text
	for s := range reading.Sentences(reading.Text{Folded: t, Definition: u, OfParameter: strings.HasPrefix(u.r.pointer, "/inputSchema/")}) {
		if u.late() {
			return ""
		}
		if keptByServer.Match(t[s.Start:s.End]) {
			continue
		}
		if why := u.meaningOf(t[s.Start:s.End]); why != "" {
			return why
		}
		for i := range intents {
			w := &intents[i]
			if (w.where == nil || w.where(u, t[s.Start:s.End])) && u.weighs(&w.Test, t, s) {
				return w.Message
			}
		}
	}
	return u.foreignIntent(s)
}

// weighs reports whether the senses found in an added sentence reach a test's threshold.
func (u *unapproved) weighs(w *sense.Test, t []byte, s *reading.Sentence) bool {
	for _, oneOf := range w.Needs {
		if !s.SaysOneOf(oneOf) {
			return false
		}
	}
	weight := 0
	for v := range reading.Senses {
		if s.Says(v) {
			weight += w.Weights[v] + sense.HonestSenses[v]
			if w.Weights[v] >= 0 {
				weight += upgradeSenses[v]
			}
		}
	}
	if w.Weights[reading.Take] > 0 && s.Says(reading.Take) && ordered(t, s) {
		weight++
	}
	if clause.UsedWhen.Match(t[s.Start:s.End]) {
		weight -= clause.UsageCost
	}
	if w.Purpose != 0 && weight >= w.Enough && sense.MatchesPurpose(u.d.Name, u.opening(), s) {
		weight += w.Purpose
	}
	return weight >= w.Enough && !w.Quoted(t, s)
}

// ordered reports whether a text tells the reader to take something, rather than describing how
// something works.
func ordered(t []byte, s *reading.Sentence) bool {
	start, end := s.Place(reading.Take)
	return clause.IsOrder(t[:start], start) && !bytes.HasSuffix(t[:end], []byte("ing"))
}

// isLabel reports whether a pointer leads to a name or value.
func isLabel(pointer string) bool {
	parts := strings.Split(pointer, "/")
	last := parts[len(parts)-1]
	if last != "" && last[0] >= '0' && last[0] <= '9' {
		last = parts[len(parts)-2]
	}
	return slices.Contains([]string{"enum", "const", "title", "default", "examples"}, last)
}

// spans returns the sentences that are new to the definition, joining adjacent ones.
func (r changedText) spans() (all []string) {
	fresh := wordSetOf(r.fresh...)
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	for s := range split(r.now) {
		if fresh[s] {
			b.WriteString(s)
			if !strings.HasSuffix(s, " ") {
				b.WriteByte('\n') // the sentence ended with the line
			}
		} else if plain(s) != "" {
			flush()
		}
	}
	flush()
	return all
}
