package drift

import (
	"sync"

	"github.com/mcpscan/mcpscan/internal/languages"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
)

// foreignIntent returns the harmful intent of a text in a language other than English, or "" if
// there is none. It considers only words, not grammar. It finds sentences that mention the user
// together with one of these: a credentials file or variable, sending the user's data, or not
// noticing something.
func (u *unapproved) foreignIntent(s []byte) string {
	for _, sentence := range foreignSentence.Compiled().FindAll(s, -1) {
		var f text.Folder
		folded := f.Fold(sentence).Text
		for _, of := range foreignUsers() {
			switch {
			case !of.user.Match(folded):
			case secretVariable.Match(sentence), keyFile.Match(folded), of.theirs.Match(folded) && of.sent.Match(folded):
				return "collects data that the tool did not use before (in another language)"
			case of.kept != nil && of.kept.Match(folded):
				return "mentions something that the user should not notice (in another language)"
			}
		}
	}
	return ""
}

var (
	foreignSentence = lazyregexp.New(`[^.!?\n。！？।۔]+`)
	keyFile         = lazyregexp.New(secrets.Files)
	// secretVariable matches the name of an environment variable that contains a credential.
	secretVariable = lazyregexp.New(`\b[A-Z][A-Z0-9_]*_(URL|URI|DSN|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)\b`)
	// foreignUsers is compiled when the first added text is checked.
	foreignUsers = sync.OnceValue(func() []foreignUser { return languages.Each(newForeignUser) })
)

// foreignUser contains a language's expressions for the user, for data that belongs to the user
// (theirs), for sending it, and for not noticing something (kept).
type foreignUser struct{ user, theirs, sent, kept *lazyregexp.Regexp }

func newForeignUser(l *languages.Language) foreignUser {
	of := func(expr string) *lazyregexp.Regexp { return lazyregexp.New(languages.InEither(expr)) }
	u := foreignUser{user: of(l.Words(l.User)), theirs: of(l.Words(l.Theirs)), sent: of(l.Words(l.Send))}
	if words, ok := unaware[l.Name]; ok {
		not, knows := l.Alone(words.not), l.Words(words.knows)
		u.kept = of(not + knowReach + knows + `|` + knows + knowReach + not)
	}
	return u
}

// knowReach matches the text between a negation and the verb that it negates.
const knowReach = `[^,;:\n]{0,40}?`

// unaware contains negations, and verbs that mean "notice" or "know", for languages that put spaces
// between words. Manuals often say that somebody may not do or see something, but rarely that
// somebody must not notice it.
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
