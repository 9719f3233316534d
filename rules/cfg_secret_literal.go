package rules

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/published"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var cfgSecretLiteral = scanner.Rule{
	ID:         "cfg-secret-literal",
	Category:   "credential_theft",
	Title:      "The configuration contains a secret",
	Why:        "Configurations are committed, copied and read by every tool that starts servers. Anybody who sees the file has the credential.",
	Fix:        "Use a reference that the client supports, such as ${NAME}, ${env:NAME} or ${input:name}, and rotate the credential.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "High if the value has the published format of a vendor's token, or opens a database on another host; medium if its name indicates a secret and it looks random, or if name and value together have a published format; low for a password that may be any word. The formats are those of mcpscan and gitleaks.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0083", "CWE-798"},
	Config: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			e := &p.Entries[i]
			report := func(pointer, name, value string) {
				if severity, message := secretIn(name, value); message != "" {
					p.Report(e, pointer, severity, message, name+"="+text.Masked)
				}
			}
			named(e.Env, "/env/", report)
			named(e.Headers, "/headers/", report)
			report("/url", "url", e.URL)
			for k := range e.Args {
				name, value := argument(e.Args, k)
				report(fmt.Sprintf("/args/%d", k), name, value)
			}
		}
		for _, s := range p.Settings {
			if strings.HasPrefix(s.Pointer, "/envFile/") {
				continue // the file for secrets, which is not committed
			}
			if severity, message := secretIn(lastToken(s.Pointer), s.Text); message != "" {
				p.Report(nil, s.Pointer, severity, message, lastToken(s.Pointer)+"="+text.Masked)
			}
		}
	},
}

// named calls each for the members of a map, in the order of their names.
func named(values map[string]string, prefix string, each func(pointer, name, value string)) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		each(prefix+wire.EscapePointer(name), name, values[name])
	}
}

// argument returns the name that an argument goes by, and the value in it:
// --token=x, TOKEN=x, --header "X: y", or the text after --token.
func argument(args []string, i int) (name, value string) {
	if name, value, ok := strings.Cut(args[i], "="); ok && assigned.MatchString(name) {
		return strings.TrimLeft(name, "-"), value
	}
	if name, value, ok := strings.Cut(args[i], ":"); ok && headerName.MatchString(name) && !strings.HasPrefix(value, "//") {
		return name, strings.TrimSpace(value)
	}
	if i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=") && !strings.HasPrefix(args[i], "-") {
		return strings.TrimLeft(args[i-1], "-"), args[i]
	}
	return "argument", args[i]
}

var (
	assigned   = lazyregexp.New(`^-{0,2}[A-Za-z_][\w.-]*$`)
	headerName = lazyregexp.New(`^(?:[Aa]uthorization|[Cc]ookie|[A-Za-z]+(?:-[A-Za-z]+)+)$`)
)

// lastToken is the name of the member that a pointer leads to.
func lastToken(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// wordLength is the minimum length of a password if the name of the variable leaves no doubt.
const wordLength = 6

// credentialLength bounds the value that is compared with published formats; private keys and
// session tokens are the longest.
const credentialLength = 16 << 10

// secretIn judges a value with the name that it goes by; no message for no secret.
func secretIn(name, value string) (scanner.Severity, string) {
	literal := strings.TrimSpace(text.Literal(value))
	if scheme, rest, ok := strings.Cut(literal, " "); ok && authScheme.MatchString(scheme) {
		literal = strings.TrimSpace(rest)
	}
	if text.Token(literal) != "" {
		return scanner.High, "the value has the format of a vendor's token"
	}
	if u, err := url.Parse(literal); err == nil && u.Host != "" {
		return secretInURL(u)
	}
	short := literal[:min(len(literal), credentialLength)]
	switch {
	case literal == "", standIn(literal):
		return 0, ""
	case published.Find(`"`+short+`"`) != "":
		return scanner.High, "the value has the format of a vendor's token"
	case !publicName.MatchString(name) && !identifierName.MatchString(name) && published.Find(name+`="`+short+`"`) != "":
		return scanner.Medium, "name and value have the format of a vendor's credential"
	}
	switch {
	case !secretName(name) || text.IsReference(value) && len(literal) < randomLength:
	case random(literal):
		return scanner.Medium, "the name says that the value is a secret, and it looks like one"
	case passwordName.MatchString(name) && password(literal):
		return scanner.Medium, "the name says that the value is a password, and it looks like one"
	case wordName.MatchString(name) && passwordFrom(literal, wordLength):
		return scanner.Medium, "the name says that the value is a password, and it looks like one"
	case wordName.MatchString(name) && len(literal) >= wordLength && !strings.ContainsAny(literal, " \t\n/"):
		return scanner.Low, "the name says that the value is a password"
	}
	return 0, ""
}

// secretInURL judges the password of an address, and what its query names a secret.
func secretInURL(u *url.URL) (scanner.Severity, string) {
	if word, ok := u.User.Password(); ok && !text.IsReference(word) && password(word) && !loopback(u.Hostname()) {
		return scanner.High, "the address contains a password"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return 0, ""
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, v := range query[name] {
			if literal := text.Literal(v); secretName(name) && !standIn(literal) && random(literal) {
				return scanner.High, "the query of the address contains a secret"
			}
		}
	}
	return 0, ""
}

// secretName reports whether a variable, header or flag is named like a secret.
func secretName(name string) bool {
	return (text.NamesSecret(name) || authHeader.MatchString(name)) && !publicName.MatchString(name)
}

var (
	authScheme   = lazyregexp.New(`(?i)^(?:bearer|basic|token|apikey|api-key)$`)
	authHeader   = lazyregexp.New(`(?i)^(?:authorization|proxy-authorization|cookie|x-(?:[a-z0-9]+-)*(?:key|token|secret))$`)
	publicName   = lazyregexp.New(`(?i)public|publishable|token_?(?:url|path|file|endpoint|limit|type|count)|max_?tokens?|(?:sort|primary|partition|foreign|cache|public|project)[_-]?key|key[_-]?(?:id|name|path|file)$`)
	passwordName = lazyregexp.New(`(?i)passw(?:or)?d|pwd|secret`)
	// wordName names passwords that people choose, and so may be a word.
	wordName       = lazyregexp.New(`(?i)(?:^|_|-)(?:passw(?:or)?d|pwd|passphrase)$`)
	identifierName = lazyregexp.New(`(?i)(?:^|[_-])(?:id|url|uri|host|region|name)$`)
)
