package configuration

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/gitleaks"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var SecretLiteral = scanner.Rule{
	ID:         "cfg-secret-literal",
	Category:   "credential_theft",
	Title:      "The configuration contains a secret",
	Why:        "Configurations are committed, copied and read by every tool that starts servers. Anyone who sees the file has the credential.",
	Fix:        "Use a reference that the client supports, such as ${NAME}, ${env:NAME} or ${input:name}, and rotate the credential.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is high if the value has the published format of a vendor's token, is a URL that contains a password and leads to another machine, or is a URL with a secret in its query. It is medium if the variable or option is named like a secret and the value looks random, if name and value together have a published format, if the value has the format of a wallet's recovery phrase, if the path of an MCP endpoint contains a random value, or if a URL that leads to another machine contains a default password or one that may be an ordinary word (host.docker.internal and names without a dot do not count as other machines here). It is low for a password that is not in a URL and may consist of ordinary words. The formats come from mcpscan and gitleaks.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0083", "CWE-798"},
	Config: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			e := &p.Entries[i]
			type secret struct{ name, message string }
			found := map[string][]secret{} // by JSON Pointer
			report := func(pointer, name, value string) {
				for name, value := range secrets.Parts(name, value) {
					severity, message := secretIn(name, value)
					if one := (secret{name, message}); message != "" && !slices.Contains(found[pointer], one) {
						found[pointer] = append(found[pointer], one)
						p.Report(e, pointer, severity, message, name+"="+text.Masked)
					}
				}
			}
			named(e.Env, "/env/", report)
			named(e.Headers, "/headers/", report)
			report("/url", "url", e.URL)
			l := launch.Parse(e.Command, e.Args)
			for _, c := range l.Behind {
				pointer, _ := entries.Argument(e, c.Text)
				for k := range c.TextWords {
					name, value := argument(c.TextWords, k)
					report(pointer, name, value)
				}
			}
			for k := range e.Args {
				name, value := argument(e.Args, k)
				if pointer := fmt.Sprintf("/args/%d", k); found[pointer] == nil { // otherwise, its words have been reported
					report(pointer, name, value)
				}
			}
			for _, s := range e.Other {
				name := lastToken(s.Pointer)
				if severity, message := secretIn(name, s.Text); message != "" {
					p.ReportOther(e, s, severity, message, name+"="+text.Masked)
				}
			}
		}
		for _, s := range p.Settings {
			if strings.HasPrefix(s.Pointer, "/envFile/") {
				continue // the file is intended for secrets, and usually not committed
			}
			if severity, message := secretIn(lastToken(s.Pointer), s.Text); message != "" {
				p.Report(nil, s.Pointer, severity, message, lastToken(s.Pointer)+"="+text.Masked)
			}
		}
	},
}

// named passes every entry of a map to the function each, in order of name.
func named(values map[string]string, prefix string, each func(pointer, name, value string)) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		each(prefix+wire.EscapePointer(name), name, values[name])
	}
}

// argument returns the name and value of an argument such as --token=x, TOKEN=x or --header "X: y", or
// of a flag and the argument that follows it. NAME==VERSION, which pins a Python package, is not split.
func argument(args []string, i int) (name, value string) {
	if name, value, ok := strings.Cut(args[i], "="); ok && assigned.MatchString(name) && !strings.HasPrefix(value, "=") {
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

// lastToken returns the last token of a JSON pointer.
func lastToken(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// wordLength is the minimum length, in bytes, of a password in a URL, or in a variable whose name is
// unambiguous.
const wordLength = 6

// credentialLength is the maximum number of bytes of a value that are compared with the formats of
// connection strings and of gitleaks. Private keys and session tokens are the longest credentials.
const credentialLength = 16 << 10

// secretIn rates a named value. The message is "" if the value is not a secret.
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
	if m := connectionPassword.FindStringSubmatch(short); m != nil && secrets.LooksLikePassword(m[1]) && !localConnection.MatchString(short) {
		return scanner.Medium, "the connection string contains a password"
	}
	switch {
	case literal == "", secrets.Placeholder(literal):
		return 0, ""
	case gitleaks.Find(`"`+short+`"`) != "":
		return scanner.High, "the value has the format of a vendor's token"
	case !secrets.PublicName.MatchString(name) && !identifierName.MatchString(name) && gitleaks.Find(name+`="`+short+`"`) != "":
		return scanner.Medium, "the name and value have the format of a vendor's credential"
	}
	switch {
	case secrets.SessionKey(name, literal):
		return scanner.Medium, "the name indicates a session key, and the value looks like one"
	case secrets.Mnemonic(literal):
		return scanner.Medium, "the value has the format of a wallet's recovery phrase"
	case passwordName.MatchString(name) && appPassword.MatchString(literal):
		return scanner.Medium, "the value has the format of an app password"
	case !secrets.NamesSecret(name) || text.IsReference(value) && len(literal) < secrets.MinRandomLength:
	case secrets.LooksRandom(literal):
		return scanner.Medium, "the name indicates a secret, and the value looks like one"
	case passwordName.MatchString(name) && secrets.LooksLikePassword(literal):
		return scanner.Medium, "the name indicates a password, and the value looks like one"
	case wordName.MatchString(name) && secrets.LooksLikePasswordFrom(literal, wordLength):
		return scanner.Medium, "the name indicates a password, and the value looks like one"
	case wordName.MatchString(name) && len(literal) >= wordLength && (secrets.Passphrase(literal) || !strings.ContainsAny(literal, " \t\n/")):
		return scanner.Low, "the name indicates a password"
	}
	return 0, ""
}

var (
	authScheme = lazyregexp.New(`(?i)^(?:bearer|basic|token|apikey|api-key)$`)

	passwordName = lazyregexp.New(`(?i)passw(?:or)?d|pwd|secret|(?:^|[_-])(?:pass|pw)(?:$|[_-])`)
	// wordName matches names of passwords that people choose. Such a password may be an ordinary
	// word.
	wordName = lazyregexp.New(`(?i)(?:^|[_-])(?:(?:pg|mysql)?passw(?:or)?d|pwd|passphrase|pass|pw)$`)
	// The password in a connection string such as Server=…;User Id=…;Password=…, and its server if that is this
	// machine.
	connectionPassword = lazyregexp.New(`(?i)(?:^|;)\s*(?:password|pwd)\s*=\s*["']?([^;"']+)`)
	localConnection    = lazyregexp.New(`(?i)(?:^|;)\s*(?:server|host|data source|addr(?:ess)?)\s*=\s*(?:tcp:)?(?:localhost|127\.|\(local|\[?::1|\.)`)
	// Google's app passwords have four groups of letters, those of WordPress six groups of letters and digits.
	appPassword    = lazyregexp.New(`^[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){3,5}$`)
	identifierName = lazyregexp.New(`(?i)(?:^|[_-])(?:id|url|uri|host|region|name)$`)
)
