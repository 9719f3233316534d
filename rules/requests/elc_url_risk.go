package requests

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var ElcURLRisk = scanner.Rule{
	ID:         "elc-url-risk",
	Category:   "credential_theft",
	Title:      "A server sends the user to an address that hides its destination or leaks data",
	Why:        "Users type passwords into pages that a server asks them to open. A misleading or unencrypted address exposes the passwords to someone else. Personal data in an address ends up in logs and in the browser's history.",
	Fix:        "Do not open the address. The client should show the host separately, in Punycode if it mixes alphabets, and accept only https.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The specification forbids secrets and personal data in the address, and recommends https outside of development. Plain http to this machine is not reported, because local servers use it to sign users in. An e-mail address in the query is rated medium, except in the login hint of OpenID Connect. Addresses that url-dangerous-scheme reports are not reported again.",
	Refs:       []string{"OWASP-MCP:MCP07", "OWASP-LLM:LLM02", "ATLAS:AML.T0011.003", "CWE-319", "CWE-598", "CWE-1007"},
	Message: func(p *scanner.MessagePass) {
		followed(p, func(node int, place addressPlace) {
			if place != elicitationPlace && !(place == authPlace && userOpens[p.Doc.KeyString(node)]) {
				return
			}
			severity, message := riskOfURL(jsonschema.Text(p.Doc, node), place)
			if message != "" {
				p.Report(node, false, severity, message)
			}
		})
	},
}

// userOpens are the members of authorization metadata that clients open in a
// browser.
var userOpens = names.Set("authorization_endpoint end_session_endpoint")

// riskOfURL rates an address that a user is asked to open. The first risk that it finds decides.
func riskOfURL(said string, place addressPlace) (scanner.Severity, string) {
	scheme, u := destination.ParseURL(said)
	if dangerous(scheme, said, place) {
		return 0, ""
	}
	if !destination.WebScheme[scheme] || u == nil {
		if scheme == "" {
			return scanner.Medium, "no browser can open the address"
		}
		return scanner.High, "the address has a scheme that starts another program"
	}
	host := u.Hostname()
	to := destination.Of(host)
	switch {
	case u.User != nil:
		return scanner.High, "the address contains a user name that people may mistake for the host"
	case destination.LookalikeHost(host):
		return scanner.High, "the host contains letters of another alphabet and looks like a known host"
	case to.Disguised:
		return scanner.High, "the host is written in a form that hides its destination"
	case (scheme == "http" || scheme == "ws") && to.Reach != destination.ThisMachine:
		return scanner.High, "the address is not encrypted"
	case figuresOnly.MatchString(host) && to.Reach != destination.ThisMachine && to.Reach != destination.Neighbour:
		return scanner.High, "the host is an IP address, without a name that identifies its owner"
	}
	severity, message := givenAway(u)
	if message == "" && figuresOnly.MatchString(host) && to.Reach == destination.Neighbour {
		return scanner.Medium, "the host is an address in a private network, which anyone in that network can claim"
	}
	return severity, message
}

var (
	figuresOnly = lazyregexp.New(`^[0-9.]+$|:`)
	mailAddress = lazyregexp.New(`(?i)^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)
	personQuery = lazyregexp.New(`\b(?:ssn|social security( number)?|passport|date of birth|dob|birth ?day|phone( number)?|mobile|iban|card number|full name)$`)
	// publicQuery are parameters, mostly of authorization requests, whose values are not reported: they
	// may look random, but are not secret.
	publicQuery = names.Set("state nonce code_challenge code_challenge_method client_id redirect_uri scope " +
		"response_type response_mode resource audience request_uri login_hint login_hint_token prompt " +
		"elicitationid elicitation_id session_id id")
)

// givenAway rates secrets and personal data in an address's query and fragment.
func givenAway(u *url.URL) (scanner.Severity, string) {
	severity, message := scanner.Note, ""
	for _, part := range [...]string{u.RawQuery, u.Fragment} {
		query, err := url.ParseQuery(part)
		if err != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(query)) {
			for _, value := range query[name] {
				switch {
				case publicQuery[strings.ToLower(name)]:
				case text.Token(value) != "", secrets.NamesSecret(name) && !secrets.Placeholder(value) && (secrets.LooksRandom(value) || secrets.LooksLikePassword(value)):
					return scanner.High, "the address contains a secret"
				case mailAddress.MatchString(value), personQuery.MatchString(names.Spell(name)) && value != "" && !secrets.Placeholder(value):
					severity, message = scanner.Medium, "the address contains the user's identity"
				}
			}
		}
	}
	return severity, message
}
