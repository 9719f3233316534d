package rules

import (
	"sync"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// foreignIntent returns what a text in another language tells the model to do, as far as words
// show it without grammar: a sentence that mentions the user, and something that must not be
// taken or hidden from a user.
func (u *unapproved) foreignIntent(s []byte) string {
	for _, sentence := range foreignSentence.FindAll(s, -1) {
		var f text.Folder
		folded := f.Fold(sentence).Text
		for _, of := range foreignUsers() {
			switch {
			case !of.user.Match(folded):
			case secretVariable.Match(sentence), keyFile.Match(folded), of.theirs.Match(folded) && of.sent.Match(folded):
				return "collects data that the tool did not use before, in another language"
			case of.kept != nil && of.kept.Match(folded):
				return "mentions something that the user should not notice, in another language"
			}
		}
	}
	return ""
}

var (
	foreignSentence = lazyregexp.New(`[^.!?\n。！？।۔]+`)
	keyFile         = lazyregexp.New(secretFiles)
	// secretVariable matches the name of an environment variable with a credential.
	secretVariable = lazyregexp.New(`\b[A-Z][A-Z0-9_]*_(URL|URI|DSN|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)\b`)
	// foreignUsers are made when a text that was added is first looked at for them.
	foreignUsers = sync.OnceValue(func() []foreignUser { return each(newForeignUser) })
)

// foreignUser has a language's words for the user, for what is taken from one and for what is
// hidden from one.
type foreignUser struct{ user, theirs, sent, kept *lazyregexp.Regexp }

func newForeignUser(l *language) foreignUser {
	of := func(expr string) *lazyregexp.Regexp { return lazyregexp.New(inEither(expr)) }
	u := foreignUser{user: of(l.words(l.user)), theirs: of(l.words(l.theirs)), sent: of(l.words(l.send))}
	if words, ok := unaware[l.name]; ok {
		not, knows := l.alone(words.not), l.words(words.knows)
		u.kept = of(not + knowReach + knows + `|` + knows + knowReach + not)
	}
	return u
}

// knowReach is the distance between a negation and what it negates.
const knowReach = `[^,;:\n]{0,40}?`

// unaware has the negations and verbs of noticing of languages with separate words. Every
// manual says what somebody may not do or see, but not that somebody must not notice
// something.
var unaware = map[string]struct{ not, knows string }{
	"Spanish":    {`no nunca nada sin`, `enter sepa saber note. notar perciba perciban percatarse cuenta.`},
	"French":     {`ne n pas rien jamais sans`, `sach savoir sait. apprenn remarqu apercoi aperçoi apercev doute.`},
	"Portuguese": {`não nunca nada sem`, `saiba saber perceb note. notar`},
	"German":     {`nie niemals nicht nichts ohne`, `mitbekomm mitkrieg erfahr erfährt merk bemerk wissen. weiß.`},
	"Italian":    {`non mai nulla niente senza`, `sappia sapere accorg not.`},
	"Indonesian": {`jangan tidak tanpa`, `tahu. mengetahui sadar. menyadari`},
	"Turkish":    {`asla hiçbir hiç`, `bilme fark_etme haberi öğrenme`},
	"Russian":    {`не ничего никогда`, `узна знать. знает. замет догада`},
}
