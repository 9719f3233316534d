package configuration

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var ExposedListener = scanner.Rule{
	ID:         "cfg-exposed-listener",
	Category:   "configuration",
	Title:      "A server listens on all network interfaces",
	Why:        "Every machine on the network can connect to the server. Most MCP servers trust whoever connects, and run tools with the user's files and credentials.",
	Fix:        "Let the server listen on 127.0.0.1. Publish the ports of a container on 127.0.0.1, too: -p 127.0.0.1:8080:8080.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "According to the MCP specification (Streamable HTTP, security warning), local servers should bind to localhost only. The finding is medium if the entry names all interfaces, and low if a container publishes a port without an address, because Docker then publishes it on all interfaces. Addresses that a program in a container listens on are not reported.",
	Refs:       []string{"OWASP-MCP:MCP07", "CWE-1327"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachNested(p, exposed)
		entries.EachCommand(p, func(e *configfile.Entry, l *launch.Command) {
			if l.RunsContainer() {
				return
			}
			named(e.Env, "/env/", func(pointer, name, value string) {
				if listening(name, value) {
					p.Report(e, pointer, scanner.Medium, everyInterface, name+"="+value)
				}
			})
		})
	},
}

const everyInterface = "the server listens on all network interfaces"

func exposed(_ *configfile.Entry, l *launch.Command, report entries.Reporter) {
	switch {
	case l.Contained:
	case l.RunsContainer():
		publishes(l, report)
	default:
		for i := range l.Words {
			if name, value := argument(l.Words, i); listening(name, value) {
				report(l.ArgOf(i), scanner.Medium, everyInterface, name+"="+value)
			}
		}
		for _, v := range l.Env {
			if listening(v.Name, v.Value) {
				report(v.Arg, scanner.Medium, everyInterface, v.Name+"="+v.Value)
			}
		}
	}
}

// listening reports whether an option or variable makes a server listen on all interfaces.
func listening(name, value string) bool {
	return allInterfaces.MatchString(value) && listenName.MatchString(strings.ReplaceAll(name, "-", "_"))
}

// publishes checks the ports that a container publishes.
func publishes(l *launch.Command, report entries.Reporter) {
	for i, w := range l.Options {
		ports := ""
		switch option, value, attached := strings.Cut(w, "="); {
		case option != "-p" && option != "--publish":
			if short, ok := strings.CutPrefix(w, "-p"); ok {
				ports = short
			}
		case attached:
			ports = value
		case i+1 < len(l.Options):
			ports = l.Options[i+1]
		}
		switch {
		case publishedOnAll.MatchString(ports):
			report(l.ArgOf(i), scanner.Medium, "the container publishes a port on all network interfaces", ports)
		case publishedPort.MatchString(ports):
			report(l.ArgOf(i), scanner.Low, "the container publishes a port without an address, and so on all network interfaces", ports)
		}
	}
}

var (
	// listenName matches names for the address that a program listens on. DB_HOST and similar names
	// denote addresses of other servers.
	listenName = lazyregexp.New(`(?i)^(?:(?:(?:FAST)?MCP|HTTP|SSE|STREAMABLE_HTTP|SERVER|UVICORN|WEB|API|APP|LISTEN|BIND|TRANSPORT)_{1,2})*` +
		`(?:HOST|HOSTNAME|(?:BIND|LISTEN)(?:ING)?(?:_?(?:HOST|ADDR|ADDRESS|IP|TO|ON))?|ADDR|ADDRESS|INTERFACE)$`)
	allInterfaces  = lazyregexp.New(`^(?:\w+://)?(?:0\.0\.0\.0|::|\[::\])(?::\d+)?/?$`)
	publishedOnAll = lazyregexp.New(`^(?:0\.0\.0\.0|\[::\]):[\d-]*:[\d-]+`)
	publishedPort  = lazyregexp.New(`^(?:[\d-]+:)?[\d-]*\d(?:/(?:tcp|udp|sctp))?$`)
)
