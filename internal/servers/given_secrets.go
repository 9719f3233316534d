package servers

import (
	"encoding/base64"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
)

// mayBeSecret returns values given to the server that may be secret. They are masked in our own
// messages about the server, where it is better to mask too much than too little.
func (t *Target) mayBeSecret() []string {
	out := t.Given()
	for _, v := range t.secrets {
		if _, err := os.Stat(v); err != nil { // a path is not a secret, and helps users understand a failure
			out = append(out, v)
		}
	}
	for _, value := range t.Headers {
		out = append(out, value, credential(value))
	}
	return out
}

// Given returns the secrets given to the server: headers, variables, arguments and URL parts whose
// name or value suggests a secret, the values of references, and headers from the command line.
// They are masked in what the server sends. Words that merely might be secrets are not masked,
// because masking changes the text that is inspected and hashed.
func (t *Target) Given() (found []string) {
	add := func(name, value string) {
		if secretName(name) || looksSecret(credential(value)) {
			found = append(found, value, credential(value))
		}
	}
	for name, value := range t.Headers {
		if secretHeader(name) || !t.Foreign && !plainHeader(name) { // users rarely pass other headers
			found = append(found, credentialsOf(value)...)
		}
		add(name, value)
	}
	for _, variable := range t.Env {
		name, value, _ := strings.Cut(variable, "=")
		add(name, value)
	}
	for name, value := range t.Written.Env {
		add(name, value)
	}
	words, set := t.words()
	for _, variable := range set {
		add(variable.Name, variable.Value)
	}
	for i, w := range words {
		found = append(found, secrets.InAddresses(w)...)
		name, value, ok := strings.Cut(w, "=")
		if ok {
			add(name, value)
		}
		if i > 0 && !strings.HasPrefix(w, "-") && (text.NamesSecret(words[i-1]) || text.Token(w) != "" || randomArgument.fits(w)) {
			found = append(found, w)
		}
		if name, value, ok := strings.Cut(w, ":"); ok && secretHeader(strings.TrimSpace(name)) { // header argument of a proxy such as mcp-remote
			found = append(found, credentialsOf(strings.TrimSpace(value))...)
		}
	}
	found = append(found, SecretsInURL(t.URL)...)
	for _, value := range t.secrets { // values of references
		if len(value) >= randomValue.part && !strings.ContainsAny(value, " /\\") {
			found = append(found, value)
		}
	}
	return append(found, t.Named...)
}

// words returns the command with code for a shell or another interpreter split into words, and the
// variables that the command sets.
func (t *Target) words() (words []string, set []launch.Assignment) {
	if len(t.Command) == 0 {
		return nil, nil
	}
	l := launch.Parse(t.Command[0], t.Command[1:])
	for i, w := range t.Command {
		if i-1 != l.Code {
			words = append(words, w)
			continue
		}
		for word := range strings.FieldsSeq(w) {
			words = append(words, strings.Trim(word, "\"'`;"))
		}
	}
	return words, l.Env
}

// credential returns the value of a header without its scheme.
func credential(value string) string { return value[strings.LastIndexByte(value, ' ')+1:] }

// HeaderSecrets lists the secrets in a header that carries credentials; none for other headers.
func HeaderSecrets(name, value string) []string {
	if !secretHeader(name) || plainHeader(name) {
		return nil
	}
	return credentialsOf(value)
}

// credentialsOf lists the secrets in the value of a credential header: with and without its
// scheme, the values of cookies, and decoded Basic credentials.
func credentialsOf(value string) []string {
	out := []string{value, credential(value)}
	for cookie := range strings.SplitSeq(value, ";") {
		if _, v, ok := strings.Cut(cookie, "="); ok {
			out = append(out, strings.TrimSpace(v))
		}
	}
	if decoded, err := base64.StdEncoding.DecodeString(credential(value)); err == nil {
		if _, password, ok := strings.Cut(string(decoded), ":"); ok {
			out = append(out, string(decoded), password)
		}
	}
	return out
}

// secretHeader reports whether a header carries credentials.
func secretHeader(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "authorization") || strings.HasSuffix(name, "cookie") ||
		strings.HasSuffix(name, "auth") || secretName(name)
}

// plainHeader reports whether a header only describes the client or what it accepts.
func plainHeader(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "accept") || slices.Contains([]string{"content-type", "user-agent", "host", "origin", "referer", "cache-control", "connection"}, name)
}

// SecretsInURL lists the secrets in the user info, the path and the query of a URL.
func SecretsInURL(raw string) (found []string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil
	}
	if password, ok := u.User.Password(); ok {
		found = append(found, password)
	} else if looksSecret(u.User.Username()) {
		found = append(found, u.User.Username())
	}
	found = append(found, secrets.InPath(u)...)
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			if secretName(name) || looksSecret(value) {
				found = append(found, value)
			}
		}
	}
	return found
}

// randomness contains the criteria for random values: their minimum length, and the minimum length
// of a part between hyphens or underscores that has both letters and digits. Parts of ordinary names
// usually consist of only letters or only digits.
type randomness struct{ length, part int }

var (
	randomValue    = randomness{10, 6} // value of a variable or a header
	randomArgument = randomness{16, 8} // longer, because an argument may be the name of a package
)

// minVariety is the minimum variety of a random value; see text.Variety.
const minVariety = 7

// looksSecret reports whether a value has the format of a token, or looks random.
func looksSecret(value string) bool { return text.Token(value) != "" || randomValue.fits(value) }

func (r randomness) fits(value string) bool {
	if len(value) < r.length || text.Variety(value) < minVariety || strings.ContainsAny(value, " /\\.:,") {
		return false
	}
	parts := strings.FieldsFunc(strings.ToLower(value), func(r rune) bool { return r == '-' || r == '_' })
	return slices.ContainsFunc(parts, func(part string) bool {
		return len(part) >= r.part && strings.ContainsAny(part, "0123456789") && strings.ContainsAny(part, "abcdefghijklmnopqrstuvwxyz")
	})
}
