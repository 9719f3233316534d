// Package languages recognizes instructions to a model in languages other than English, using word
// tables that are compiled to patterns.
package languages

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Language describes how a language phrases the instructions that inj-other-language detects. Words
// are in normal spelling and separated by spaces. Except in phrases, Denies and Reports, they are stems,
// so any continuation matches, unless the word ends in a full stop. An underscore joins the words of one
// expression. Phrases are regular expressions in which a space matches white space, "…" matches up to
// four words (or a stretch of a script without spaces), and USER matches a word that means "user".
type Language struct {
	Name  string
	glued bool // the script has no spaces between words

	// Ignoring earlier instructions: the verb, and either words for "earlier" and for instructions,
	// or a phrase such as "all instructions".
	drop, earlier, told string
	all                 string // a phrase
	dropLast            bool   // the verb comes last

	// Hiding something from the user: words that mean "the user", and a phrase.
	User string
	hide string // a phrase

	// Calling a tool before any other.
	before, call string // phrases, in either order
	beforeWords  string // words, one of which occurs in every match of before

	// Sending credentials or the conversation to somebody.
	Send, Theirs string

	Read string // imperatives of verbs such as "read" and "open"

	Denies  string // words that negate the instruction after them
	Reports string // words that attribute the instruction after them to somebody else
	refuses string // a phrase that negates the instruction directly before it
}

// Directive is one of the kinds of instruction that inj-other-language detects.
type Directive int

const (
	DropTold Directive = iota
	HideFromUser
	CallFirst
	sendAway
	Directives // number of directives
)

// Patterns returns the patterns of the language, one for each directive.
func (l *Language) Patterns() []scanner.Pattern {
	return []scanner.Pattern{
		DropTold:     {Name: l.Name + "_drop", Compose: l.dropTold, Anchors: l.anchors(l.drop)},
		HideFromUser: {Name: l.Name + "_hide", Compose: func() string { return InEither(l.Bound(l.phrase(l.hide))) }, Anchors: l.anchors(l.User)},
		CallFirst:    {Name: l.Name + "_first", Compose: l.callFirst, Anchors: l.anchors(l.beforeWords)},
		sendAway:     {Name: l.Name + "_send", Compose: l.sendsAway, Anchors: l.anchors(l.Send)},
	}
}

func (l *Language) dropTold() string {
	what := `(` + l.Words(l.earlier) + l.gap() + l.Words(l.told) + `|` + l.Words(l.told) + l.gap() + l.Words(l.earlier)
	if l.all != "" {
		what += `|` + l.phrase(l.all)
	}
	what += `)`
	if l.dropLast {
		return InEither(l.Bound(what + l.gap() + l.Words(l.drop)))
	}
	return InEither(l.Bound(l.Words(l.drop) + l.gap() + what))
}

func (l *Language) callFirst() string {
	before, call := l.phrase(l.before), l.phrase(l.call)
	return InEither(before + `[^\n]{0,60}?` + call + `|` + call + `[^\n]{0,60}?` + before)
}

func (l *Language) sendsAway() string {
	send := l.Words(l.Send)
	return InEither(l.Bound(send) + `[^\n]{0,140}?` + clause.RemoteAddress + `|` + clause.RemoteAddress + `[^\n]{0,100}?` + send)
}

// Compiled holds the expressions that test whether the text around a match denies, reports or
// refuses the instruction.
type Compiled struct {
	Denied, Reported *lazyregexp.Regexp
	Refused          *lazyregexp.Regexp // nil if the language has no such phrase
}

// Compile returns the expressions for the text around a match.
func (l *Language) Compile() Compiled {
	t := Compiled{
		Denied:   lazyregexp.New(InEither(l.Alone(l.Denies)) + `[^.!?,:;、，。\n]{0,40}$`),
		Reported: lazyregexp.New(InEither(l.Alone(l.Reports)) + `[^.!?。\n]{0,60}$`),
	}
	if l.refuses != "" {
		t.Refused = lazyregexp.New(`^\s*` + l.phrase(l.refuses))
	}
	return t
}

// InEither returns an expression that matches expr, or expr as it is folded inside Latin text.
func InEither(expr string) string {
	if latin := text.InLatin(expr); latin != expr {
		return `(` + expr + `|` + latin + `)`
	}
	return `(` + expr + `)`
}

// If the script has spaces between words, Bound prevents a match from starting inside a word,
// except after the Arabic words for "and" and "so", which are written as prefixes.
func (l *Language) Bound(expr string) string {
	switch {
	case l.glued:
		return `(` + expr + `)`
	case FoldExpr(l.drop)[0] < utf8.RuneSelf:
		return `(?:^|\b|` + noLetter + `)(` + expr + `)`
	}
	return `(?:^|` + noLetter + `|[وف])(` + expr + `)`
}

// gap returns an expression for the text between two words of an instruction.
func (l *Language) gap() string {
	if l.glued {
		return `[^。.!?\n]{0,14}?`
	}
	return `[\s,،]+(` + Letter + `+[\s,،]+){0,4}?`
}

// Words returns an expression for any of the words. A word that ends in a full stop must match
// whole; the others are stems.
func (l *Language) Words(list string) string {
	words := strings.Fields(list)
	for i, w := range words {
		if whole, ok := strings.CutSuffix(w, `.`); ok {
			words[i] = whole + `\b`
		} else if !l.glued {
			words[i] += Letter + `*`
		}
	}
	return FoldExpr(`(` + strings.ReplaceAll(strings.Join(words, `|`), `_`, `\s+`) + `)`)
}

// Alone returns an expression for any of the words, as whole words.
func (l *Language) Alone(list string) string {
	expr := FoldExpr(`(` + strings.ReplaceAll(strings.Join(strings.Fields(list), `|`), `_`, `\s+`) + `)`)
	if l.glued {
		return expr
	}
	return `(^|` + noLetter + `)` + expr + `($|` + noLetter + `)`
}

func (l *Language) phrase(p string) string {
	p = strings.ReplaceAll(p, `USER`, l.Words(l.User))
	blank := `\s+`
	if l.glued {
		blank = `\s*`
	}
	p = strings.NewReplacer(` ?`, `\s*`, ` … `, l.gap(), `…`, l.gap(), ` `, blank).Replace(p)
	return `(` + FoldExpr(p) + `)`
}

// anchors returns the words as literals; every match of a pattern contains at least one of its
// anchors.
func (l *Language) anchors(list string) []string {
	var anchors []string
	for _, w := range strings.Fields(list) {
		w = FoldExpr(strings.ReplaceAll(strings.TrimSuffix(w, `.`), `_`, ` `))
		anchors = append(anchors, w)
		if latin := text.InLatin(w); latin != w {
			anchors = append(anchors, latin)
		}
	}
	return anchors
}

// A letter of any script with its marks, approximated by any character other than white space and
// punctuation. The Unicode classes have hundreds of ranges, which would be too expensive for each
// word.
const (
	punctuation = `\s!-&(-,./:-@\[-^` + "`" + `{-~،।۔؟、。`
	Letter      = `[^` + punctuation + `]`
	noLetter    = `[` + punctuation + `'-]`
)

// FoldExpr folds the words of an expression, and leaves the syntax unchanged: escape sequences, \p
// with its class, bracketed classes and (?:
func FoldExpr(expr string) string {
	expr = strings.ReplaceAll(expr, `\pL`, Letter)
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

// notFolded returns the length of the syntax at the start of an expression, or 0.
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

// folders reuses text.Folders with their character caches, because the anchors of all languages are
// folded at startup.
var folders = sync.Pool{New: func() any { return new(text.Folder) }}

// appendFolded appends the folded form of s to dst.
func appendFolded(dst []byte, s string) []byte {
	if isFolded(s) {
		return append(dst, s...)
	}
	f := folders.Get().(*text.Folder)
	defer folders.Put(f)
	return append(dst, f.Fold([]byte(s)).Text...)
}

// isFolded reports whether s is certainly in folded form. It is a quick check, which may also
// return false for a folded string.
func isFolded(s string) bool {
	for i := range len(s) {
		b := s[i]
		if (b < 'a' || b > 'z') && (b < '(' || b > '?') && b != '|' && (b != ' ' || i > 0 && s[i-1] == ' ') {
			return false
		}
	}
	return true
}

// Each returns the results of f for all languages.
func Each[T any](f func(*Language) T) []T {
	var all []T
	for i := range foreignLanguages {
		all = append(all, f(&foreignLanguages[i]))
	}
	return all
}

var foreignLanguages = slices.Concat(latinLanguages, scriptLanguages)
