package rules

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// leakChecks decide, for each pattern of res-secret-leak, whether the original text is a
// secret. The match is its first n bytes in folded form, at least as many as in sent.
var leakChecks = [...]func(sent []byte, n int) (scanner.Severity, string){
	vendorToken, sessionToken, privateKey, connection, secretKey, accountKey, connectionString,
}

// vendorToken distinguishes a vendor's token from text that only begins like one. The
// characters of a generated key are random, and its prefix names the vendor.
func vendorToken(sent []byte, n int) (scanner.Severity, string) {
	token := text.Token(string(sent[:min(len(sent), n)]))
	switch {
	case token == "", onlyForTests.MatchString(strings.TrimPrefix(token, "AGE-SECRET-KEY")):
		return 0, ""
	case strings.HasPrefix(token, "AKIA"), strings.HasPrefix(token, "ASIA"), strings.HasPrefix(token, "hf_"):
	case !random(token):
		return 0, ""
	case strings.HasPrefix(token, "AIza"), strings.HasPrefix(token, "ya29."):
		return scanner.Medium, "a Google key or token"
	}
	return scanner.High, "a token in its vendor's format"
}

// ofScanners reports the rules or tests of a program that finds secrets. An attacker can
// name one, which costs a step of severity and not the finding.
func ofScanners(t []byte) bool {
	return secretScanner.Match(t) && trade.Match(t)
}

var (
	secretScanner = lazyregexp.New(`(?i)\b(?:gitleaks|trufflehog|detect-secrets|ggshield|gitguardian|secret[- ]scann(?:er|ing)|secretlint|whispers)\b`)
	trade         = lazyregexp.New(`(?i)\b(?:regexp?|entropy|allowlist|false positives?|func test\w*|secretgroup|keywords)\b`)
)

var (
	jsonWebToken = lazyregexp.New(`^eyJ[0-9A-Za-z_-]{8,}\.(eyJ[0-9A-Za-z_-]{8,})\.([0-9A-Za-z_-]{16,})`)
	// sampleClaims are in the tokens of documentation.
	sampleClaims = lazyregexp.New(`(?i)john doe|jane doe|1234567890|example|test|demo|"sub":\s*"user-?\d*"|joe"`)
)

// sessionToken tells a JSON Web Token that somebody signed in with.
func sessionToken(sent []byte, _ int) (scanner.Severity, string) {
	m := jsonWebToken.FindSubmatch(sent)
	if m == nil || !random(string(m[2])) {
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

// privateKey tells a key from the first line of one.
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

// keyVariety is how many different characters the first line of a key has at least.
const keyVariety = 16

// fillers replace a key.
var fillers = lazyregexp.New(`(?i)example|placeholder|redacted|yourprivate|yourkey|xxxx|12345678|abcdefgh|aaaaaaaaaaaaaaaaaaaa`)

// connection tells the address of a database, or the like, with a password in use.
func connection(sent []byte, n int) (scanner.Severity, string) {
	u, err := url.Parse(string(bytes.TrimRight(sent[:min(len(sent), n)], ".-")))
	if err != nil || u.User == nil {
		return 0, ""
	}
	word, _ := u.User.Password()
	return unlocks(u.Hostname(), word)
}

// unlocks rates the password of a host.
func unlocks(host, word string) (scanner.Severity, string) {
	low := strings.ToLower(host)
	switch {
	case !password(word), text.IsReference(word), loopback(low), !strings.ContainsAny(low, ".:"), strings.HasSuffix(low, ".test"):
		return 0, ""
	case private(low):
		return scanner.Medium, "the password of a service on a private network"
	case reservedHost.MatchString(low):
		return 0, ""
	}
	return scanner.High, "the password of a service"
}

var assignedValue = lazyregexp.New(`[0-9A-Za-z/+=]{40,}$`)

// secretKey tells the secret part of an access key.
func secretKey(sent []byte, n int) (scanner.Severity, string) {
	value := assignedValue.FindString(string(sent[:min(len(sent), n)]))
	if !random(value) || standIn(value) {
		return 0, ""
	}
	return scanner.High, "a secret access key"
}

// accountKey tells the key of a connection string.
func accountKey(sent []byte, n int) (scanner.Severity, string) {
	_, value, _ := bytes.Cut(sent[:min(len(sent), n)], []byte("="))
	if !random(string(value)) || standIn(string(value)) || emulatorKey.Match(value) {
		return 0, ""
	}
	return scanner.High, "the key of a connection string"
}

// emulatorKey begins the key that all emulators of Azure Storage have in common.
var emulatorKey = lazyregexp.New(`^Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq`)

var (
	stringHost     = lazyregexp.New(`(?i)^(?:server|data source|host|addr)=(?:tcp:)?([^;,:\\]+)`)
	stringPassword = lazyregexp.New(`(?i)(?:password|pwd)=([^;\s"']+)$`)
)

// connectionString tells a password in the form that ADO and ODBC have.
func connectionString(sent []byte, n int) (scanner.Severity, string) {
	sent = sent[:min(len(sent), n)]
	host, word := stringHost.FindSubmatch(sent), stringPassword.FindSubmatch(sent)
	if host == nil || word == nil {
		return 0, ""
	}
	return unlocks(string(bytes.TrimSpace(host[1])), string(word[1]))
}
