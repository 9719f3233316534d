package session

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// leakChecks decide, for each pattern of res-secret-leak, whether the text as sent is a secret. The
// parameter sent is the original text from the match on, and n is the length of the match in the
// folded text.
var leakChecks = [...]func(sent []byte, n int) (scanner.Severity, string){
	vendorToken, sessionToken, privateKey, connection, secretKey, accountKey, connectionString,
}

// vendorToken distinguishes a vendor's token from text that only starts like one. A generated key
// has a vendor's prefix and random characters.
func vendorToken(sent []byte, n int) (scanner.Severity, string) {
	token := text.Token(string(sent[:min(len(sent), n)]))
	switch {
	case token == "", onlyForTests.MatchString(strings.TrimPrefix(token, "AGE-SECRET-KEY")):
		return 0, ""
	case strings.HasPrefix(token, "AKIA"), strings.HasPrefix(token, "ASIA"), strings.HasPrefix(token, "hf_"):
	case !secrets.LooksRandom(token):
		return 0, ""
	case strings.HasPrefix(token, "AIza"), strings.HasPrefix(token, "ya29."):
		return scanner.Medium, "a Google key or token"
	}
	return scanner.High, "a token in its vendor's format"
}

// ofScanners reports whether a text contains the rules or tests of a secret scanner. An attacker
// can mention a scanner too, so this lowers the severity by only one level.
func ofScanners(t []byte) bool {
	return secretScanner.Match(t) && trade.Match(t)
}

var (
	secretScanner = lazyregexp.New(`(?i)\b(?:gitleaks|trufflehog|detect-secrets|ggshield|gitguardian|secret[- ]scann(?:er|ing)|secretlint|whispers)\b`)
	trade         = lazyregexp.New(`(?i)\b(?:regexp?|entropy|allowlist|false positives?|func test\w*|secretgroup|keywords)\b`)
)

var (
	jsonWebToken = lazyregexp.New(`^eyJ[0-9A-Za-z_-]{8,}\.(eyJ[0-9A-Za-z_-]{8,})\.([0-9A-Za-z_-]{16,})`)
	// sampleClaims matches claims in tokens from documentation.
	sampleClaims = lazyregexp.New(`(?i)john doe|jane doe|1234567890|example|test|demo|"sub":\s*"user-?\d*"|joe"`)
)

// sessionToken reports a JSON Web Token of a signed-in user.
func sessionToken(sent []byte, _ int) (scanner.Severity, string) {
	m := jsonWebToken.FindSubmatch(sent)
	if m == nil || !secrets.LooksRandom(string(m[2])) {
		return 0, ""
	}
	claims, err := base64.RawURLEncoding.DecodeString(string(m[1]))
	if err != nil || sampleClaims.Match(claims) {
		return 0, ""
	}
	return scanner.Medium, "a session token"
}

var (
	pemHeaders = lazyregexp.New(`^(?:\s|\\r|\\n|[A-Za-z-]+: [^\n\\]*)*`)
	pemLine    = lazyregexp.New(`^[0-9A-Za-z+/=]{48,}`)
)

// privateKey distinguishes a key from text that contains only its first line.
func privateKey(sent []byte, _ int) (scanner.Severity, string) {
	_, rest, _ := bytes.Cut(sent, []byte("KEY"))
	rest = bytes.TrimLeft(rest, " BLOCK-")
	headers := pemHeaders.Find(rest)
	line := pemLine.Find(rest[len(headers):])
	if line == nil || text.Variety(string(line)) < keyVariety || fillers.Match(line) {
		return 0, ""
	}
	if bytes.Contains(headers, []byte("ENCRYPTED")) || bytes.Contains(sent[:len(sent)-len(rest)], []byte("ENCRYPTED")) {
		return scanner.Medium, "an encrypted private key"
	}
	return scanner.High, "a private key"
}

// keyVariety is the minimum number of distinct characters in the first line of a key.
const keyVariety = 16

// fillers detects text that stands in for a key in examples.
var fillers = lazyregexp.New(`(?i)example|placeholder|redacted|yourprivate|yourkey|xxxx|12345678|abcdefgh|aaaaaaaaaaaaaaaaaaaa`)

// connection reports the address of a database or similar service if it contains a real password.
func connection(sent []byte, n int) (scanner.Severity, string) {
	u, err := url.Parse(string(bytes.TrimRight(sent[:min(len(sent), n)], ".-")))
	if err != nil || u.User == nil {
		return 0, ""
	}
	word, _ := u.User.Password()
	return unlocks(u.Hostname(), word)
}

// unlocks rates a leaked password for a host, or returns 0 if it is a placeholder or of no use to
// an attacker.
func unlocks(host, word string) (scanner.Severity, string) {
	low := strings.ToLower(host)
	switch {
	case !secrets.LooksLikePassword(word), text.IsReference(word), destination.Loopback(low), !strings.ContainsAny(low, ".:"), strings.HasSuffix(low, ".test"):
		return 0, ""
	case destination.Private(low):
		return scanner.Medium, "the password of a service on a private network"
	case destination.ReservedHost.MatchString(low):
		return 0, ""
	}
	return scanner.High, "the password of a service"
}

var assignedValue = lazyregexp.New(`[0-9A-Za-z/+=]{40,}$`)

// secretKey reports the secret part of an access key.
func secretKey(sent []byte, n int) (scanner.Severity, string) {
	value := assignedValue.FindString(string(sent[:min(len(sent), n)]))
	if !secrets.LooksRandom(value) || secrets.Placeholder(value) {
		return 0, ""
	}
	return scanner.High, "a secret access key"
}

// accountKey reports the key in a connection string.
func accountKey(sent []byte, n int) (scanner.Severity, string) {
	_, value, _ := bytes.Cut(sent[:min(len(sent), n)], []byte("="))
	if !secrets.LooksRandom(string(value)) || secrets.Placeholder(string(value)) || emulatorKey.Match(value) {
		return 0, ""
	}
	return scanner.High, "the key in a connection string"
}

// emulatorKey matches the start of the key that all Azure Storage emulators share.
var emulatorKey = lazyregexp.New(`^Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq`)

var (
	stringHost     = lazyregexp.New(`(?i)^(?:server|data source|host|addr)=(?:tcp:)?([^;,:\\]+)`)
	stringPassword = lazyregexp.New(`(?i)(?:password|pwd)=([^;\s"']+)$`)
)

// connectionString reports a password in an ADO or ODBC connection string.
func connectionString(sent []byte, n int) (scanner.Severity, string) {
	sent = sent[:min(len(sent), n)]
	host, word := stringHost.FindSubmatch(sent), stringPassword.FindSubmatch(sent)
	if host == nil || word == nil {
		return 0, ""
	}
	return unlocks(string(bytes.TrimSpace(host[1])), string(word[1]))
}
