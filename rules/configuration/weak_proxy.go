package configuration

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/scanner"
)

var WeakProxy = scanner.Rule{
	ID:         "cfg-weak-proxy",
	Category:   "configuration",
	Title:      "An entry weakens the mcpscan proxy, or starts a program that only looks like it",
	Why:        "Anyone who sees mcpscan in front of a server may assume that it blocks attacks. A flag can make it report instead of block, or pass on the whole environment; and a repository can contain a program named mcpscan that starts anything.",
	Fix:        "Run mcpscan wrap for the server, using a copy of mcpscan that you trust; without --mode observe, the proxy blocks what the settings block. If others use the file too, undo the wrapping with mcpscan unwrap: the path of mcpscan in the entry is valid on one machine only.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is high if a project's entry is marked as written by mcpscan wrap but differs from what this version of mcpscan writes: the server behind it is then not compared with the lockfile. It is medium for a flag that removes protection. In both cases, the severity is one level lower if the entry is in the user's own configuration. An entry that is exactly what wrap writes is not reported, unless its proxy runs in observe mode or its variables name a session.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-MCP:MCP09", "ATLAS:AML.T0109", "CWE-693"},
	Config: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			if e := &p.Entries[i]; e.Proxy != nil {
				weakProxy(p, e)
			}
		}
	},
}

func weakProxy(p *scanner.ConfigPass, e *configfile.Entry) {
	proxy := e.Proxy
	if proxy.Written && !proxy.Through {
		p.Report(e, "/proxy", entries.UnlessOwn(p, scanner.High, scanner.Medium),
			"the entry is marked as written by mcpscan wrap, but its program, name or flags differ from what this version of mcpscan writes; mcpscan checks the command in the entry, not the server behind it", proxy.Program)
	}
	if named, ok := e.Env["MCPSCAN_SESSION"]; ok {
		p.Report(e, "/env/MCPSCAN_SESSION", entries.UnlessOwn(p, scanner.Medium, scanner.Low), notShared, named)
	}
	for i, flag := range proxy.Flags {
		name, value, joined := strings.Cut(flag, "=")
		if !joined && i+1 < len(proxy.Flags) {
			value = proxy.Flags[i+1]
		}
		if why := weakens(e, name, value); why != "" {
			p.Report(e, fmt.Sprintf("/proxy/%d", i), entries.UnlessOwn(p, scanner.Medium, scanner.Low), why, flag)
		}
	}
}

// notShared says what an entry loses by naming a session.
const notShared = "the proxy shares its session only with proxies that name the same session: rules that compare servers do not see the other servers"

// weakens describes the protection that a proxy flag removes, or returns "" if it removes none.
func weakens(e *configfile.Entry, name, value string) string {
	through := e.Proxy.Through // if set, wrap wrote the flags for the entry's variables and for files that the user chose
	switch {
	case name == "--mode" && value != "enforce":
		return "the proxy only reports, and blocks nothing"
	case name == "--inherit-env":
		return "the server gets the whole environment of the client"
	case name == "--no-config":
		return "the proxy ignores mcpscan.yaml, including what the file blocks"
	case name == "--disable" || name == "--enable":
		return "the proxy does not run all rules"
	case name == "--session" && value != "":
		return notShared
	case name == "--env" && !through:
		if _, own := e.Env[value]; !own {
			return "the server gets a variable that the entry does not name"
		}
	case (name == "--config" || name == "--lockfile" || name == "--base" || name == "--approvals") && !through:
		return "the proxy uses its own settings or approvals"
	}
	return ""
}
