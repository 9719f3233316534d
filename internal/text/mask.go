package text

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// secret is a form of credential that a report must not repeat. If the expression has a group, only
// the group's match is hidden. Every match contains at least one of the hints, which are literals
// in lower case; the expression is run only on texts with a hint, which are few.
type secret struct {
	hints  []string
	re     *Expr
	allows func(rest []byte) bool // whether a match is possible with this text after a hint; nil if not checked
}

// secrets contains all known forms, including those recognized by their context.
var secrets = slices.Concat(tokens, []secret{
	{[]string{"://"}, LazyExpr(`(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/"<>]+)@`), toUser},      // userinfo of a URL
	{[]string{"://"}, LazyExpr(`(?i)\b[a-z][a-z0-9+.-]*://([^\s/:@"<>?#]{16,})@`), toUser},        // a token in place of the user name
	{[]string{"@tcp(", "@unix("}, LazyExpr(`(?i)[^\s:/@"'<>]+:([^\s/"<>]+)@(?:tcp|unix)\(`), nil}, // data source name of a Go program
	{[]string{"key=", "token=", "code=", "sig=", "signature=", "passwd=", "password=", "pwd=", "secret=", "auth="}, // query of a URL
		LazyExpr(`(?i)[?&;](?:[a-z0-9_.-]*[_.-])?(?:api-?key|key|token|code|sig|signature|passwd|password|pwd|secret|auth)=([^\s&;"'<>#${}\[\]]{4,})`), nil},
	{[]string{"--"}, // command-line flag
		LazyExpr(`(?i)(?:^|[^a-z0-9-])--(?:[a-z0-9]+[_-])*(?:api-?key|key|token|[a-z0-9]*passw(?:or)?d|pass|passphrase|pwd|pw|secret|auth|` +
			`bearer|credentials?|pat|(?-i:[a-z0-9][A-Za-z0-9]*(?:Key|Token|Passwd|Password|Secret|Auth|` +
			`Credentials?|Pat)))` + environmentSuffix + `(?:=|["',\s]+)([^\s"',<>${}()\[\]-][^\s"'<>»]{2,}[^\s"'<>»),.;])`), toFlag},
	{[]string{"accountkey=", "sharedaccesskey="}, // key in a connection string
		LazyExpr(`(?i)\b(?:account|sharedaccess)key=([0-9A-Za-z+/=]{40,})`), nil},
	{[]string{"pwd=", "password="}, // password in a connection string
		LazyExpr(`(?i);\s*(?:password|pwd)=([^;\s"'<>${}\[\]]{4,})`), nil},
	{[]string{"authorization"},
		LazyExpr(`(?i)\b(?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+([0-9A-Za-z._~+/=-]{8,})`), nil},
	{[]string{"key", "secret", "passwd", "password", "token"},
		LazyExpr(`(?i)\b[a-z0-9_-]*(?:api[_-]?key|secret|passwd|password|token|` +
			`(?:access|secret|private|signing|encryption|master)[_-]?key)` +
			`\\{0,3}["']?\s*[:=]\s*\\{0,3}["']?([0-9A-Za-z._~+/=-]{12,})`), toValue},
	marked,
	markedInOtherLanguages,
	listed,
	{[]string{"cookie"}, // the first cookie of a Cookie or Set-Cookie header
		LazyExpr(`(?i)\b(?:set-)?cookie["']?\s*[:=]\s*\\{0,3}["']?[a-z0-9_.-]+=([^\s;,"'\\<>{}\[\]]{16,})`), nil},
	{[]string{"machine"}, // a line of .netrc
		LazyExpr(`(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s"'\\<>{}\[\]]{6,})`), nil},
	{[]string{":"}, // a line of .pgpass
		LazyExpr(`(?:^|[^0-9A-Za-z.:*-])[0-9A-Za-z.*-]+:[0-9]{4,5}:[0-9A-Za-z_*-]+:[0-9A-Za-z_-]+:([^\s:"'\\<>{}\[\]]{8,})`), toPort},
})

// environmentSuffix matches an environment or a number after the name of a secret, as in _PROD or _2.
const environmentSuffix = `(?:[_-](?:prod(?:uction)?|stag(?:e|ing)|dev(?:elopment)?|test|main|[0-9]{1,2}))?`

// marked detects passwords that contain arbitrary punctuation. It also matches plain words, which
// secretsIn drops.
var marked = secret{[]string{"passwd", "password", "passphrase", "secret", "_pass", "_pwd", "_pw"},
	LazyExpr(`(?i)\b[a-z0-9_-]*(?:passwd|password|passphrase|secret|[a-z0-9]_(?:pass|pwd|pw))\\{0,3}["']?\s*[:=]\s*\\{0,3}["']?([^\s"'<>,;&${}()\[\]\\|:]{8,})`), toValue}

// markedInOtherLanguages is like marked, for labels in other languages, in which a space or a full-width
// colon often precedes the value. So that it does not match prose in these languages, such as
// votre-mot-de-passe, the value must be ASCII, contain a digit, and not be followed by a letter.
var markedInOtherLanguages = secret{[]string{"contrase", "senha", "palavra-passe", "mot de passe", "passwort", "kennwort", "wachtwoord", "hasło",
	"haslo", "lösenord", "adgangskode", "passord", "salasana", "jelszó", "heslo", "şifre", "mật khẩu", "kata sandi", "ароль",
	"סיסמ", "كلمة المرور", "كلمة السر", "पासवर्ड", "รหัสผ่าน", "密码", "密碼", "口令", "パスワード", "비밀번호"},
	LazyExpr(`(?:(?i)\b(?:contrase[ñn]a|senha|palavra-passe|mot de passe|passwort|kennwort|wachtwoord|has[łl]o|lösenord|adgangskode|passord|salasana|heslo|kata sandi)|` +
		`jelszó|şifre|mật khẩu|ароль|סיסמ[הא]|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน|密码|密碼|口令|パスワード|비밀번호)` +
		`\\{0,3}["'*]{0,3}[\s\x{a0}\x{202f}]*[:=：＝][\s\x{a0}\x{202f}\x{3000}]*\\{0,3}["'*]{0,3}([!#%*+./0-9?@A-Z^_a-z~-]{8,})(?:\PL|$)`), nil}

// listed detects lists whose name denotes secrets. secretsIn returns those of their items that marked
// would match.
var listed = secret{[]string{"key", "secret", "passwd", "password", "passphrase", "token", "_pass", "_pwd", "_pw"},
	LazyExpr(`(?i)\b[a-z0-9_-]*(?:api[_-]?key|secret|passwd|password|passphrase|token|[a-z0-9]_(?:pass|pwd|pw)|` +
		`(?:access|secret|private|signing|encryption|master)[_-]?key)s?\\{0,3}["']?\s*[:=]\s*\[([^\[\]{}]+)`), toList}

// notInItem are the characters that marked does not accept in a password.
const notInItem = " \t\r\n\f\"'<>,;&${}()[]\\|:"

// appendItems appends the spans of the items of a list that are long enough to be passwords.
func appendItems(spans [][2]int, s []byte, list [2]int) [][2]int {
	for at := list[0]; at < list[1]; at++ {
		start := at
		for at < list[1] && strings.IndexByte(notInItem, s[at]) < 0 {
			at++
		}
		if at-start >= leastSecret {
			spans = append(spans, [2]int{start, at})
		}
	}
	return spans
}

// hinted finds the hints of all secrets in one case-insensitive pass.
var hinted = sync.OnceValue(func() *literalTable {
	patterns := make([]Pattern, len(secrets))
	for i, f := range secrets {
		patterns[i].Anchors = f.hints
	}
	return newLiteralTable(patterns, true)
})

// formsIn returns a bit set of the secret forms for which s contains a hint.
func formsIn(s []byte) (forms uint64) {
	if bytes.Contains(s, []byte("\u0130")) || bytes.Contains(s, []byte("\u212a")) { // their lower-case forms are ASCII letters
		s = bytes.ToLower(s)
	}
	long := bytes.Contains(s, []byte("\u017f")) // matches the letter s in the expressions, but not in the functions in allows
	var small [64]occurrence
	hints := small[:0]
	for at := 0; at < len(s); at += scanBlock {
		hints = hinted().within(s, at, min(at+scanBlock, len(s)), hints[:0])
		for _, h := range hints {
			if allows := secrets[h.pattern].allows; forms>>h.pattern&1 == 0 && (allows == nil || long || allows(s[h.end:])) {
				forms |= 1 << h.pattern
			}
		}
	}
	return forms
}

const pemBegin = "-----begin "

// pemMark is pemBegin in its original case; hints are in lower case.
var pemMark = []byte("-----BEGIN ")

// The maximum distance, in bytes, from an excerpt at which a credential that overlaps it may begin or
// end. A credential that is only partly in the excerpt must be masked as well.
const (
	maskReach = 1024 // in both directions
	longReach = 8192 // back to the start of a private key, and to either end of a token
	labelSize = 64   // length of the text before a token, such as password=
)

// Excerpt returns s[from:to] with credentials masked. The first four characters of a long credential
// are kept so that its owner can identify it; they are of no use to anybody else.
func Excerpt(s []byte, from, to int) string { return Redact(s, from, to).Excerpt(from, to) }

// Redacted is a part of a text in which all credentials have been located.
type Redacted struct {
	text        []byte
	credentials [][2]int
}

// Redact finds the credentials in s[from:to], including those that extend beyond that range.
func Redact(s []byte, from, to int) Redacted {
	lo, hi := around(s, from, to)
	spans := secretsIn(s[lo:hi])
	for i := range spans {
		spans[i][0] += lo
		spans[i][1] += lo
	}
	return Redacted{s, spans}
}

// Excerpt is like the package-level Excerpt, for a range within the part.
func (r Redacted) Excerpt(from, to int) string {
	var b strings.Builder
	at := from
	for _, sp := range r.credentials {
		start, end := sp[0], sp[1]
		if end <= at || start >= to {
			continue
		}
		b.Write(r.text[at:max(start, at)])
		if end-start >= 16 && start >= from && r.text[start] != '-' {
			b.Write(r.text[start:min(start+4, to)])
		}
		b.WriteString(Masked)
		at = min(end, to)
	}
	b.Write(r.text[at:to])
	return b.String()
}

// Masked replaces a secret.
const Masked = "[masked]"

// NamesSecret reports whether word is a flag, variable or header name whose value is a secret.
func NamesSecret(word string) bool {
	if !strings.HasPrefix(word, "-") {
		word = "--" + word
	}
	probe := word + "=0123456789"
	return Mask(probe) != probe
}

// Mask returns s with credentials masked, as in Excerpt.
func Mask(s string) string {
	r := Redact([]byte(s), 0, len(s))
	if len(r.credentials) == 0 {
		return s
	}
	return r.Excerpt(0, len(s))
}

// around returns the part of s to search for credentials that overlap s[from:to]. It extends
// further than maskReach only for tokens and private keys.
func around(s []byte, from, to int) (lo, hi int) {
	floor, ceiling := max(0, from-longReach), min(len(s), to+longReach)
	lo, hi = max(0, from-maskReach), min(len(s), to+maskReach)
	for hi < ceiling && tokenByte(s[hi]) {
		hi++
	}
	at := lo
	for at > floor && tokenByte(s[at-1]) {
		at--
	}
	if at < lo {
		lo = max(floor, at-labelSize)
	}
	if before := s[floor:lo]; bytes.Contains(before, pemMark) { // much faster than LastIndex
		lo = floor + bytes.LastIndex(before, pemMark)
	}
	return lo, hi
}

func tokenByte(b byte) bool {
	return b >= '0' && b <= '9' || lower(b) >= 'a' && lower(b) <= 'z' || strings.IndexByte("._~+/=-", b) >= 0
}

// secretsIn returns the spans of the credentials in s, sorted and without overlap.
func secretsIn(s []byte) [][2]int {
	var spans [][2]int
	for forms := formsIn(s); forms != 0; forms &= forms - 1 {
		f := &secrets[bits.TrailingZeros64(forms)]
		from := len(spans)
		if f.re == listed.re {
			for _, list := range appendSpans(nil, f.re, s) {
				spans = appendItems(spans, s, list)
			}
		} else {
			spans = appendSpans(spans, f.re, s)
		}
		if f.re == marked.re || f.re == markedInOtherLanguages.re || f.re == listed.re {
			found := slices.DeleteFunc(spans[from:], func(sp [2]int) bool {
				v := s[sp[0]:sp[1]]
				return !mixed(v) || f.re == markedInOtherLanguages.re && !bytes.ContainsAny(v, "0123456789")
			})
			spans = spans[:from+len(found)]
		}
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	merged := spans[:0]
	for _, sp := range spans {
		if n := len(merged); n > 0 && sp[0] <= merged[n-1][1] {
			merged[n-1][1] = max(merged[n-1][1], sp[1])
			continue
		}
		merged = append(merged, sp)
	}
	return merged
}

// appendSpans appends the matches of re in s. If only part of a match is hidden, the search
// continues inside the match rather than after it, because its end may be the label of another
// value, as in "token: secret_of_bob: …".
func appendSpans(spans [][2]int, re *Expr, s []byte) [][2]int {
	for at := 0; ; {
		m := re.FindSubmatchIndex(s[at:])
		if m == nil {
			return spans
		}
		start, end := at+m[len(m)-2], at+m[len(m)-1]
		spans = append(spans, [2]int{start, end})
		if at = end; len(m) > 2 {
			at = max(start, end-labelSize)
		}
	}
}
