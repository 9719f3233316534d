package text

import (
	"slices"
	"strings"
)

// tokens contains forms that are unmistakable without context. Sources: the token formats published
// by the vendors named.
var tokens = []secret{
	{[]string{"akia", "asia", "agpa", "aida", "aroa"}, // AWS access key id
		LazyExpr(`\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}\b`), nil},
	{[]string{"gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_"},
		LazyExpr(`\bgh[opsur]_[0-9A-Za-z]{20,255}\b|\bgithub_pat_[0-9A-Za-z_]{20,}\b`), nil},
	{[]string{"glpat-"}, LazyExpr(`\bglpat-[0-9A-Za-z_-]{20,}`), nil},                         // GitLab
	{[]string{"xox"}, LazyExpr(`\bxox[abeprs]-[0-9A-Za-z-]{10,}`), nil},                       // Slack
	{[]string{"sk-"}, LazyExpr(`\bsk-(?:ant-|proj-|live-)?[0-9A-Za-z_-]{16,}`), nil},          // Anthropic, OpenAI
	{[]string{"k_"}, LazyExpr(`\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}`), nil},                 // Stripe
	{[]string{"aiza"}, LazyExpr(`\bAIza[0-9A-Za-z_-]{35}`), nil},                              // Google
	{[]string{"npm_"}, LazyExpr(`\bnpm_[0-9A-Za-z]{36}\b`), nil},                              // npm
	{[]string{"hf_"}, LazyExpr(`\bhf_[0-9A-Za-z]{30,}\b`), nil},                               // Hugging Face
	{[]string{"pplx-"}, LazyExpr(`\bpplx-[0-9A-Za-z]{32,}\b`), nil},                           // Perplexity
	{[]string{"figd_"}, LazyExpr(`\bfigd_[0-9A-Za-z_-]{32,}`), nil},                           // Figma
	{[]string{"lin_api_"}, LazyExpr(`\blin_api_[0-9A-Za-z]{32,}\b`), nil},                     // Linear
	{[]string{"tvly-"}, LazyExpr(`\btvly-(?:dev-|prod-)?[0-9A-Za-z]{24,}\b`), nil},            // Tavily
	{[]string{"sbp_"}, LazyExpr(`\bsbp_[0-9a-f]{40}\b`), nil},                                 // Supabase
	{[]string{"gsk_"}, LazyExpr(`\bgsk_[0-9A-Za-z]{40,}\b`), nil},                             // Groq
	{[]string{"nvapi-"}, LazyExpr(`\bnvapi-[0-9A-Za-z_-]{40,}`), nil},                         // NVIDIA
	{[]string{"ntn_"}, LazyExpr(`\bntn_[0-9A-Za-z]{40,}\b`), nil},                             // Notion
	{[]string{"dop_v1_"}, LazyExpr(`\bdop_v1_[0-9a-f]{64}\b`), nil},                           // DigitalOcean
	{[]string{"shpat_"}, LazyExpr(`\bshpat_[0-9a-fA-F]{32}\b`), nil},                          // Shopify
	{[]string{"xapp-"}, LazyExpr(`\bxapp-[0-9]-[0-9A-Z]{8,}-[0-9]{8,}-[0-9a-f]{32,}\b`), nil}, // Slack, app-level
	{[]string{"glsa_"}, LazyExpr(`\bglsa_[0-9A-Za-z]{32}_[0-9a-f]{8}\b`), nil},                // Grafana
	{[]string{"dapi"}, LazyExpr(`\bdapi[0-9a-f]{32}\b`), nil},                                 // Databricks
	{[]string{"pypi-age"}, LazyExpr(`\bpypi-AgE[0-9A-Za-z_-]{50,}`), nil},                     // PyPI
	{[]string{"pmak-"}, LazyExpr(`\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b`), nil},                  // Postman
	{[]string{"hvs."}, LazyExpr(`\bhvs\.[0-9A-Za-z_-]{24,}`), nil},                            // HashiCorp Vault
	{[]string{".atlasv1."}, LazyExpr(`\b[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_-]{60,}`), nil},  // HCP Terraform
	{[]string{"dp."}, LazyExpr(`\bdp\.(?:pt|st|ct|sa|scim|audit)\.[0-9A-Za-z.]{40,}\b`), nil}, // Doppler
	{[]string{"atatt3"}, LazyExpr(`\bATATT3[0-9A-Za-z_=-]{60,}`), nil},                        // Atlassian
	{[]string{"sq0"}, LazyExpr(`\bsq0(?:atp|csp)-[0-9A-Za-z_-]{22,}`), nil},                   // Square
	{[]string{"sg."}, LazyExpr(`\bSG\.[0-9A-Za-z_-]{20,24}\.[0-9A-Za-z_-]{40,46}`), nil},      // SendGrid
	{[]string{"ya29."}, LazyExpr(`\bya29\.[0-9A-Za-z_-]{30,}`), nil},                          // Google, session token
	{[]string{"age-secret-key-"}, LazyExpr(`\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b`), nil},          // age
	{[]string{"hooks.slack.com/"}, LazyExpr(`\bhooks\.slack\.com/services/T[0-9A-Z]{6,}/B[0-9A-Z]{6,}/([0-9A-Za-z]{20,})`), nil},
	{[]string{"/api/webhooks/"}, LazyExpr(`\bdiscord(?:app)?\.com/api/webhooks/[0-9]{16,20}/([0-9A-Za-z_-]{60,})`), nil},
	{[]string{":aa"}, LazyExpr(`\b[0-9]{8,10}:AA[0-9A-Za-z_-]{32,34}`), nil},                         // Telegram
	{[]string{"eyj"}, LazyExpr(`\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*`), nil},    // JSON Web Token
	{[]string{pemBegin}, LazyExpr(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END|\z)`), nil}, // PEM, maybe truncated
}

// TokenCandidates finds, in folded text, tokens that grant access and text that resembles them. Token
// checks the exact, case-sensitive forms. Private keys and JSON Web Tokens are not included.
var TokenCandidates = Pattern{
	Name: "token",
	Expr: `\b(?:(?:akia|asia)[0-9a-z]{16}|(?:gh[opsur]_|github_pat_|glpat-|npm_|hf_|pplx-|figd_|lin_api_|sbp_|gsk_|nvapi-|ntn_|dop_v1_|shpat_|glsa_|dapi|` +
		`pypi-age|pmak-|hvs\.|atatt3|sq0atp-|sq0csp-|sg\.|ya29\.|aiza|xapp-)[0-9a-z_.=-]{18,200}|xox[abeprs]-[0-9a-z-]{10,200}|sk-[0-9a-z_-]{16,200}|` +
		`[sr]k_live_[0-9a-z]{16,120}|tvly-[0-9a-z-]{24,60}|dp\.(?:pt|st|ct|sa|scim|audit)\.[0-9a-z.]{40,60}|[0-9]{8,10}:aa[0-9a-z_-]{32,34}|` +
		`[0-9a-z]{14}\.atlasv1\.[0-9a-z_-]{60,80}|age-secret-key-1[0-9a-z]{58}|hooks\.slack\.com/services/t[0-9a-z/]{30,60}|` +
		`discord(?:app)?\.com/api/webhooks/[0-9a-z_/-]{76,100})`,
	Anchors: []string{"akia", "asia", "gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "xox", "sk-", "k_live_", "aiza", "npm_", "hf_",
		"pplx-", "figd_", "lin_api_", "tvly-", "sbp_", "gsk_", "nvapi-", "ntn_", "dop_v1_", "shpat_", "xapp-", "glsa_", "dapi", "pypi-age", "pmak-", "hvs.",
		".atlasv1.", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit.", "atatt3", "sq0atp-", "sq0csp-", "sg.", "ya29.", "age-secret-key-", ":aa",
		"hooks.slack.com/", "/api/webhooks/"},
}

// Token returns a credential in s that has a vendor's format, or "" if there is none. It
// skips placeholders: tokens that have fewer than tokenVariety distinct characters, or contain a
// word such as example.
func Token(s string) string {
	low := strings.ToLower(s)
	for _, f := range tokens {
		if !slices.ContainsFunc(f.hints, func(h string) bool { return strings.Contains(low, h) }) {
			continue
		}
		for _, t := range f.re.re.FindAllString(s, -1) {
			if !placeholder.Match([]byte(t)) && Variety(t) >= tokenVariety {
				return t
			}
		}
	}
	return ""
}

// tokenVariety is the minimum number of distinct characters in a real token. Sixteen random letters
// and digits usually have at least twelve.
const tokenVariety = 12

var placeholder = LazyExpr(`(?i)example|your|xxx|placeholder|dummy|fake|sample|change[-_ ]?me|12345|abcd`)

// Variety returns the number of distinct characters in s.
func Variety(s string) int {
	seen := map[rune]bool{}
	for _, r := range s {
		seen[r] = true
	}
	return len(seen)
}
