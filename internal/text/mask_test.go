package text

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// fake is a text that looks like a credential. It is assembled at run time, so that
// secret scanners do not report this file.
type fake struct{ name, text, hidden string }

func body(from byte, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz"[(int(from)*7+i*11+i/5)%54]
	}
	return string(b)
}

func fakes() []fake {
	var all []fake
	token := func(name, prefix, body string) { all = append(all, fake{name, prefix + body, prefix + body}) }
	labelled := func(name, before, secret, after string) {
		all = append(all, fake{name, before + secret + after, secret})
	}
	for _, p := range []string{"AKIA", "ASIA", "AGPA", "AIDA", "AROA"} {
		token("AWS "+p, p, strings.ToUpper(body(p[2], 16)))
	}
	for _, p := range []string{"o", "p", "s", "u", "r"} {
		token("GitHub gh"+p, "gh"+p+"_", body(p[0], 36))
	}
	token("GitHub fine-grained", "github"+"_pat_", body(1, 22)+"_"+body(2, 59))
	token("GitLab", "gl"+"pat-", body(3, 20))
	token("Slack", "xox"+"b-", "123456789012-"+body(4, 24))
	token("Anthropic", "sk-"+"ant-api03-", body(5, 80)+"-_AA")
	token("OpenAI", "sk-"+"proj-", body(6, 48))
	token("OpenAI, old", "sk-", body(7, 48))
	token("Stripe", "sk_"+"live_", body(8, 24))
	token("Stripe, restricted", "rk_"+"test_", body(9, 24))
	token("Google", "AI"+"za", body(10, 30)+"_-abc")
	token("npm", "npm"+"_", body(11, 36))
	token("Hugging Face", "hf"+"_", body(12, 34))
	token("Slack, of an app", "xapp"+"-1-", strings.ToUpper(body(33, 11))+"-1234567890123-"+strings.Repeat("0a9f", 16))
	token("Grafana", "gl"+"sa_", body(34, 32)+"_0a9f3c7d")
	token("Databricks", "da"+"pi", strings.Repeat("0a9f3c7d", 4))
	token("PyPI", "py"+"pi-AgE", body(35, 60))
	token("Postman", "PM"+"AK-", strings.Repeat("0a9f3c7d", 3)+"-"+strings.Repeat("0a9f3c7d1e", 4)[:34])
	token("Vault", "hv"+"s.", body(36, 90))
	token("Terraform", body(37, 14)+".atlas"+"v1.", body(38, 67))
	token("Doppler", "dp"+".pt.", body(39, 43))
	token("Atlassian", "ATA"+"TT3", body(40, 180))
	token("Square", "sq0"+"atp-", body(41, 22))
	token("SendGrid", "S"+"G.", body(42, 22)+"."+body(43, 43))
	token("Google, of a session", "ya"+"29.", body(44, 60))
	token("age", "AGE-SECRET-"+"KEY-1", strings.ToUpper(body(45, 58)))
	labelled("Slack webhook", "https://hooks.slack"+".com/services/T01234567/B01234567/", body(46, 24), "")
	labelled("Discord webhook", "https://discord"+".com/api/webhooks/123456789012345678/", body(47, 68), "")
	labelled("key of a connection string", "AccountName=x;Account"+"Key=", body(48, 86)+"==", ";EndpointSuffix=y")
	labelled("password of a connection string", "Server=db;User Id=sa;Pass"+"word=", body(49, 12), ";Encrypt=true")
	token("JWT", "ey"+"J", body(13, 30)+"."+body(14, 90)+"."+body(15, 43))
	token("JWT, unsigned", "ey"+"J", body(13, 30)+"."+body(14, 20)+".")
	pem := func(kind string) string { return "-----BEGIN " + kind + "PRIVATE " + "KEY-----\n" }
	token("PEM", pem(""), body(16, 64)+"\n"+body(17, 64)+"\n-----END")
	token("PEM, RSA", pem("RSA "), body(18, 64)+"/+\n"+body(19, 64)+"==\n-----END")
	token("PEM, as JSON", strings.TrimSuffix(pem("OPENSSH "), "\n"), `\n`+body(20, 64)+`\n-----END`)
	labelled("URL", "https://bob:", "hun"+"ter2", "@example.org/x")
	labelled("URL with @", "postgres://bob:", "p@ss"+body(21, 20), "@db.example.org:5432/x")
	labelled("URL without a user", "redis://:", body(22, 20), "@localhost")
	labelled("header", "Authorization: Bearer ", body(23, 30), "")
	labelled("header, JSON", `"authorization": "Basic `, body(24, 29)+"=", `"`)
	labelled("header, proxy", "proxy-authorization=token  ", body(25, 20), "")
	labelled("API key", "api_key=", body(26, 32), "")
	labelled("API key, JSON", `"apiKey": "`, body(27, 32), `"`)
	labelled("secret", "AWS_SECRET_ACCESS_"+"KEY = ", body(28, 36)+"/+==", "")
	labelled("password", "DB_PASSWORD: '", "correct-horse-battery", "'")
	labelled("short password with marks", "db_password=", "m4!Vq#t9", "\n")
	labelled("key in JSON in a string", `\"secret_key\": \"`, body(52, 40), `\"`)
	for _, label := range []string{"mot de passe : ", "Mot de passe\u00a0: ", "contraseña: ", "Senha = ", "Passwort: ", "hasło: ", "Пароль: ", "密码：", "パスワード：", "비밀번호: ", "**Kennwort**: "} {
		labelled("password after "+label, label, "S3cr3tPassw0rdX9", "")
	}
	labelled("list of passwords", `"passwords": ["`, "m4!Vq#t9", `"]`)
	labelled("second item of a list", `\"api_keys\" : [\"admin\",\n\"`, body(54, 30), `\"]`)
	labelled("list in YAML", "DB_PASSWORD: [admin, ", "blue-Mill-88", ", root]")
	labelled("cookie", "Set-Cookie: sid=", body(53, 24), "; HttpOnly")
	labelled("line of .netrc", "machine git.example login eva password ", "blue-Mill-88", "\n")
	labelled("line of .pgpass", "db.example:5432:billing:eva:", "blue-Mill-88", "\n")
	labelled("token", "https://example.org/x?access_token=", body(29, 24), "&y=1")
	labelled("token as the user of a URL", "https://", body(30, 24), "@git.example.org/x")
	labelled("URL with a short password", "postgres://u:", "pw"+"12345", "@h")
	for _, name := range []string{"key", "api_key", "access_token", "code", "X-Amz-Signature", "sig", "password"} {
		labelled("query, "+name, "https://example.org/x?a=b&"+name+"=", body(31, 9), "&y=1")
	}
	for _, name := range []string{"token ", "api-key=", "auth-token ", "DB_PASSWORD ", "secret\", \"", "accessToken ", "db-accessToken=", "openaiAPIKey\", \""} {
		labelled("flag, "+name, "run --"+name, body(32, 9), "")
	}
	return all
}

// leaks returns a part of the secret that the text reveals. The first four
// characters may be visible.
func leaks(text string, f fake) string {
	const piece = 6
	hidden := f.hidden
	if len(hidden) >= 16 && hidden[0] != '-' {
		hidden = hidden[4:]
	}
	for i := 0; i+piece <= len(hidden); i++ {
		if strings.Contains(text, hidden[i:i+piece]) {
			return hidden[i : i+piece]
		}
	}
	return ""
}

func TestMask(t *testing.T) {
	for _, f := range fakes() {
		want := "[masked]"
		if len(f.hidden) >= 16 && f.hidden[0] != '-' {
			want = f.hidden[:4] + want
		}
		masked := strings.Replace(f.text, f.hidden, want, 1)
		for _, around := range [][2]string{{"", ""}, {"use ", " now"}, {"(", ")"}, {"\"", "\","}, {"«", "»"}, {"line\n", "\nline"}} {
			in := around[0] + f.text + around[1]
			if got, want := Mask(in), around[0]+masked+around[1]; got != want {
				t.Errorf("%s: got %q, want %q", f.name, got, want)
			}
		}
		twice := "one " + f.text + " two " + f.text + " three"
		if got, want := Mask(twice), "one "+masked+" two "+masked+" three"; got != want {
			t.Errorf("%s twice: got %q, want %q", f.name, got, want)
		}
	}
}

// TestExcerptCuts checks that no part of a secret is visible, wherever the excerpt begins or ends.
func TestExcerptCuts(t *testing.T) {
	for _, f := range fakes() {
		s := "some words, then " + f.text + " and some more"
		first := strings.Index(s, f.hidden)
		last := first + len(f.hidden)
		for _, from := range []int{0, first - 1, first, first + 1, first + 4, first + 5, (first + last) / 2, last - 7, last} {
			for _, to := range []int{first, first + 1, first + 3, first + 5, (first + last) / 2, last - 1, last, last + 1, len(s)} {
				if from >= to {
					continue
				}
				got := Excerpt([]byte(s), from, to)
				if p := leaks(got, f); p != "" {
					t.Errorf("%s: [%d:%d] gives %q, which contains %q", f.name, from, to, got, p)
				}
				if inside := max(from, first) < min(to, last); inside != strings.Contains(got, "[masked]") {
					t.Errorf("%s: [%d:%d] gives %q, a part of the secret inside: %t", f.name, from, to, got, inside)
				}
				if to <= first && got != s[from:to] {
					t.Errorf("%s: [%d:%d] gives %q, want %q", f.name, from, to, got, s[from:to])
				}
			}
		}
	}
}

// TestExcerptLong checks that a secret is masked even if it begins far before the
// excerpt.
func TestExcerptLong(t *testing.T) {
	var lines strings.Builder
	for i := range byte(60) {
		lines.WriteString(body(i, 64) + "\n")
	}
	key := "-----BEGIN " + "PRIVATE KEY-----\n" + lines.String() + "-----END"
	jwt := "ey" + "J" + body(1, 40) + "." + strings.ReplaceAll(lines.String(), "\n", "-") + "." + body(2, 43)
	value := strings.ReplaceAll(lines.String(), "\n", "+")
	for _, f := range []fake{{"PEM", key, key}, {"JWT", jwt, jwt}, {"token", `"token": "` + value + `"`, value}, {"header", "Authorization: Bearer " + value, value}} {
		s := []byte(strings.Repeat("word ", 1000) + f.text + strings.Repeat(" word", 1000))
		first := strings.Index(string(s), f.hidden)
		for from := first; from < first+len(f.hidden); from += 501 {
			got := Excerpt(s, from, from+100)
			if p := leaks(got, f); p != "" {
				t.Errorf("%s: %d bytes into it the excerpt is %q", f.name, from-first, got)
			}
		}
	}
}

func TestMaskOverlapping(t *testing.T) {
	gh, jwt := "gh"+"p_"+body(1, 36), "ey"+"J"+body(2, 20)+"."+body(3, 20)+"."+body(4, 20)
	for _, c := range []struct{ in, want string }{
		{"token=" + gh, "token=gh" + "p_[masked]"},
		{"https://x:" + gh + "@github.com", "https://x:gh" + "p_[masked]@github.com"},
		{"Authorization: Bearer " + jwt, "Authorization: Bearer eyJ" + jwt[3:4] + "[masked]"},
		{`api_key: "` + jwt + `", next`, `api_key: "eyJ` + jwt[3:4] + `[masked]", next`},
		{"token=secret=" + body(5, 20), "token=secr[masked]"},
		{gh + " " + jwt, "gh" + "p_[masked] eyJ" + jwt[3:4] + "[masked]"},
		// The value of the first label is itself the label of the next value.
		{"set token: my_api_password_2: " + body(6, 20), "set token: my_a[masked]: " + body(6, 20)},
		{"set token: the_api_password: " + body(6, 20), "set token: the_[masked]: " + body(6, 4) + "[masked]"},
	} {
		if got := Mask(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func TestMaskLeavesProse(t *testing.T) {
	hash := strings.Repeat("3f2a9c1b7d", 4)
	for _, s := range []string{
		"", "The token is refreshed when it expires; a password is never asked for.",
		"Set api_key to the key of your account.", "max_tokens: 4096, next_page_token: null",
		"password: at least 12 characters", "password: trampoline", "cookie: name=value", "main.go:1234: got: want: something", "Authorization: required", "Authorization: Bearer <your-token>",
		"https://example.org/a/b?c=d#e", "http://localhost:3000/x", "https://example.org:8080/@scope/pkg", "ssh://git@github.com/a/b",
		"run --token ${MY_TOKEN} --password <yours> --key", "https://h.example/x?key=${KEY}&code=<code>", "https://h.example/x?monkey=banana", "a --monkey banana", "mail bob@example.org: thanks", "git@github.com:owner/repo.git", "at 10:30 @bob",
		"app." + hash + ".js", "sha256-" + hash, hash, "commit " + hash, "6f1d5c52-9c0f-4d4e-8f2b-0a1b2c3d4e5f",
		"sk-learn", "a task-queue-with-a-long-name", "disk-usage-of-the-whole-machine", "npm_config_cache", "hf_hub_download", "AKIA is a prefix", "AIzaSomething",
		"eyJ is how a JSON object begins in base64", "-----BEGIN " + "PUBLIC KEY-----\nabc\n-----END", "-----BEGIN CERTIFICATE-----",
		`{"errors":{"password":["is too short (minimum is 8 characters)"]},"token":["string","null"],"secrets":[]}`, "secrets: [github, production]",
		"xox is a game", "the secret: it is short", "глагол: пароль=тайна", "[masked]",
		"mot de passe : réinitialisé", "mot de passe : 12-caractères-minimum", "Passwort: mindestens-zwölf-Zeichen", "Mot de passe : votre-mot-de-passe", "密码：至少8个字符",
	} {
		if got := Mask(s); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

// TestHints checks that every secret contains a hint of its form.
func TestHints(t *testing.T) {
	for _, f := range fakes() {
		low := strings.ToLower(f.text)
		for i, form := range secrets {
			hinted := slices.ContainsFunc(form.hints, func(h string) bool { return strings.Contains(low, h) })
			if form.re.Match([]byte(f.text)) && !hinted {
				t.Errorf("%s: expression %d matches, but none of %q occurs", f.name, i, form.hints)
			}
		}
	}
}

// TestFormsAreFound checks that formsIn includes every form that matches.
func TestFormsAreFound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	pieces := []string{"a", "Secret", "password", "PASSWD", "api_key", "token", "K", "\u212aey", "\u017fecret", "--", "://", "u:", "@", ":", "5432", "=", `\"`, `\\`, "'", " ", "\n", "\t",
		"https", "aB3xY7qLm2Vw9ZtR", "machine x login y password ", "authorization: bearer ", "?sig=", ";pwd=", "set-cookie: a=", "-----BEGIN PRIVATE KEY-----"}
	matches := 0
	for range 40_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(9) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		text := b.String()
		low, forms := strings.ToLower(text), formsIn([]byte(text))
		for i, form := range secrets {
			if forms>>i&1 == 0 && slices.ContainsFunc(form.hints, func(h string) bool { return strings.Contains(low, h) }) && form.re.Match([]byte(text)) {
				t.Fatalf("expression %d matches %q and is not looked for", i, text)
			}
		}
		if forms != 0 {
			matches++
		}
	}
	if matches < 1000 {
		t.Errorf("%d texts have a form: the test says little", matches)
	}
}

func FuzzExcerpt(f *testing.F) {
	all := fakes()
	for i := range all {
		f.Add("before", "after", uint8(i), uint16(3), uint16(40))
	}
	for _, noise := range []string{"token=", "Authorization: Bearer", "https://a:", "-----BEGIN " + "PRIVATE KEY-----", "secret: \"", "\xff\x80", "token: api_key_of_bob:", strings.Repeat("x", 1100)} {
		f.Add(noise, noise, uint8(7), uint16(0), uint16(2000))
	}
	f.Fuzz(func(t *testing.T, before, after string, which uint8, x, y uint16) {
		secret := all[int(which)%len(all)]
		if len(before)+len(after) > 20_000 || leaks(before+" "+after, secret) != "" {
			return
		}
		s := []byte(before + " " + secret.text + " " + after)
		from, to := int(x)%(len(s)+1), int(y)%(len(s)+1)
		if from > to {
			from, to = to, from
		}
		if got := Excerpt(s, from, to); leaks(got, secret) != "" {
			t.Fatalf("%s: [%d:%d] of %q gives %q", secret.name, from, to, s, got)
		}
	})
}

// TestSecretsFitInASet checks that each form of secret has a bit in the set that formsIn returns.
func TestSecretsFitInASet(t *testing.T) {
	if len(secrets) > 64 {
		t.Errorf("%d forms of secrets: more than formsIn can return", len(secrets))
	}
}

// TestTokenCandidates checks that the candidates include each form of token that grants access.
func TestTokenCandidates(t *testing.T) {
	candidates := regexp.MustCompile(`^(?:` + TokenCandidates.Expr + `)`)
	for _, f := range tokens {
		if f.hints[0] == "eyj" || f.hints[0] == pemBegin { // have patterns of their own
			continue
		}
		for _, sample := range shortest(parsed(f.re.String()).Simplify()) {
			folded := strings.ToLower(sample)
			has := slices.ContainsFunc(TokenCandidates.Anchors, func(a string) bool { return strings.Contains(folded, a) })
			switch is := has && candidates.MatchString(folded); {
			case slices.Contains([]string{"AGPA", "AIDA", "AROA"}, sample[:4]), strings.Contains(sample, "k_test_"):
				if is {
					t.Errorf("%q is a candidate, but grants no access to anything real", sample)
				}
			case !is:
				t.Errorf("%q is not a candidate", sample)
			}
		}
	}
}

// shortest returns short strings that match an expression, one for each alternative and for each
// character of a small class.
func shortest(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		var all []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				all = append(all, string(r))
			}
		}
		if len(all) > 6 {
			return all[:1]
		}
		return all
	case syntax.OpCapture, syntax.OpPlus:
		return shortest(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, shortest(sub)...)
		}
		return all
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			var next []string
			for _, head := range all {
				for _, tail := range shortest(sub) {
					next = append(next, head+tail)
				}
			}
			all = next
		}
		return all
	}
	return []string{""}
}
