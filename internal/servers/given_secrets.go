package servers

import (
	"os"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Conceal masks the secrets that are given to the server in a text about it, and values that may be
// secret: in our own messages, it is better to mask too much than too little.
func (t *Target) Conceal(s string) string {
	var out []string
	for _, variable := range t.references {
		_, v, _ := strings.Cut(variable, "=")
		if _, err := os.Stat(v); err != nil { // a path is not a secret, and helps users understand a failure
			out = append(out, v)
		}
	}
	for _, value := range t.Headers {
		out = append(out, value, value[strings.LastIndexByte(value, ' ')+1:])
	}
	return text.Mask(t.Given().With(text.NewSecrets(out, nil)).Mask(s))
}

// minReference is the minimum length, in bytes, of a reference's value that counts as a secret.
const minReference = 6

// Given returns the secrets given to the server: those in its headers, variables, arguments and
// URL, the values of references, and headers from the command line. They are masked in what the
// server sends. Words that merely might be secrets are not masked, because masking changes the text
// that is inspected and hashed.
func (t *Target) Given() text.Secrets { return text.NewSecrets(t.given()) }

func (t *Target) given() (found, credentials []string) {
	words, set := t.words()
	given := secrets.Given{Variables: slices.Concat(t.references, t.inherited, t.Env), Words: words, URL: t.URL, Headers: t.Headers}
	for name, value := range t.Written.Env {
		if !text.IsReference(value) { // otherwise, its value is in Env
			given.Variables = append(given.Variables, name+"="+value)
		}
	}
	for _, variable := range set {
		given.Variables = append(given.Variables, variable.Name+"="+variable.Value)
	}
	certain, random, credentials := given.Secrets()
	found = append(certain, random...)
	for name, value := range t.Headers {
		if !t.Foreign && !plainHeader(name) { // users rarely pass other headers
			found = append(found, value)
		}
	}
	for _, variable := range t.references {
		if _, value, _ := strings.Cut(variable, "="); len(value) >= minReference && !strings.ContainsAny(value, " /\\") {
			found = append(found, value)
		}
	}
	return found, credentials
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

// plainHeader reports whether a header only describes the client or what it accepts.
func plainHeader(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "accept") || slices.Contains([]string{"content-type", "user-agent", "host", "origin", "referer", "cache-control", "connection"}, name)
}
