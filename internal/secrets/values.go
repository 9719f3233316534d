// Package secrets recognizes credentials by their names, their values and the files that contain
// them.
package secrets

import (
	"math"
	"strings"
	"unicode"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Placeholder reports whether a value is not a real secret, but a placeholder, the default
// password of a development database, or a tool-specific reference.
func Placeholder(value string) bool {
	low := strings.ToLower(strings.Trim(value, `"'`))
	if low == "" || placeholders.MatchString(low) || ownReference.MatchString(value) || constantName.MatchString(value) {
		return true
	}
	return strings.Count(low, low[:1]) == len(low)
}

var (
	placeholders = lazyregexp.New(`^[<\[{(%].*[>\]})%]$|<[a-z][\w .-]*>|your|example|placeholder|change[-_]?(?:me|it)|replace|insert|dummy|fake|sample|redacted|` +
		`\btodo\b|x{4,}|\*{3,}|\.{3}|…|[-_](?:here|goes)$|^(?:my|the|some|a)[-_ ]|` +
		`^(?:password|passwd|pass|secret|user|username|none|null|true|false|token|api[-_]?key|key|sk-\.*|` + defaults + `)\d{0,3}!?$|` +
		`^(?:test|demo|dummy|mock|local|dev)[-_]|12345|abcdef|abc123`)
	// ownReference matches references that only a specific program resolves.
	ownReference = lazyregexp.New(`^(?:op|vault|keychain|keyring|secret|secrets|env|file|input|doppler|infisical|ssm|gcp|azure|aws|bws|1password|cmd)://?|` +
		`^(?:env|file|input|vault|keychain|cmd|secret|secrets):|^%[A-Za-z_]\w*%$|^\$\(|^\{\{.*\}\}$|^!|^\$[A-Za-z_]\w*$|^\$\{`)
	constantName = lazyregexp.New(`^[A-Z]+(?:_[A-Z0-9]+)+$`)
)

// defaults are passwords that databases and other services ship with, or that are usual in
// development.
const defaults = `postgres|mysql|root|admin|administrator|guest|test|testing|demo|dev|minioadmin|neo4j|mongo|redis|letmein|p@ssw0rd`

// DefaultPassword reports whether a value is the default password of a database or a similar
// service. A default password is also a Placeholder, because it protects nothing on a developer's
// machine.
func DefaultPassword(value string) bool { return defaultPasswords.MatchString(value) }

var defaultPasswords = lazyregexp.New(`^(?i:` + defaults + `)\d{0,3}!?$`)

// The thresholds at which a value looks generated.
const (
	MinRandomLength = 16
	randomVariety   = 9
	randomEntropy   = 3.0 // in bits per character; words and paths have less entropy, or no digits
)

// LooksRandom reports whether a value looks generated: letters and digits in random order.
func LooksRandom(s string) bool {
	if len(s) < MinRandomLength || strings.ContainsAny(s, " \t\n") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "~") {
		return false
	}
	count := map[rune]int{}
	letters, digits := 0, 0
	for _, r := range s {
		count[r]++
		if unicode.IsLetter(r) {
			letters++
		}
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if letters == 0 || digits < 2 || len(count) < randomVariety {
		return false
	}
	bits, n := 0.0, float64(len([]rune(s)))
	for _, c := range count {
		bits -= float64(c) / n * math.Log2(float64(c)/n)
	}
	return bits >= randomEntropy
}

// passwordLength is the minimum length, in bytes, of a literal password.
const passwordLength = 8

// LooksLikePassword reports whether a value looks like a real password.
func LooksLikePassword(s string) bool { return LooksLikePasswordFrom(s, passwordLength) }

// LooksLikePasswordFrom is like LooksLikePassword, with a different minimum length.
func LooksLikePasswordFrom(s string, length int) bool {
	if Placeholder(s) || len(s) < length || strings.ContainsAny(s, " \t\n/") {
		return false
	}
	kinds := map[string]bool{}
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			kinds["upper"] = true
		case unicode.IsLetter(r):
			kinds["lower"] = true
		case unicode.IsDigit(r):
			kinds["digit"] = true
		default:
			kinds["sign"] = true
		}
	}
	return kinds["digit"] && len(kinds) > 1 || len(kinds) > 2
}

// NamesSecret reports whether the name of a variable, header or flag suggests a secret.
func NamesSecret(name string) bool {
	return (text.NamesSecret(name) || authHeader.MatchString(name)) && !PublicName.MatchString(name)
}

var authHeader = lazyregexp.New(`(?i)^(?:authorization|proxy-authorization|cookie|x-(?:[a-z0-9]+-)*(?:key|token|secret))$`)

// PublicName matches names of values that are not secret, although a word in the name suggests a
// secret.
var PublicName = lazyregexp.New(`(?i)public|publishable|token_?(?:url|path|file|endpoint|limit|type|count)|max_?tokens?|` +
	`(?:sort|primary|partition|foreign|cache|public|project)[_-]?key|key[_-]?(?:id|name|path|file)$`)

// SessionKey reports whether a variable has the name and the value of a session key, such as BW_SESSION
// of Bitwarden. The value decides, because sessions also have names, types and numbers.
func SessionKey(name, value string) bool {
	return sessionName.MatchString(name) && !sessionDetail.MatchString(name) && LooksRandom(value) && sessionKey.mixes(value, notAlphanumeric)
}

var (
	sessionName   = lazyregexp.New(`(?i)(?:^|[_-])session(?:[_-][\w-]+)?$`)
	sessionDetail = lazyregexp.New(`(?i)[_-](?:id|name|type|dir|path|file|url)$`)
)

// Passphrase reports whether a value consists of four or more words, as in "correct horse battery
// staple".
func Passphrase(value string) bool {
	return len(value) >= MinRandomLength && passphrase.MatchString(value) && !Placeholder(value)
}

// Mnemonic reports whether a value is a recovery phrase of a wallet according to BIP 39.
func Mnemonic(value string) bool {
	return mnemonic.MatchString(value) && strings.Count(value, " ")%3 == 2 && !Placeholder(value)
}

var (
	passphrase = lazyregexp.New(`^[\pL\d'-]+(?: [\pL\d'-]+){3,}$`)
	mnemonic   = lazyregexp.New(`^[a-z]{3,8}(?: [a-z]{3,8}){11,23}$`)
)

func notAlphanumeric(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
