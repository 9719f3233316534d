package reading

import (
	"bytes"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// entry is a phrase of the lexicon without its first word.
type entry struct {
	sense Sense
	rest  string // the phrase after its first word, beginning with a space
	open  bool   // the last word may continue
}

// head holds the entries that start with the same word.
type head struct {
	entries []entry
	negates int // length of the text that the word negates, in bytes; 0 if none
}

// index looks up words in the lexicon.
type index struct {
	whole map[string]head    // phrases by their first word
	stems map[string][]Sense // senses of words that may continue
	heads *[1 << (5 * stemHead)]bool
}

// indexed builds the index on first use, because this takes milliseconds and many runs read
// no definitions.
var indexed = sync.OnceValue(func() *index {
	whole, stems := compileLexicon()
	return &index{whole, stems, headsOf(stems)}
})

// stemHead is the minimum length of a stem, and the number of letters by which stems are first
// looked up; longestStem is the maximum length, which bounds the work for one word.
const (
	stemHead    = 3
	longestStem = 24
)

func compileLexicon() (whole map[string]head, stems map[string][]Sense) {
	whole, stems = map[string]head{}, map[string][]Sense{}
	for v := range Senses {
		for _, w := range strings.Fields(lexicon[v]) {
			w, open := strings.CutSuffix(strings.ReplaceAll(w, "_", " "), "*")
			first, rest, several := strings.Cut(w, " ")
			if open && !several {
				stems[first] = append(stems[first], v)
				continue
			}
			if several {
				rest = " " + rest
			}
			h := whole[first]
			h.entries = append(h.entries, entry{v, rest, open})
			whole[first] = h
		}
	}
	for w, reach := range negations() {
		h := whole[w]
		h.negates = reach
		whole[w] = h
	}
	return whole, stems
}

// headsOf marks the first letters of stems.
func headsOf(stems map[string][]Sense) *[1 << (5 * stemHead)]bool {
	var heads [1 << (5 * stemHead)]bool
	for stem := range stems {
		heads[headIndex([]byte(stem))] = true
	}
	return &heads
}

// headIndex hashes the first letters of a word. Collisions are harmless, because the hash only
// saves lookups.
func headIndex(w []byte) int {
	return int(w[0]&31)<<10 | int(w[1]&31)<<5 | int(w[2]&31)
}

// stands reports whether the rest of the entry is at t[i:], and where it ends. In t, a line feed or
// a backtick also counts as a space.
func (e *entry) stands(t []byte, i int) (end int, ok bool) {
	end = i + len(e.rest)
	if end > len(t) {
		return 0, false
	}
	for k := range len(e.rest) {
		if b := t[i+k]; b != e.rest[k] && !(e.rest[k] == ' ' && (b == '\n' || b == '`')) {
			return 0, false
		}
	}
	return end, e.rest == "" || e.open || end == len(t) || !wordByte(t[end]) || t[end] == '\'' && (end+1 == len(t) || !wordByte(t[end+1]))
}

// phrases finds senses that cannot be recognised from single words. Each expression runs only if
// the sentence contains words that a match needs, because it costs more than looking up all the
// words.
func (s *Sentence) phrases(t *Text, negated bool) {
	f := t.Folded[s.Start:s.End]
	note := func(loc []int, vs ...Sense) {
		for _, v := range vs {
			if loc != nil {
				s.set(v, s.Start+loc[0], s.Start+loc[1])
			}
		}
	}
	if mayHoldAddress(f) {
		s.addresses(f)
	}
	if bytes.IndexByte(f, '.') >= 0 && bytes.Contains(f, []byte("e.g.")) || bytes.Contains(f, []byte("example: {")) {
		note([]int{0, 1}, DataFlow)
	}
	s.roles(t, f)
	if s.Says(Orders) && negated && !s.Says(Demote) {
		note(notApplied.FindIndex(f), Demote)
	}
	if negated && (s.Says(Tell) || s.denies(Tell)) {
		for _, kept := range keptFrom {
			note(kept.FindIndex(f), Untold)
		}
	}
	if (s.Says(ToolWord) || s.named) && (s.Says(Alter) || s.Says(Stealth) || s.Says(Later)) {
		if name := t.OtherTool(f); name != "" {
			at := max(bytes.Index(f, []byte(name)), 0)
			note([]int{at, at + len(name)}, OtherTool)
		}
	}
}

func containsAny(t []byte, parts ...string) bool {
	for _, part := range parts {
		if bytes.Contains(t, []byte(part)) {
			return true
		}
	}
	return false
}

// mayHoldAddress is a cheap precheck for addresses: every address contains one of these strings or
// looks like an IBAN, and a full stop inside a sentence is rare.
func mayHoldAddress(f []byte) bool {
	return bytes.IndexByte(f, '.') >= 0 || containsAny(f, "@", "+", "0x", "://") || mayHoldIBAN(f)
}

// mayHoldIBAN reports whether a word begins like an IBAN, with two letters and two digits.
func mayHoldIBAN(f []byte) bool {
	letter := func(b byte) bool { return 'a' <= b && b <= 'z' }
	digit := func(b byte) bool { return '0' <= b && b <= '9' }
	for i := 0; i+4 <= len(f); i++ {
		if letter(f[i]) && letter(f[i+1]) && digit(f[i+2]) && digit(f[i+3]) && (i == 0 || !wordByte(f[i-1])) {
			return true
		}
	}
	return false
}

var (
	address = lazyregexp.New(strings.Join([]string{
		`\b(https?|ftp|wss?)://[^\s"')` + "`" + `]+`,
		`\b[\w.+-]+@[\w-]+(\.[\w-]+)+`,
		`\b\d{1,3}(\.\d{1,3}){3}\b`,
		`\+\d{2}[\d ]{6,}`,  // a phone number
		`\b0x[0-9a-f]{20,}`, // a wallet address
		`\b[a-z]{2}\d{2}([a-z0-9]{12,30}|( [a-z0-9]{4}){3,7}( [a-z0-9]{1,3})?)\b`, // an IBAN
		`\b[a-z0-9-]+\.[a-z0-9-]+\.(example|com|net|io|xyz|ru|cc|sh|top|dev)\b`,
	}, `|`))

	// carrier matches an address with a placeholder for data.
	carrier = lazyregexp.New(`^[^\s"']*://[^\s"']*[=/?][<{$\[]`)

	// notApplied matches text saying that rules no longer apply.
	notApplied = lazyregexp.New(`\b(not|no\s+longer|never|n['’]t)\s+(to\s+be\s+|be\s+)?(appl(y|ies|ied)|follow(ed)?|bind(ing)?|counts?|valid|enforced?|observed?|obey(ed)?|matters?|in\s+force)\b`)

	// keptFrom matches text saying that a person is not told something.
	keptFrom = [...]*lazyregexp.Regexp{
		lazyregexp.New(people + `[^.,;]{0,30}\b((must|should|shall|need|ought|may|is|are)\s+(not|never)(\s+to)?|(does|do)\s+not\s+(need|have)\s+to|` +
			`(mustn|shouldn|needn)['’]t|(doesn|don)['’]t\s+(need|have)\s+to|need\s+never)\s+(be\s+)?(ever\s+)?` + learns),
		lazyregexp.New(`\b(not\s+necessary|unnecessary|no\s+(need|reason|point))\b[^.,;]{0,50}\b(` + addressing + `(ing)?\s+(the\s+)?` + people +
			`|` + mentioning + `(ing)?\s+(it|this|that|these|those)|` + people + `[^.,;]{0,30}\s` + learns + `)`),
		lazyregexp.New(`(\b(not|never|without|avoid)|n['’]t)\s+(ever\s+)?(` + addressing + `|` + mentioning + `)\w*\s+([^.,;]{0,30}\s)?(this|these|that\s+\w+)\s+(step|` +
			`parameter|call|upload|transfer|copy|action|operation|change|instruction|address|behaviou?r|request|note|file)s?\b`),
		lazyregexp.New(`\b(` + addressing + `|` + mentioning + `)ing\b[^.;]{0,60}\b(is|are)\s+(not\s+(permitted|allowed|needed|necessary|required|wanted|desired)|forbidden|unnecessary|prohibited)`),
		lazyregexp.New(`\bwithout\s+(the\s+)?` + people + `\s+(knowing|noticing|being\s+(told|aware|informed))`),
	}
)

const (
	people     = `\b(users?|humans?|person|people|operators?|owner|anyone|nobody|traveller|reader)\b`
	learns     = `(told|informed|notified|alerted|aware|made\s+aware|know|learn|notice|hear|bothered)\b`
	addressing = `(tell|inform|notify|alert)`
	mentioning = `(mention|reveal|disclos|list|report|explain|discuss|bring|say|announc|acknowledg)e?`
)
