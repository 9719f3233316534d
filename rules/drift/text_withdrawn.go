package drift

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// withdrawn returns a dropped sentence that required consent before a call or ruled out damage. It
// returns "" if there is none, if the definition still contains such a sentence, or if the tool
// only reads, so that losing the sentence matters little.
func (c *change) withdrawn(r changedText) string {
	if r.before == "" {
		return ""
	}
	for _, kind := range [...]*lazyregexp.Regexp{agreement, limit} {
		at := ""
		for _, s := range r.dropped {
			if at != "" {
				break
			}
			f := foldedText(s)
			if kind == limit {
				f = ofValue.ReplaceAllString(f, " ")
			}
			if kind.MatchString(f) && !(kind == limit && c.limitsOther(f)) {
				at = s
			}
		}
		if at != "" && !c.claimsReadOnly() && !c.saysStill(kind) {
			return strings.TrimSpace(at)
		}
	}
	return ""
}

// limitsOther reports whether a sentence says what another tool of the server does not do, as in
// "update_volume cannot change it".
func (c *change) limitsOther(s string) bool {
	m := ofAnother.FindStringSubmatch(s)
	return m != nil && !strings.EqualFold(m[1], c.d.Name) && c.ownTool(m[1])
}

// claimsReadOnly reports whether the tool is read-only according to its hint or to the approved
// definition.
func (c *change) claimsReadOnly() bool {
	if c.reads == nil {
		at := c.now.Get(0, "annotations")
		reads := hintOf(&c.now, c.now.Get(at, "readOnlyHint")) == "true" || !mayWrite(c.was.Definition)
		c.reads = &reads
	}
	return *c.reads
}

// saysStill reports whether any sentence in the current definition matches kind.
func (c *change) saysStill(kind *lazyregexp.Regexp) bool {
	still, known := c.still[kind]
	if known {
		return still
	}
	for _, said := range texts(&c.now, c.d.Kind) {
		for s := range split(said) {
			if still = still || kind.MatchString(foldedText(s)); still {
				break
			}
		}
	}
	if c.still == nil {
		c.still = map[*lazyregexp.Regexp]bool{}
	}
	c.still[kind] = still
	return still
}

func foldedText(s string) string {
	var f text.Folder
	return string(f.Fold([]byte(s)).Text)
}

var (
	// agreement matches wording that requires consent before an action.
	agreement = lazyregexp.New(`\b(ask|confirm|check|verify)\b[^.;]{0,30}\b(user|human|operator|person|admin\w*|first)\b|` +
		`\b(user|human|explicit|prior|manual|written|administrator)\b[^.;]{0,25}\b(confirm\w*|approv\w*|consent|agree\w*|permission)\b|` +
		`\b(requires?|needs?|without|after|mandatory|only\s+with)\b[^.;]{0,30}\b(confirmation|approval|consent|permission|agree\w*)\b|` +
		`\b(confirmation|approval|consent)\b[^.;]{0,40}\b(required|mandatory|needed|necessary)\b`)
	// ofAnother matches the name of a tool and a negated verb, as in "update_volume cannot".
	ofAnother = lazyregexp.New("\\b([a-z0-9]+(?:[_-][a-z0-9]+)+)[`'\"]?\\s+(?:can\\s?not|can['’]t|never|does\\s+not|doesn['’]t|will\\s+not|won['’]t)\\b")
	// ofValue matches a verb that refers to the written value rather than to the writing, as in "never
	// overwrites with an empty string". Nouns, as in "never makes changes to a file", refer to the writing.
	ofValue = lazyregexp.New(`(\b(never|(can)?not)|n['’]t)\s+(overwrit|modif|chang)\w*\s+(with|to)\b`)
	// limit detects a promise not to do something, or to do it only in a certain location.
	limit = lazyregexp.New(`\b(never|does\s+not|doesn['’]t|cannot|can\s+not|will\s+not|won['’]t)\s+(\w+\s+)?(delet|remov|eras|overwrit|modif|chang|upload|send|shar|` +
		`transmit|execut|leave)\w*|\bnever\s+(deleted|removed|overwritten|modified|changed|uploaded|sent|shared|transmitted|executed)\b|\b(only|stays?|` +
		`remains?|runs?|works?|inside|within)\b[^.;]{0,30}\b(sandbox(ed)?|locally|local\s+machine|workspace|working\s+directory|` +
		`allowed\s+director(y|ies))\b|\b(is|strictly)\s+read[- ]only\b`)
)

// unseen returns how the added text is hidden, or "" if it is not. Encoded text does not count,
// because it is rated by its content.
func (c *change) unseen(r changedText) string {
	for _, m := range comment.FindAllStringSubmatch(r.now, maxPlacesRead) {
		if len(strings.Fields(m[1])) >= proseWords && !strings.Contains(r.before, m[0]) {
			return "in a comment that people do not see"
		}
	}
	return ""
}

// comment matches a markup comment.
var comment = lazyregexp.New(`(?s)<!--(.*?)-->`)
