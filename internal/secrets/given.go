package secrets

import (
	"encoding/base64"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/gitleaks"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Given contains the values that are passed to a server.
type Given struct {
	Variables []string          // NAME=VALUE
	Words     []string          // the command and its arguments
	URL       string            // address of a remote server
	Headers   map[string]string // sent to a remote server
}

// Secrets returns the secrets in these values. certain are values whose names suggest secrets, values
// in the format of a vendor or of a recovery phrase, and the credentials within any value: tokens,
// passwords in addresses and connection strings, and members of JSON. random are values that only look
// generated: they are masked in what a server sends, but not in its identity, because a commit or a
// digest looks the same. credentials are those of the certain values that cannot be anything else: a
// server that repeats one of them reveals it.
func (g *Given) Secrets() (certain, random, credentials []string) {
	var f found
	for _, variable := range g.Variables {
		f.named(strings.Cut(variable, "="))
	}
	for _, name := range slices.Sorted(maps.Keys(g.Headers)) {
		f.named(name, g.Headers[name], true)
	}
	f.within(g.URL)
	for i, w := range g.Words {
		f.word(w, i > 0 && !strings.HasPrefix(w, "-"), g.Words[max(i-1, 0)])
	}
	return f.secrets()
}

func distinct(values []string) []string {
	slices.Sort(values)
	return slices.DeleteFunc(slices.Compact(values), func(v string) bool { return v == "" })
}

// found collects secrets.
type found struct{ certain, random, credentials []string }

// secrets returns what was collected, but only those credentials that look generated.
func (f *found) secrets() (certain, random, credentials []string) {
	return distinct(f.certain), distinct(f.random), slices.DeleteFunc(distinct(f.credentials), func(v string) bool { return !generated(v) })
}

// secret takes secrets. They count as credentials if the name is not just similar to that of a secret.
func (f *found) secret(credentials bool, values ...string) {
	f.certain = append(f.certain, values...)
	if credentials {
		f.credentials = append(f.credentials, values...)
	}
}

// named takes the secrets from a named value. isValue is false for a variable without a value.
func (f *found) named(name, value string, isValue bool) {
	if !isValue {
		return
	}
	for name, value := range Parts(name, value) {
		short := value[:min(len(value), searchedBytes)]
		switch bare := withoutScheme(value); {
		case MayNameSecret(name):
			f.secret(NamesSecret(name), credentialsOf(value)...)
		case SessionKey(name, value), Mnemonic(value):
			f.secret(true, value)
		case gitleaks.Find(name+`="`+short+`"`) != "":
			f.secret(true, value, bare)
		case randomValue.fits(bare):
			f.random = append(f.random, value, bare)
		}
		f.masked(!PublicName.MatchString(name), name+"="+short)
		f.within(short)
	}
}

// word takes the secrets from a word of a command. after means that the word may be the value of
// the one before it.
func (f *found) word(w string, after bool, before string) {
	f.named(strings.Cut(w, "="))
	if name, value, ok := strings.Cut(w, ":"); ok && MayNameSecret(strings.TrimSpace(name)) { // header argument of a proxy such as mcp-remote
		f.named(strings.TrimSpace(name), strings.TrimSpace(value), true)
	}
	switch {
	case !after:
	case text.NamesSecret(before):
		f.secret(NamesSecret(before), w)
	case randomArgument.fits(w):
		f.random = append(f.random, w)
	}
	for name, part := range Parts("", w) {
		if name != "" {
			f.named(name, part, true)
		} else {
			f.within(part[:min(len(part), searchedBytes)])
		}
	}
}

// within takes the credentials from a value, whatever its name.
func (f *found) within(value string) {
	f.masked(true, value)
	for _, m := range slices.Concat(settings.FindAllStringSubmatch(value, -1), headers.FindAllStringSubmatch(value, -1)) {
		if MayNameSecret(m[1]) {
			f.keep(NamesSecret(m[1]), credentialsOf(strings.Trim(m[2], `"'`))...)
		}
	}
	f.secret(true, InAddresses(value)...)
	if strings.Contains(value, "://") {
		for _, address := range anyAddress.FindAllString(value, -1) {
			f.address(address)
		}
	}
}

// masked takes the parts of a text that a report masks.
func (f *found) masked(credentials bool, s string) {
	for _, span := range text.Credentials([]byte(s)) {
		credential := s[span[0]:span[1]]
		f.keep(credentials, credential)
		if plain, err := url.PathUnescape(credential); err == nil {
			f.keep(credentials, plain)
		}
	}
}

// keep is like secret, but leaves out words that examples use as passwords: masking them would change
// definitions that everyone can read.
func (f *found) keep(credentials bool, values ...string) {
	for _, v := range values {
		if !text.IsWord(v) || !Placeholder(v) {
			f.secret(credentials, v)
		}
	}
}

// address takes the secrets from the user and the query of an address.
func (f *found) address(raw string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return
	}
	if _, ok := u.User.Password(); !ok && randomValue.fits(u.User.Username()) {
		f.random = append(f.random, u.User.Username())
	}
	for name, values := range u.Query() {
		for _, value := range values {
			if MayNameSecret(name) {
				f.secret(NamesSecret(name), value)
			} else if randomValue.fits(value) {
				f.random = append(f.random, value)
			}
		}
	}
}

var (
	anyAddress = lazyregexp.New(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>` + "`" + `]+`)
	// settings matches the parts of a connection string such as Server=x;Password=y or host=x
	// password=y, and headers matches the headers in a list.
	settings = lazyregexp.New(`(?:^|[;,&?\s])([A-Za-z][\w.-]*)=("[^"]*"|'[^']*'|[^;,&\s"'<>]+)`)
	headers  = lazyregexp.New(`(?:^|[;,\r\n])[ \t]*([A-Za-z][\w-]*):[ \t]*([^;,\r\n]+)`)
)

// searchedBytes is the number of bytes at the beginning of a value that are searched for credentials.
const searchedBytes = 64 << 10

// Parts splits a value that is JSON into its strings, each with the name of its member. Any other
// value is returned as it is.
func Parts(name, value string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) { parts(name, value, yield) }
}

func parts(name, value string, yield func(name, value string) bool) bool {
	var decoded any
	if trimmed := strings.TrimSpace(value); trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && json.Unmarshal([]byte(trimmed), &decoded) == nil {
		return members(name, decoded, yield)
	}
	return yield(name, value)
}

func members(name string, value any, yield func(name, value string) bool) bool {
	switch value := value.(type) {
	case string:
		return parts(name, value, yield)
	case []any:
		for _, element := range value {
			if !members(name, element, yield) {
				return false
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if !members(name, value[name], yield) {
				return false
			}
		}
	}
	return true
}

// InHeaders lists the secrets in those headers of a request that carry credentials. credentials are as in
// [Given.Secrets].
func InHeaders(head map[string][]string) (certain, credentials []string) {
	var f found
	for name, values := range head {
		for _, value := range values {
			if MayNameSecret(name) {
				f.secret(NamesSecret(name), credentialsOf(value)...)
			}
		}
	}
	certain, _, credentials = f.secrets()
	return certain, credentials
}

// withoutScheme returns the value of a header without its scheme.
func withoutScheme(value string) string { return value[strings.LastIndexByte(value, ' ')+1:] }

// credentialsOf lists the secrets in a value whose name suggests a secret: a passphrase, or the value
// with and without its scheme, the values of cookies, and decoded Basic credentials.
func credentialsOf(value string) []string {
	if Passphrase(value) {
		return []string{value}
	}
	bare := withoutScheme(value)
	out := []string{strings.TrimSpace(value), bare}
	if authScheme.MatchString(out[0]) { // a reference follows it
		return nil
	}
	for cookie := range strings.SplitSeq(value, ";") {
		if _, v, ok := strings.Cut(cookie, "="); ok {
			out = append(out, strings.TrimSpace(v))
		}
	}
	if decoded, err := base64.StdEncoding.DecodeString(bare); err == nil {
		if _, password, ok := strings.Cut(string(decoded), ":"); ok {
			out = append(out, string(decoded), password)
		}
	}
	return out
}

var authScheme = lazyregexp.New(`(?i)^(?:bearer|basic|token|apikey|api-key)$`)

// MayNameSecret is like NamesSecret, but prefers false positives, because it decides what is
// masked.
func MayNameSecret(name string) bool { return text.NamesSecret(name) || secretEnding.MatchString(name) }

var secretEnding = lazyregexp.New(`(?i)(?:authorization|cookie|auth|_(?:token|key|secret|password|credentials))$`)

// randomness contains the criteria for random values: their minimum length, and the minimum length
// of a part between hyphens or underscores that has both letters and digits, in bytes. Parts of
// ordinary names usually consist of only letters or only digits.
type randomness struct{ length, part int }

var (
	randomValue    = randomness{10, 6} // value of a variable or a header
	randomArgument = randomness{16, 8} // longer, because an argument may be the name of a package
	sessionKey     = randomness{16, 16}
)

// minVariety is the minimum variety of a random value; see text.Variety.
const minVariety = 7

func (r randomness) fits(value string) bool {
	if len(value) < r.length || text.Variety(value) < minVariety || strings.ContainsAny(value, " /\\.:,") {
		return false
	}
	return r.mixes(value, func(c rune) bool { return c == '-' || c == '_' })
}

// mixes reports whether a part of a value that is long enough has both letters and digits.
func (r randomness) mixes(value string, separates func(rune) bool) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(value), separates), func(part string) bool {
		return len(part) >= r.part && strings.ContainsAny(part, "0123456789") && strings.ContainsAny(part, "abcdefghijklmnopqrstuvwxyz")
	})
}

// generated reports whether a value whose name or place suggests a secret looks like one: like a
// passphrase, or unlike, for example, a word, a host or a date.
func generated(value string) bool {
	return Passphrase(value) || len(value) >= passwordLength && !Placeholder(value) && randomValue.mixes(value, notAlphanumeric)
}
