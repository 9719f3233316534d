package instructions

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/languages"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var OtherLanguage = scanner.Rule{
	ID:           "inj-other-language",
	Category:     "hidden_instructions",
	Title:        "Text in another language gives the model a harmful instruction",
	Why:          "Models follow instructions in many languages, but reviewers and filters often know only one.",
	Fix:          "Have the text translated before anyone approves it. Remove the server if the translation confirms the finding.",
	Severity:     scanner.High,
	Confidence:   scanner.ConfidenceMedium,
	Basis:        "Legitimate text rarely gives a model these instructions, in any language: ignore previous instructions, hide something from the user, call a tool before all others, send away what the user said, read a credentials file. The rule recognises them in Arabic, Bengali, Chinese, French, German, Hindi, Indonesian, Italian, Japanese, Korean, Portuguese, Russian, Spanish, Turkish, Urdu and Vietnamese. Instructions that English rules rate critical are rated high here, because mcpscan knows fewer benign uses of their wording.",
	Refs:         []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	MorePatterns: foreignPatterns,
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			if clause.Quoted(p.Folded, m.Start, endOfWord(p.Folded, m.End)) {
				continue
			}
			issue, ok := foreignOrder(p, m.Pattern, m.Start, m.End)
			if !ok {
				continue
			}
			if issue.End == 0 {
				issue.Start, issue.End = m.Start, m.End
			}
			issue.Signals = append(issue.Signals, "in another language")
			p.Report(issue)
		}
	},
}

// maxEnding is the maximum length, in bytes, of the rest of a word after the stem that a pattern
// matched: eight characters of three bytes each.
const maxEnding = 24

// endOfWord returns the end of the word that continues at t[end:]. It is needed because patterns
// match stems.
func endOfWord(t []byte, end int) int {
	for most := end + maxEnding; end < min(len(t), most); {
		r, n := utf8.DecodeRune(t[end:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		end += n
	}
	return end
}

// foreignPatterns returns the patterns of all languages, followed by one for credentials files. If
// that pattern matches, the rule looks for a verb near the file's name.
var foreignPatterns = sync.OnceValue(func() []scanner.Pattern {
	return append(slices.Concat(languages.Each((*languages.Language).Patterns)...), scanner.Pattern{
		Name:    "secret_file",
		Expr:    secrets.Files,
		Anchors: secrets.FileAnchors,
	})
})

// These expressions are compiled at the first match, so that runs without a match need not compile them.
var (
	foreignTongues = sync.OnceValue(func() []languages.Compiled { return languages.Each((*languages.Language).Compile) })
	anyTongue      = sync.OnceValue(newWordsOfAny)
)

// wordsOfAny holds expressions for the words of all languages combined. They suffice for sentences
// about credentials and conversations, where the language does not matter.
type wordsOfAny struct {
	readAhead, readBehind, denies *text.Expr
	theirs                        *lazyregexp.Regexp
}

func newWordsOfAny() wordsOfAny {
	read := ofAll(func(l *languages.Language) string { return l.Bound(l.Words(l.Read)) })
	return wordsOfAny{
		readAhead:  text.LazyExpr(read + `[^.!?。।۔\n]*$`),
		readBehind: text.LazyExpr(`^[^.!?。।۔\n]*?` + read),
		theirs:     lazyregexp.New(ofAll(func(l *languages.Language) string { return l.Words(l.Theirs) })),
		denies:     text.LazyExpr(ofAll(func(l *languages.Language) string { return l.Alone(l.Denies + " " + l.Reports) })),
	}
}

// readReach is the maximum distance, in bytes, between a verb for reading and a file.
const readReach = 160

// ofAll combines the expressions that f returns for each language into one.
func ofAll(f func(*languages.Language) string) string {
	return languages.InEither(strings.Join(languages.Each(f), `|`))
}

// foreignOrder rates one match.
func foreignOrder(p *scanner.TextPass, pattern, start, end int) (scanner.Issue, bool) {
	from, to := clause.Around(p.Folded, start, end)
	ahead, said, behind := p.Folded[from:start], p.Folded[start:end], p.Folded[end:to]
	if pattern == len(foreignPatterns())-1 {
		return foreignRead(p, from, start, end)
	}
	l := &foreignTongues()[pattern/int(languages.Directives)]
	whole, _ := clause.Sentence(p.Folded, start, end)
	if l.Reported.Match(p.Folded[whole:start]) || l.Refused != nil && l.Refused.Match(behind) {
		return scanner.Issue{}, false
	}
	severity := scanner.High
	if clause.IsResult(p) {
		severity = clause.InData(p, start, end, scanner.High)
	}
	switch languages.Directive(pattern % int(languages.Directives)) {
	case languages.DropTold:
		return scanner.Issue{Severity: severity, Message: "tells the model to ignore its instructions", Signals: []string{"an instruction to the model"}},
			!l.Denied.Match(ahead) && !ofSomething.Match(behind)
	case languages.HideFromUser:
		return scanner.Issue{Severity: severity, Message: "tells the model to hide something from the user", Signals: []string{"an instruction to keep a secret"}},
			!keptFrom(ahead, said, behind)
	case languages.CallFirst:
		switch {
		case p.Subject == mcp.ServerSubject || ofThisServer.Match(p.Folded[from:to]):
			severity = scanner.Low
		case opensSession.MatchString(p.Name) || clause.IsResult(p):
			severity = scanner.Medium
		}
		return scanner.Issue{Severity: severity, Message: "tells the model to call this tool before all others", Signals: []string{"an instruction to call the tool", "before or after all other calls"}},
			!l.Denied.Match(ahead)
	}
	return scanner.Issue{Severity: severity,
			Message: "tells the model to send data that this tool does not need", Signals: []string{"a verb of sending",
				"an object that belongs to the user", "an address"}},
		anyTongue().theirs.Match(p.Folded[from:to]) && !l.Denied.Match(ahead) && !p.FirstSentence(start)
}

// foreignRead rates a mention of a credentials file, which is reported only if a verb for reading
// is near it.
func foreignRead(p *scanner.TextPass, from, start, end int) (scanner.Issue, bool) {
	from = max(from, start-readReach)
	first, last := start, end
	if verb := anyTongue().readAhead.FindIndex(p.Folded[from:start]); verb != nil {
		first = from + verb[0]
	} else if verb := anyTongue().readBehind.FindIndex(p.Folded[end:min(len(p.Folded), end+readReach)]); verb != nil {
		last = end + verb[1]
	} else {
		return scanner.Issue{}, false
	}
	if anyTongue().denies.Match(p.Folded[from:last]) {
		return scanner.Issue{}, false
	}
	severity := scanner.High
	switch {
	case clause.IsResult(p):
		severity = scanner.Medium // manuals also say this to their readers
	case p.FirstSentence(first) || secrets.HandlesCredentials(p.Name):
		severity = scanner.Low
	}
	return scanner.Issue{Start: first, End: last, Severity: severity, Message: "tells the model to read a credentials file", Signals: []string{"a verb of access", "a credentials file"}}, true
}

var (
	// ofSomething matches the object of specific instructions, such as instructions for a
	// journey or a form.
	ofSomething = lazyregexp.New(`^\s+(zur|zum|fur\s+d\w+|bezuglich|du\s+(formulaire|manuel|document|guide)|del\s+(manual|formulario|documento)|do\s+(manual|formulario)|sul|sulla)\b`)
	// ofThisServer matches wording that limits "all tools" to those of the same server.
	ofThisServer = lazyregexp.New(foldAll(`este servidor|d?este servidor|ce serveur|dieses servers|diesem server|quest[oa] server|server ini|bu sunucu|máy chủ này|` +
		`(本|此|这个|該|该)(服务器|服務器)|このサーバ|이 서버|هذا الخادم|इस सर्वर|এই সার্ভার|اس سرور|этого сервера`))
	// keptWords matches words for secrets that users want to keep, such as passwords.
	keptWords = foldAll(`(contraseñas?|clave|mots? de passe|senhas?|palavra-passe|passwor[dt]s?|kata sandi|` +
		`parola|şifre|mật khẩu|пароль|пароли|密码|密碼|パスワード|비밀번호|` +
		`كلمة المرور|पासवर्ड|পাসওয়ার্ড|پاس ورڈ|tokens?|token|pin)`)
	keptSaid   = lazyregexp.New(keptWords)
	keptBehind = lazyregexp.New(`^\s*(` + languages.Letter + `{1,4}['’\s]\s*){0,2}` + keptWords)
	keptAhead  = lazyregexp.New(keptWords + languages.Letter + `{0,4}[\s,、]*$`)
)

// keptFrom reports whether the text hides a password or another of the user's own secrets.
func keptFrom(ahead, said, behind []byte) bool {
	return keptSaid.Match(said) || keptBehind.Match(behind) || keptAhead.Match(ahead)
}

// foldAll is like languages.FoldExpr, but for an expression in which a space matches any
// white space.
func foldAll(expr string) string {
	return languages.InEither(strings.ReplaceAll(languages.FoldExpr(expr), ` `, `\s+`))
}
