package drift

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// weighText rates how far a changed text goes beyond the approved one. detected reports whether the
// text looks like an attack, in which case the finding stays open even if the change is approved.
func (c *change) weighText(r changedText, found []*scanner.Finding) (severity scanner.Severity, why string, detected bool) {
	worst := scanner.Severity(0)
	var rule string
	for _, f := range found {
		if f.Pointer == r.pointer && len(r.added) > 0 && (rule == "" || f.Weight() > worst) {
			worst, rule = f.Weight(), f.Rule.ID
		}
	}
	switch {
	case worst >= scanner.High:
		return scanner.Critical, "the added text is an attack according to the rule " + rule, true
	case worst == scanner.Medium:
		return scanner.High, "the added text is suspicious according to the rule " + rule + ", and nobody has approved it", false
	}
	w := c.weigh(r)
	if w.severity == scanner.Note && rule != "" && worst >= scanner.Low {
		return scanner.Low, "the rule " + rule + " reports a low-severity finding in the added text", false
	}
	return w.severity, w.why, w.detected
}

// weight is the rating of a text by its content, regardless of other rules' findings.
type weight struct {
	severity scanner.Severity
	why      string
	detected bool
	byName   bool // the rating depends on the server's name
}

// textWeights maps pointers to the ratings of a definition's texts.
type textWeights map[string]weight

// compareTexts rates a definition's changed texts. It runs before judging, when the server's name
// is not yet known.
func compareTexts(p *scanner.ComparePass) any {
	c := &change{d: p.Definition, was: p.Approved, around: around{offer: p.Offer, beside: p.Message.Definitions, late: p.Late}}
	if c.old.Parse(c.was.Sent) != nil || c.now.Parse(c.d.Sent) != nil {
		return nil
	}
	all := textWeights{}
	for _, r := range c.changedTexts() {
		all[r.pointer] = c.weigh(r)
	}
	return all
}

// weigh rates a changed text, or returns its earlier rating.
func (c *change) weigh(r changedText) (w weight) {
	if w, ok := c.weighed[r.pointer]; ok && (!w.byName || c.said == "") {
		return w
	}
	c.asksName = false
	w.severity, w.why, w.detected = c.weighAlone(r)
	w.byName = c.asksName
	return w
}

// weighAlone rates a text by its content, regardless of other rules' findings.
func (c *change) weighAlone(r changedText) (severity scanner.Severity, why string, detected bool) {
	if why := c.intended(r); why != "" {
		return scanner.High, "the unapproved text shows harmful intent: " + why, true
	}
	if why := c.unseen(r); why != "" {
		return scanner.High, "the added text is " + why, true
	}
	if s := c.withdrawn(r); s != "" {
		return scanner.High, "the text no longer contains " + strconv.Quote(s), false
	}
	if words := c.gained(r); len(words) > 0 {
		return scanner.Medium, "the text now mentions " + strings.Join(words, ", "), false
	}
	if words := lost(r); len(words) > 0 {
		return scanner.Medium, "the text no longer contains " + strings.Join(words, ", "), false
	}
	if foreign(strings.Join(r.fresh, " ")) && !c.foreign {
		return scanner.Medium, "the added text is in another language, which mcpscan does not analyse", false
	}
	return scanner.Note, "the change adds nothing significant", false
}

// gained describes significant words that are in the added sentences, but not in the tool's name or
// in an old sentence without a negation.
func (c *change) gained(r changedText) (words []string) {
	var grave []string // only significant words, because a long text has too many others
	seen, asked := map[string]bool{}, map[string]bool{}
	for w := range readWords(strings.Join(r.fresh, " ")) {
		if consequence(w) != "" && !seen[w] {
			grave, seen[w], asked[root(w)] = append(grave, w), true, true
		}
	}
	before := map[string]bool{}
	for _, w := range strings.Fields(names.Spell(c.d.Name)) {
		before[root(w)] = true
	}
	for s := range split(r.before) {
		said := slices.Collect(readWords(s))
		if slices.ContainsFunc(said, func(w string) bool { return denials[w] }) {
			continue
		}
		for _, w := range said {
			if asked[root(w)] {
				before[root(w)] = true
			}
		}
	}
	for _, w := range grave {
		if say := consequence(w); !before[root(w)] && !slices.Contains(words, say) && len(words) < 5 {
			before[root(w)] = true
			words = append(words, say)
		}
	}
	return words
}

// readWords returns the words of a text as a reader sees them. An address counts as
// one word.
func readWords(s string) iter.Seq[string] {
	var f text.Folder
	return strings.FieldsFuncSeq(string(f.Fold([]byte(s)).Text), func(r rune) bool { return strings.ContainsRune(" \t\n,;()[]{}<>\"'`*", r) })
}

// rootLetters is the minimum length of a stem, in bytes.
const rootLetters = 4

// root returns the approximate stem of a word.
func root(w string) string {
	w = strings.TrimRight(w, ".:!?")
	for _, end := range []string{"ing", "ed", "es", "s", "e"} {
		if short, cut := strings.CutSuffix(w, end); cut && len(short) >= rootLetters {
			return short
		}
	}
	return w
}

// rootsOf returns the stems of words, except stems with fewer than the given number of letters.
func rootsOf(words map[string]bool, least int) map[string]bool {
	roots := map[string]bool{}
	for w := range words {
		if r := root(w); len(r) >= least {
			roots[r] = true
		}
	}
	return roots
}

// consequence returns how to report a word that extends what a tool may do or access, or "" for any
// other word.
func consequence(w string) string {
	w = strings.TrimRight(w, ".:!?")
	switch {
	case strings.Contains(w, "://"), strings.Contains(w, "@") && strings.Contains(w, "."):
		return "an address"
	case strings.HasPrefix(w, "~/"), strings.HasPrefix(w, "/etc/"), strings.HasPrefix(w, "/home/"), strings.HasPrefix(w, "/root/"):
		return "a path"
	case consequences[w], consequenceRoots[root(w)]:
		return strconv.Quote(w)
	}
	return ""
}

// consequences are words for actions that change or send something, for private data, and for
// instructions. They were selected because legitimate upgrades rarely add them.
var consequences = names.Set(`delete deletes deleting remove removes erase erases drop drops wipe wipes purge overwrite overwrites
	update updates modify modifies write writes writing create creates edit edits rename renames replace replaces
	send sends sending upload uploads uploading transmit transmits forward forwards publish publishes email emails
	post posts share shares relay relays mirror mirrors replicate copies attach attaches submit submits
	execute executes run runs shell sudo admin install installs download downloads deploy deploys
	pay pays purchase buy transfer transfers terminate kill revoke grant grants bypass skip skips disable disables
	external remote endpoint webhook third-party secret secrets credential credentials password passwords token tokens key keys
	personal private confidential sensitive pii ssh env
	must always never mandatory required before ignore instead silently automatically`)

var consequenceRoots = rootsOf(consequences, rootLetters)

// denials are words that negate their sentence.
var denials = names.Set(`not never no cannot can't don't doesn't won't isn't without neither nor`)

// lost returns the words that a text no longer contains, if they are in the set promises.
func lost(r changedText) (words []string) {
	if r.before == "" || len(r.dropped) == 0 {
		return nil
	}
	now := map[string]bool{}
	for w := range readWords(r.now) {
		if promised[root(w)] { // only promises, because a long text has too many other words
			now[root(w)] = true
		}
	}
	for w := range readWords(strings.Join(r.dropped, " ")) {
		w = strings.TrimRight(w, ".:!?")
		if promises[w] && !now[root(w)] && len(words) < 5 {
			now[root(w)] = true
			words = append(words, strconv.Quote(w))
		}
	}
	return words
}

// promises are words that limit what happens or where it happens, or that require consent.
var promises = names.Set(`never cannot read-only readonly confirm confirms confirmation approval approve consent permission
	sandbox sandboxed locally offline reversible undo dry-run`)

var promised = rootsOf(promises, 0)

// The minimum numbers of foreign letters and words for a text to count as not English.
const (
	foreignLetters = 12
	foreignWords   = 3
)

// foreign reports whether a text is in a non-Latin script, or contains function words of a language
// other than English.
func foreign(s string) bool {
	latin, other := 0, 0
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin++
		default:
			other++
		}
	}
	if other >= foreignLetters && other > latin/2 {
		return true
	}
	own, others := 0, 0
	for _, w := range strings.Fields(strings.ToLower(s)) {
		switch w = strings.Trim(w, ".,:;!?()\"'«»"); {
		case englishWords[w]:
			own++
		case otherWords[w]:
			others++
		}
	}
	return others >= foreignWords && others > own
}

var (
	englishWords = names.Set(`the of to and is are for with by from that this it or when if be as on at which`)
	otherWords   = names.Set(`der die das und nicht mit auf für ist ein eine den dem von zu werden
		le les des est une dans pour avec sur que qui vous du et aux
		el los las del una para con por como su al y es
		il lo gli della che di per sono nel alla
		o os da do em não uma ao com dos
		het een niet van voor met naar
		och att som är för på och inte
		oraz nie jest się przez
		ve bir için ile bu
		dan yang untuk dengan ke dari ini`)
)
