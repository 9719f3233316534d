package text

import (
	"regexp"
	"slices"
	"strings"
)

// secrets are the forms of credentials that a report must not repeat. The
// group, where there is one, is the part to hide. Sources: the published token
// formats of the vendors named.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}\b`),                       // AWS access key id
	regexp.MustCompile(`\bgh[opsur]_[0-9A-Za-z]{20,255}\b|\bgithub_pat_[0-9A-Za-z_]{20,}\b`), // GitHub
	regexp.MustCompile(`\bglpat-[0-9A-Za-z_-]{20,}`),                                         // GitLab
	regexp.MustCompile(`\bxox[abeprs]-[0-9A-Za-z-]{10,}`),                                    // Slack
	regexp.MustCompile(`\bsk-(?:ant-|proj-|live-)?[0-9A-Za-z_-]{16,}`),                       // Anthropic, OpenAI
	regexp.MustCompile(`\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}`),                             // Stripe
	regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`),                                            // Google
	regexp.MustCompile(`\bnpm_[0-9A-Za-z]{36}\b`),                                            // npm
	regexp.MustCompile(`\bhf_[0-9A-Za-z]{30,}\b`),                                            // Hugging Face
	regexp.MustCompile(`\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*`),          // JSON Web Token
	regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END|\z)`),          // PEM, also cut off
	regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@`),                    // userinfo of a URL
	regexp.MustCompile(`(?i)\b(?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+([0-9A-Za-z._~+/=-]{8,})`),
	regexp.MustCompile(`(?i)\b[a-z0-9_-]*(?:api[_-]?key|secret|passwd|password|token|access[_-]?key)["']?\s*[:=]\s*["']?([0-9A-Za-z._~+/=-]{12,})`),
}

// maskReach is how far around an excerpt a credential is looked for: a part of
// one must be masked as well as the whole.
const maskReach = 1024

// Excerpt returns s[from:to] with the credentials in it masked. The first four
// characters of one stay, so that its owner knows which it is; nobody else
// learns more.
func Excerpt(s []byte, from, to int) string {
	lo, hi := max(0, from-maskReach), min(len(s), to+maskReach)
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
		b.WriteString("[masked]")
		at = min(end, to)
	}
	b.Write(s[at:to])
	return b.String()
}

// Mask returns s with the credentials in it masked, as Excerpt does.
func Mask(s string) string { return Excerpt([]byte(s), 0, len(s)) }

// secretsIn returns the spans of credentials in s, in order, without overlap.
func secretsIn(s []byte) [][2]int {
	var spans [][2]int
	for _, re := range secrets {
		for _, m := range re.FindAllSubmatchIndex(s, -1) {
			spans = append(spans, [2]int{m[len(m)-2], m[len(m)-1]})
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
