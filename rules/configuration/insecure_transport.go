package configuration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/scanner"
)

var InsecureTransport = scanner.Rule{
	ID:         "cfg-insecure-transport",
	Category:   "configuration",
	Title:      "A connection is unencrypted or does not check certificates or host keys",
	Why:        "Over plain HTTP, or without checks of certificates or SSH host keys, anyone on the network can read the traffic, including credentials, and insert tools and results.",
	Fix:        "Use https:// and check certificates; add a private CA with NODE_EXTRA_CA_CERTS or SSL_CERT_FILE. Record SSH host keys in known_hosts, and remove StrictHostKeyChecking=no.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Plain HTTP is rated low within a private network; to any other host, it is high with credentials, otherwise medium. Disabled certificate checks are rated high if a variable disables them for the whole process, otherwise medium.",
	Refs:       []string{"OWASP-MCP:MCP07", "CWE-319", "CWE-295"},
	Config: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			e := &p.Entries[i]
			if severity, message := plainAddress(e.URL, sendsCredentials(e.Headers)); e.Command == "" && message != "" {
				p.Report(e, "/url", severity, message, e.URL)
			}
			unchecked(p, e)
		}
		entries.EachNested(p, overCommand)
	},
}

// plainAddress rates an address. The message is "" unless the text is an http: or ws: URL of
// another machine.
func plainAddress(written string, credentials bool) (scanner.Severity, string) {
	u, ok := destination.Address(written)
	switch {
	case !ok || u.Scheme != "http" && u.Scheme != "ws" || destination.Loopback(u.Hostname()) || u.Hostname() == "host.docker.internal":
		return 0, ""
	case destination.Private(u.Hostname()):
		return scanner.Low, "the connection within a private network is not encrypted"
	case credentials || u.User != nil:
		return scanner.High, "the connection is not encrypted and carries credentials"
	}
	return scanner.Medium, "the connection is not encrypted"
}

// overCommand checks the addresses passed to programs such as mcp-remote, and searches commands
// inside an argument for options that disable checks of certificates or SSH host keys.
func overCommand(_ *configfile.Entry, l *launch.Command, report entries.Reporter) {
	credentials := slices.ContainsFunc(l.Words, func(a string) bool { return credentialArgument.MatchString(a) })
	for i, word := range l.Words {
		if severity, message := plainAddress(word, credentials); message != "" && bridge.MatchString(l.Name) {
			report(l.ArgOf(i), severity, message, word)
		}
	}
	for _, word := range l.TextWords {
		if message := disabledCheck(word); message != "" {
			report(l.Text, scanner.Medium, message, word)
		}
	}
}

// bridge detects packages that take a server's address as an argument.
var (
	bridge             = lazyregexp.New(`^(?:mcp-remote|mcp-remote-client|@[\w-]+/mcp-remote|supergateway|mcp-proxy|mcp-client-proxy|@smithery/cli|fastmcp-proxy|mcp-sse-proxy)$`)
	credentialArgument = lazyregexp.New(`(?i)^(?:authorization|x-[\w-]*(?:key|token))\s*:`)
)

func sendsCredentials(headers map[string]string) bool {
	for name := range headers {
		if secrets.NamesSecret(name) {
			return true
		}
	}
	return false
}

// unchecked finds options and variables that disable checks of certificates or SSH host keys.
func unchecked(p *scanner.ConfigPass, e *configfile.Entry) {
	named(e.Env, "/env/", func(pointer, name, written string) {
		value, upper := strings.ToLower(written), strings.ToUpper(name)
		switch {
		case (upper == "NODE_TLS_REJECT_UNAUTHORIZED" || upper == "PYTHONHTTPSVERIFY") && value == "0",
			upper == "GIT_SSL_NO_VERIFY" && value != "" && value != "0" && value != "false":
			p.Report(e, pointer, scanner.High, "certificate checks are disabled for the whole process", name+"="+written)
		case verifyName.MatchString(upper) && (value == "false" || value == "0" || value == "no" || value == "off"),
			insecureName.MatchString(upper) && (value == "true" || value == "1" || value == "yes" || value == "on"):
			p.Report(e, pointer, scanner.Medium, uncheckedMessage, name+"="+written)
		case upper == "GIT_SSH_COMMAND" && sshOption.MatchString(written):
			p.Report(e, pointer, scanner.Medium, uncheckedHostMessage, name+"="+written)
		}
	})
	for i, arg := range e.Args {
		if message := disabledCheck(arg); message != "" {
			p.Report(e, fmt.Sprintf("/args/%d", i), scanner.Medium, message, arg)
		}
	}
}

// disabledCheck describes the check that an argument disables, or returns "" if it disables none.
func disabledCheck(arg string) string {
	switch {
	case uncheckedFlag.MatchString(arg):
		return uncheckedMessage
	case uncheckedHost.MatchString(arg):
		return uncheckedHostMessage
	}
	return ""
}

const (
	uncheckedMessage     = "certificate checks are disabled"
	uncheckedHostMessage = "ssh does not check the host key"
	noHostKey            = `StrictHostKeyChecking(?:=|\s+)(?:no|off)`
)

var (
	verifyName    = lazyregexp.New(`(?:^|_)(?:SSL|TLS|HTTPS|CERTS?)_VERIFY$|(?:^|_)VERIFY_(?:SSL|TLS|CERTS?|CERTIFICATES?)$|(?:^|_)STRICT_SSL$`)
	insecureName  = lazyregexp.New(`(?:^|_)(?:INSECURE_SKIP_VERIFY|TLS_INSECURE|SSL_INSECURE|SKIP_(?:SSL|TLS)_VERIF(?:Y|ICATION)|IGNORE_(?:SSL|TLS|HTTPS|CERTIFICATE)_ERRORS)$`)
	uncheckedFlag = lazyregexp.New(`(?i)^--(?:insecure-skip-(?:tls-)?verify|no-(?:verify-ssl|ssl-verify|check-certificate|tls-verify)|` +
		`(?:ssl-|tls-)?verify(?:-ssl|-tls)?=(?:false|0|no)|tls-verify=false|ignore-(?:https|certificate)-errors|tls-insecure|` +
		`allow-insecure-tls)(?:=true)?$`)
	uncheckedHost = lazyregexp.New(`(?i)^(?:-o)?` + noHostKey + `$`)
	sshOption     = lazyregexp.New(`(?i)\s-o\s*["']?` + noHostKey + `(?:["'\s]|$)`)
)
