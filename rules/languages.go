package rules

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// language says how one language gives the orders that inj-other-language knows.
// Words are written as the language writes them, apart by blanks, as stems: what
// follows a stem in the same word does not matter, unless it ends in a full stop.
// A low line joins the words of one expression. Phrases are regular expressions
// over such words, in which a blank is white space, "…" are up to four words (or as
// much of a script without blanks), and USER is a word of user.
type language struct {
	name  string
	glued bool // the script has no blanks between words

	// To ignore earlier instructions: the verb, which of them, and what they are; or all of
	// them.
	drop, earlier, told string
	all                 string // a phrase
	dropLast            bool   // the verb comes last

	// To keep something from the user.
	user string
	hide string // a phrase

	// To call a tool before any other.
	before, call string // phrases, in either order
	beforeWords  string // of which one is in every such phrase

	// To send away credentials or what the user said.
	send, theirs string

	read string // to read or to open, in the imperative

	denies  string // words ahead of an order that turn it into its opposite
	reports string // words ahead of an order that somebody else gives
	refuses string // a phrase right behind an order: its opposite, where a language says that there
}

// directive is one of the orders.
type directive int

const (
	dropTold directive = iota
	hideFromUser
	callFirst
	sendAway
	directives // how many there are
)

// patterns returns the patterns of the language, one for each directive.
func (l *language) patterns() []scanner.Pattern {
	what := `(` + l.words(l.earlier) + l.gap() + l.words(l.told) + `|` + l.words(l.told) + l.gap() + l.words(l.earlier)
	if l.all != "" {
		what += `|` + l.phrase(l.all)
	}
	what += `)`
	drop := l.words(l.drop) + l.gap() + what
	if l.dropLast {
		drop = what + l.gap() + l.words(l.drop)
	}
	before, call := l.phrase(l.before), l.phrase(l.call)
	send := l.words(l.send)
	return []scanner.Pattern{
		dropTold:     {Name: l.name + "_drop", Expr: inEither(l.bound(drop)), Anchors: l.anchors(l.drop)},
		hideFromUser: {Name: l.name + "_hide", Expr: inEither(l.bound(l.phrase(l.hide))), Anchors: l.anchors(l.user)},
		callFirst:    {Name: l.name + "_first", Expr: inEither(before + `[^\n]{0,60}?` + call + `|` + call + `[^\n]{0,60}?` + before), Anchors: l.anchors(l.beforeWords)},
		sendAway:     {Name: l.name + "_send", Expr: inEither(l.bound(send) + `[^\n]{0,140}?` + remoteAddress + `|` + remoteAddress + `[^\n]{0,100}?` + send), Anchors: l.anchors(l.send)},
	}
}

// tongue is what is needed of a language to judge a match.
type tongue struct {
	denied, reported *lazyregexp.Regexp
	refused          *lazyregexp.Regexp // nil where nothing follows
}

// compile returns the expressions that judge a match by the text around it.
func (l *language) compile() tongue {
	t := tongue{
		denied:   lazyregexp.New(inEither(l.alone(l.denies)) + `[^.!?,:;、，。\n]{0,40}$`),
		reported: lazyregexp.New(inEither(l.alone(l.reports)) + `[^.!?。\n]{0,60}$`),
	}
	if l.refuses != "" {
		t.refused = lazyregexp.New(`^\s*` + l.phrase(l.refuses))
	}
	return t
}

// inEither returns an expression for a text as written and as folded among Latin letters.
func inEither(expr string) string {
	if latin := text.InLatin(expr); latin != expr {
		return `(` + expr + `|` + latin + `)`
	}
	return `(` + expr + `)`
}

// bound prevents a match inside a word. Arabic writes "and" and "so" as a prefix of the next
// word.
func (l *language) bound(expr string) string {
	switch {
	case l.glued:
		return `(` + expr + `)`
	case foldExpr(l.drop)[0] < utf8.RuneSelf:
		return `(?:^|\b|` + noLetter + `)(` + expr + `)`
	}
	return `(?:^|` + noLetter + `|[وف])(` + expr + `)`
}

// gap returns an expression for the text between two words of an order.
func (l *language) gap() string {
	if l.glued {
		return `[^。.!?\n]{0,14}?`
	}
	return `[\s,،]+(` + letter + `+[\s,،]+){0,4}?`
}

// words returns an expression for any of the words. A word with a full stop is complete,
// others are stems.
func (l *language) words(list string) string {
	words := strings.Fields(list)
	for i, w := range words {
		if whole, ok := strings.CutSuffix(w, `.`); ok {
			words[i] = whole + `\b`
		} else if !l.glued {
			words[i] += letter + `*`
		}
	}
	return foldExpr(`(` + strings.ReplaceAll(strings.Join(words, `|`), `_`, `\s+`) + `)`)
}

// alone returns an expression for any of the words, literally.
func (l *language) alone(list string) string {
	expr := foldExpr(`(` + strings.ReplaceAll(strings.Join(strings.Fields(list), `|`), `_`, `\s+`) + `)`)
	if l.glued {
		return expr
	}
	return `(^|` + noLetter + `)` + expr + `($|` + noLetter + `)`
}

// phrase returns the expression for a phrase.
func (l *language) phrase(p string) string {
	p = strings.ReplaceAll(p, `USER`, l.words(l.user))
	blank := `\s+`
	if l.glued {
		blank = `\s*`
	}
	p = strings.NewReplacer(` ?`, `\s*`, ` … `, l.gap(), `…`, l.gap(), ` `, blank).Replace(p)
	return `(` + foldExpr(p) + `)`
}

// anchors returns words as the literals of a pattern.
func (l *language) anchors(list string) []string {
	var anchors []string
	for _, w := range strings.Fields(list) {
		w = foldExpr(strings.ReplaceAll(strings.TrimSuffix(w, `.`), `_`, ` `))
		anchors = append(anchors, w)
		if latin := text.InLatin(w); latin != w {
			anchors = append(anchors, latin)
		}
	}
	return anchors
}

// A letter of any script with its marks, approximated as neither white space nor punctuation.
// The Unicode classes have hundreds of ranges, too expensive for each word of the tables.
const (
	punctuation = `\s!-&(-,./:-@\[-^` + "`" + `{-~،।۔؟、。`
	letter      = `[^` + punctuation + `]`
	noLetter    = `[` + punctuation + `'-]`
)

// foldExpr folds the words of an expression. Syntax is unchanged: \p and \ with what they
// escape, [ ] and (?:
func foldExpr(expr string) string {
	expr = strings.ReplaceAll(expr, `\pL`, letter)
	out := make([]byte, 0, len(expr))
	last := 0
	for i := 0; i < len(expr); {
		n := notFolded(expr[i:])
		if n > 0 {
			out = append(appendFolded(out, expr[last:i]), expr[i:i+n]...)
			last = i + n
		}
		i += max(n, 1)
	}
	return string(appendFolded(out, expr[last:]))
}

// notFolded returns the length of the syntax at the beginning of an expression.
func notFolded(expr string) int {
	switch {
	case strings.HasPrefix(expr, `\p`) && len(expr) > 2:
		_, n := utf8.DecodeRuneInString(expr[2:])
		return 2 + n
	case expr[0] == '\\' && len(expr) > 1:
		_, n := utf8.DecodeRuneInString(expr[1:])
		return 1 + n
	case expr[0] == '[':
		return strings.IndexByte(expr, ']') + 1
	case strings.HasPrefix(expr, `(?:`):
		return 3
	}
	return 0
}

// folders cache what they know of characters: the program folds a thousand expressions when it
// starts.
var folders = sync.Pool{New: func() any { return new(text.Folder) }}

// appendFolded appends a text as it is folded.
func appendFolded(dst []byte, s string) []byte {
	if isFolded(s) {
		return append(dst, s...)
	}
	f := folders.Get().(*text.Folder)
	defer folders.Put(f)
	return append(dst, f.Fold([]byte(s)).Text...)
}

// isFolded reports that folding a text changes nothing, where that is seen at once.
func isFolded(s string) bool {
	for i := range len(s) {
		b := s[i]
		if (b < 'a' || b > 'z') && (b < '(' || b > '?') && b != '|' && (b != ' ' || i > 0 && s[i-1] == ' ') {
			return false
		}
	}
	return true
}
