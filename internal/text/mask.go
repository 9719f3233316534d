package text

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// secret is a form of credential that a report must not repeat. The group of
// the expression, where there is one, is the part to hide. Hints are literals
// in lower case of which every match contains one: most texts contain none and
// are spared the expression.
type secret struct {
	hints []string
	re    *lazyregexp.Regexp
}

// tokens are the forms that nothing else has. Sources: the published token
// formats of the vendors named.
var tokens = []secret{
	{[]string{"akia", "asia", "agpa", "aida", "aroa"}, // AWS access key id
		lazyregexp.New(`\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}\b`)},
	{[]string{"gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_"},
		lazyregexp.New(`\bgh[opsur]_[0-9A-Za-z]{20,255}\b|\bgithub_pat_[0-9A-Za-z_]{20,}\b`)},
	{[]string{"glpat-"}, lazyregexp.New(`\bglpat-[0-9A-Za-z_-]{20,}`)},                         // GitLab
	{[]string{"xox"}, lazyregexp.New(`\bxox[abeprs]-[0-9A-Za-z-]{10,}`)},                       // Slack
	{[]string{"sk-"}, lazyregexp.New(`\bsk-(?:ant-|proj-|live-)?[0-9A-Za-z_-]{16,}`)},          // Anthropic, OpenAI
	{[]string{"k_"}, lazyregexp.New(`\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}`)},                 // Stripe
	{[]string{"aiza"}, lazyregexp.New(`\bAIza[0-9A-Za-z_-]{35}`)},                              // Google
	{[]string{"npm_"}, lazyregexp.New(`\bnpm_[0-9A-Za-z]{36}\b`)},                              // npm
	{[]string{"hf_"}, lazyregexp.New(`\bhf_[0-9A-Za-z]{30,}\b`)},                               // Hugging Face
	{[]string{"pplx-"}, lazyregexp.New(`\bpplx-[0-9A-Za-z]{32,}\b`)},                           // Perplexity
	{[]string{"figd_"}, lazyregexp.New(`\bfigd_[0-9A-Za-z_-]{32,}`)},                           // Figma
	{[]string{"lin_api_"}, lazyregexp.New(`\blin_api_[0-9A-Za-z]{32,}\b`)},                     // Linear
	{[]string{"tvly-"}, lazyregexp.New(`\btvly-(?:dev-|prod-)?[0-9A-Za-z]{24,}\b`)},            // Tavily
	{[]string{"sbp_"}, lazyregexp.New(`\bsbp_[0-9a-f]{40}\b`)},                                 // Supabase
	{[]string{"gsk_"}, lazyregexp.New(`\bgsk_[0-9A-Za-z]{40,}\b`)},                             // Groq
	{[]string{"nvapi-"}, lazyregexp.New(`\bnvapi-[0-9A-Za-z_-]{40,}`)},                         // NVIDIA
	{[]string{"ntn_"}, lazyregexp.New(`\bntn_[0-9A-Za-z]{40,}\b`)},                             // Notion
	{[]string{"dop_v1_"}, lazyregexp.New(`\bdop_v1_[0-9a-f]{64}\b`)},                           // DigitalOcean
	{[]string{"shpat_"}, lazyregexp.New(`\bshpat_[0-9a-fA-F]{32}\b`)},                          // Shopify
	{[]string{"xapp-"}, lazyregexp.New(`\bxapp-[0-9]-[0-9A-Z]{8,}-[0-9]{8,}-[0-9a-f]{32,}\b`)}, // Slack, of an app
	{[]string{"glsa_"}, lazyregexp.New(`\bglsa_[0-9A-Za-z]{32}_[0-9a-f]{8}\b`)},                // Grafana
	{[]string{"dapi"}, lazyregexp.New(`\bdapi[0-9a-f]{32}\b`)},                                 // Databricks
	{[]string{"pypi-age"}, lazyregexp.New(`\bpypi-AgE[0-9A-Za-z_-]{50,}`)},                     // PyPI
	{[]string{"pmak-"}, lazyregexp.New(`\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b`)},                  // Postman
	{[]string{"hvs."}, lazyregexp.New(`\bhvs\.[0-9A-Za-z_-]{24,}`)},                            // HashiCorp Vault
	{[]string{".atlasv1."}, lazyregexp.New(`\b[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_-]{60,}`)},  // HCP Terraform
	{[]string{"dp."}, lazyregexp.New(`\bdp\.(?:pt|st|ct|sa|scim|audit)\.[0-9A-Za-z.]{40,}\b`)}, // Doppler
	{[]string{"atatt3"}, lazyregexp.New(`\bATATT3[0-9A-Za-z_=-]{60,}`)},                        // Atlassian
	{[]string{"sq0"}, lazyregexp.New(`\bsq0(?:atp|csp)-[0-9A-Za-z_-]{22,}`)},                   // Square
	{[]string{"sg."}, lazyregexp.New(`\bSG\.[0-9A-Za-z_-]{20,24}\.[0-9A-Za-z_-]{40,46}`)},      // SendGrid
	{[]string{"ya29."}, lazyregexp.New(`\bya29\.[0-9A-Za-z_-]{30,}`)},                          // Google, of a session
	{[]string{"age-secret-key-"}, lazyregexp.New(`\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b`)},          // age
	{[]string{"hooks.slack.com/"}, lazyregexp.New(`\bhooks\.slack\.com/services/T[0-9A-Z]{6,}/B[0-9A-Z]{6,}/([0-9A-Za-z]{20,})`)},
	{[]string{"/api/webhooks/"}, lazyregexp.New(`\bdiscord(?:app)?\.com/api/webhooks/[0-9]{16,20}/([0-9A-Za-z_-]{60,})`)},
	{[]string{":aa"}, lazyregexp.New(`\b[0-9]{8,10}:AA[0-9A-Za-z_-]{32,34}`)},                         // Telegram
	{[]string{"eyj"}, lazyregexp.New(`\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*`)},    // JSON Web Token
	{[]string{pemBegin}, lazyregexp.New(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END|\z)`)}, // PEM, also cut off
}

// secrets are all known forms, also those that go by what is beside them.
var secrets = slices.Concat(tokens, []secret{
	{[]string{"://"}, lazyregexp.New(`(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/"<>]+)@`)}, // userinfo of a URL
	{[]string{"://"}, lazyregexp.New(`(?i)\b[a-z][a-z0-9+.-]*://([^\s/:@"<>?#]{16,})@`)},   // a token in place of a user
	{[]string{"key=", "token=", "code=", "sig=", "signature=", "passwd=", "password=", "pwd=", "secret=", "auth="}, // the query of a URL
		lazyregexp.New(`(?i)[?&;](?:[a-z0-9_.-]*[_.-])?(?:api-?key|key|token|code|sig|signature|passwd|password|pwd|secret|auth)=([^\s&;"'<>#${}\[\]]{4,})`)},
	{[]string{"--"}, // the flag of a command
		lazyregexp.New(`(?i)(?:^|[^a-z0-9-])--(?:[a-z0-9]+[_-])*(?:api-?key|key|token|passwd|password|secret|auth|bearer|credentials?|pat)(?:=|["',\s]+)([^\s"',<>${}()\[\]-][^\s"'<>»]{2,}[^\s"'<>»),.;])`)},
	{[]string{"accountkey=", "sharedaccesskey="}, // the key of a connection string
		lazyregexp.New(`(?i)\b(?:account|sharedaccess)key=([0-9A-Za-z+/=]{40,})`)},
	{[]string{"pwd=", "password="}, // the password of one
		lazyregexp.New(`(?i);\s*(?:password|pwd)=([^;\s"'<>${}\[\]]{4,})`)},
	{[]string{"authorization"},
		lazyregexp.New(`(?i)\b(?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+([0-9A-Za-z._~+/=-]{8,})`)},
	{[]string{"key", "secret", "passwd", "password", "token"},
		lazyregexp.New(`(?i)\b[a-z0-9_-]*(?:api[_-]?key|secret|passwd|password|token|(?:access|secret|private|signing|encryption|master)[_-]?key)\\{0,3}["']?\s*[:=]\s*\\{0,3}["']?([0-9A-Za-z._~+/=-]{12,})`)},
	marked,
	{[]string{"cookie"}, // the first of those that a client shows
		lazyregexp.New(`(?i)\b(?:set-)?cookie["']?\s*[:=]\s*\\{0,3}["']?[a-z0-9_.-]+=([^\s;,"'\\<>{}\[\]]{16,})`)},
	{[]string{"machine"}, // a line of .netrc
		lazyregexp.New(`(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s"'\\<>{}\[\]]{6,})`)},
	{[]string{":"}, // a line of .pgpass
		lazyregexp.New(`(?:^|[^0-9A-Za-z.:*-])[0-9A-Za-z.*-]+:[0-9]{4,5}:[0-9A-Za-z_*-]+:[0-9A-Za-z_-]+:([^\s:"'\\<>{}\[\]]{8,})`)},
})

// marked is the form of passwords with any marks in them. It also finds words, which
// have none.
var marked = secret{[]string{"passwd", "password", "passphrase", "secret"},
	lazyregexp.New(`(?i)\b[a-z0-9_-]*(?:passwd|password|passphrase|secret)\\{0,3}["']?\s*[:=]\s*\\{0,3}["']?([^\s"'<>,;&${}()\[\]\\|:]{8,})`)}

// anySecret filters for all of them at once: nearly all texts hold none.
var anySecret = func() *Expr {
	var exprs []string
	for _, f := range secrets {
		exprs = append(exprs, "(?:"+f.re.Source()+")")
	}
	return LazyExpr(strings.Join(exprs, "|"))
}()

const pemBegin = "-----begin "

// How far around an excerpt a credential is looked for: a part of one must be
// masked as well as the whole.
const (
	maskReach = 1024 // both ways
	longReach = 8192 // back to the start of a private key, and to both ends of a token
	labelSize = 64   // of the text before a token, such as password=
)

// Token returns the first credential in s that has the format of a vendor, ""
// for none. A placeholder has fewer than tokenVariety different characters, or
// says that it is one.
func Token(s string) string {
	low := strings.ToLower(s)
	for _, f := range tokens {
		if !slices.ContainsFunc(f.hints, func(h string) bool { return strings.Contains(low, h) }) {
			continue
		}
		for _, t := range f.re.FindAllString(s, -1) {
			if !placeholder.MatchString(t) && Variety(t) >= tokenVariety {
				return t
			}
		}
	}
	return ""
}

// tokenVariety is how many different characters a real token has. Sixteen random
// letters and digits have twelve and more.
const tokenVariety = 12

var placeholder = lazyregexp.New(`(?i)example|your|xxx|placeholder|dummy|fake|sample|change[-_ ]?me|12345|abcd`)

// Variety returns how many different characters a text has.
func Variety(s string) int {
	seen := map[rune]bool{}
	for _, r := range s {
		seen[r] = true
	}
	return len(seen)
}

// Excerpt returns s[from:to] with the credentials in it masked. The first four
// characters of one stay, so that its owner knows which it is; nobody else
// learns more.
func Excerpt(s []byte, from, to int) string {
	lo, hi := around(s, from, to)
	var b strings.Builder
	at := from
	for _, sp := range secretsIn(s[lo:hi]) {
		start, end := sp[0]+lo, sp[1]+lo
		if end <= at || start >= to {
			continue
		}
		b.Write(s[at:max(start, at)])
		if end-start >= 16 && start >= from && s[start] != '-' {
			b.Write(s[start:min(start+4, to)])
		}
		b.WriteString(Masked)
		at = min(end, to)
	}
	b.Write(s[at:to])
	return b.String()
}

// Masked replaces a secret.
const Masked = "[masked]"

// NamesSecret reports whether the word is a flag, or the name of a variable or
// a header, whose value is a secret.
func NamesSecret(word string) bool {
	if !strings.HasPrefix(word, "-") {
		word = "--" + word
	}
	probe := word + "=0123456789"
	return Mask(probe) != probe
}

// Mask returns s with the credentials in it masked, as Excerpt does.
func Mask(s string) string { return Excerpt([]byte(s), 0, len(s)) }

// around returns the part of s in which to look for credentials that reach into
// s[from:to]. Only tokens and private keys are longer than maskReach.
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
	if i := bytes.LastIndex(s[floor:lo], bytes.ToUpper([]byte(pemBegin))); i >= 0 {
		lo = floor + i
	}
	return lo, hi
}

func tokenByte(b byte) bool {
	return b >= '0' && b <= '9' || lower(b) >= 'a' && lower(b) <= 'z' || strings.IndexByte("._~+/=-", b) >= 0
}

// secretsIn returns the spans of credentials in s, in order, without overlap.
func secretsIn(s []byte) [][2]int {
	if !anySecret.mayMatch(s) {
		return nil
	}
	var spans [][2]int
	low := bytes.ToLower(s)
	for _, f := range secrets {
		if slices.ContainsFunc(f.hints, func(h string) bool { return bytes.Contains(low, []byte(h)) }) {
			from := len(spans)
			spans = appendSpans(spans, f.re, s)
			if f.re == marked.re {
				found := slices.DeleteFunc(spans[from:], func(sp [2]int) bool { return !mixed(s[sp[0]:sp[1]]) })
				spans = spans[:from+len(found)]
			}
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

// appendSpans appends what re finds in s. Where a part of a match is hidden the
// search goes on inside it, not behind it: its end may be the label of another
// value, as in "token: secret_of_bob: …".
func appendSpans(spans [][2]int, re *lazyregexp.Regexp, s []byte) [][2]int {
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
