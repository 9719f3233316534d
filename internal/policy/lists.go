// Package policy decides about requests by a user's lists. It implements [scanner.Policy]: it
// must have no clock, no I/O and no state between requests.
package policy

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// Mode is the decision for names in no list.
type Mode uint8

// The modes. A deny list applies in each of them.
const (
	None      Mode = iota // nothing is filtered but what is denied
	Allowlist             // what is not allowed is denied
	Denylist              // what is not denied is allowed
)

var modeNames = [...]string{"none", "allowlist", "denylist"}

func (m Mode) String() string { return modeNames[m] }

// ParseMode reads a mode, and reports whether there is one of that name.
func ParseMode(name string) (Mode, bool) {
	for i, n := range modeNames {
		if n == name {
			return Mode(i), true
		}
	}
	return None, false
}

// Lists is a policy as agentsh writes it: lists of servers and of tools.
type Lists struct {
	File       string           // that it stands in
	At         scanner.Position // of its first key
	Enforced   bool             // without it nothing is decided
	FailClosed bool             // servers that are not declared and tools that are not listed are blocked
	ServerMode Mode
	ToolMode   Mode

	ServerModeAt, ToolModeAt, FailClosedAt, PinningAt scanner.Position

	AllowedServers, DeniedServers []ServerRule
	AllowedTools, DeniedTools     []ToolRule

	Pinning Pinning
	Servers []Declared
}

// ServerRule names servers.
type ServerRule struct {
	ID Name
	At scanner.Position
}

// ToolRule names tools of servers. All its criteria must match.
type ToolRule struct {
	Server, Tool Name
	Hash         Hash // zero for any
	At           scanner.Position
}

// Pinning is the decision about tools that changed since they were trusted. Nil fields are not
// set.
type Pinning struct {
	Enabled    *bool
	OnChange   *scanner.Verdict
	TrustFirst *bool
	Binary     *bool
}

// Declared is a server that the policy declares.
type Declared struct {
	ID             string
	Type           string
	Command        string
	Args           []string
	URL            string
	TLSFingerprint string
	EnvAllow       []Name
	EnvDeny        []Name
	At             scanner.Position
}

// decided are the methods by which something of a server is used, or by which it uses
// its client.
var decided = map[string]bool{
	"tools/call": true, "resources/read": true, "resources/subscribe": true, "prompts/get": true, "completion/complete": true,
	"sampling/createMessage": true, "elicitation/create": true,
}

// Decide decides about a request: denials come before anything that is allowed, and the server
// before the tool.
func (l *Lists) Decide(r *scanner.PolicyRequest) scanner.Decision {
	if !l.Enforced || !decided[r.Method] {
		return scanner.Decision{}
	}
	if d := l.server(r.Server); d.Verdict == scanner.Block || r.Method != "tools/call" {
		return d
	}
	if d := l.ambiguous(r); d.Verdict == scanner.Block {
		return d
	}
	return l.tool(r)
}

// ambiguous refuses a call that names no tool, or several, in one case or another:
// readers of JSON do not agree which of them is meant.
func (l *Lists) ambiguous(r *scanner.PolicyRequest) scanner.Decision {
	if l.ToolMode == None && len(l.DeniedTools) == 0 {
		return scanner.Decision{}
	}
	if r.Target == "" {
		return l.block("tool_policy", l.ToolModeAt, "the call does not name a tool")
	}
	for i := range r.Arguments {
		if a := &r.Arguments[i]; len(a.Pointer) == len("/name") && strings.EqualFold(a.Pointer, "/name") && a.Text != r.Target {
			return l.block("tool_policy", l.ToolModeAt, "the call names more than one tool")
		}
	}
	return scanner.Decision{}
}

// server decides about a server.
func (l *Lists) server(id string) scanner.Decision {
	for i := range l.DeniedServers {
		rule := &l.DeniedServers[i]
		if rule.ID.Refuses(id) && !(l.ServerMode == Allowlist && rule.ID.All()) {
			return l.block("denied_servers", rule.At, "the pattern %q denies the server", rule.ID)
		}
	}
	allowed := l.allowedServer(id)
	switch {
	case l.ServerMode == Allowlist && allowed == nil:
		return l.block("server_policy", l.ServerModeAt, "the server is not in allowed_servers")
	case l.FailClosed && allowed == nil && l.declared(id) == nil:
		d := l.block("fail_closed", l.FailClosedAt, "the server is neither in servers nor in allowed_servers")
		d.Check = scanner.RegistryCheck
		return d
	}
	return scanner.Decision{}
}

func (l *Lists) allowedServer(id string) *ServerRule {
	for i := range l.AllowedServers {
		if l.AllowedServers[i].ID.Allows(id) {
			return &l.AllowedServers[i]
		}
	}
	return nil
}

// tool decides about a call of a tool of a server that is not refused.
func (l *Lists) tool(r *scanner.PolicyRequest) scanner.Decision {
	for i := range l.DeniedTools {
		rule := &l.DeniedTools[i]
		if rule.refuses(r) && !(l.ToolMode == Allowlist && rule.all()) {
			return l.block("denied_tools", rule.At, "the patterns %q and %q deny the tool", rule.Server, rule.Tool)
		}
	}
	if l.FailClosed && r.Tool == nil {
		d := l.block("fail_closed", l.FailClosedAt, "the server has not listed the tool")
		d.Check = scanner.RegistryCheck
		return d
	}
	if l.ToolMode != Allowlist {
		return scanner.Decision{}
	}
	var other *ToolRule // that would allow the tool, were it another one
	for i := range l.AllowedTools {
		switch rule := &l.AllowedTools[i]; {
		case rule.allows(r):
			return scanner.Decision{Rule: "allowed_tools", Reason: "the tool is in allowed_tools", Location: l.location(rule.At)}
		case rule.names(r):
			other = rule
		}
	}
	switch {
	case other == nil:
		return l.block("tool_policy", l.ToolModeAt, "the tool is not in allowed_tools")
	case r.Tool == nil:
		return l.block("allowed_tools", other.At, "the tool is allowed with a content_hash only, and the server has not listed it")
	}
	return l.block("allowed_tools", other.At, "the tool is allowed with another content_hash than its current definition has")
}

// names reports whether the rule allows tools of this name.
func (t *ToolRule) names(r *scanner.PolicyRequest) bool {
	return t.Server.Allows(r.Server) && t.Tool.Allows(r.Target)
}

func (t *ToolRule) allows(r *scanner.PolicyRequest) bool {
	return t.names(r) && (t.Hash.IsZero() || t.Hash.Is(r.Tool))
}

func (t *ToolRule) refuses(r *scanner.PolicyRequest) bool {
	return t.Server.Refuses(r.Server) && t.Tool.Refuses(r.Target) && (t.Hash.IsZero() || t.Hash.Is(r.Tool))
}

// all reports a rule for every tool, which under an allowlist repeats the mode.
func (t *ToolRule) all() bool { return t.Server.All() && t.Tool.All() && t.Hash.IsZero() }

// Hashes reports whether a rule requires the digest of a tool.
func (l *Lists) Hashes() bool {
	for _, rules := range [...][]ToolRule{l.AllowedTools, l.DeniedTools} {
		for i := range rules {
			if !rules[i].Hash.IsZero() {
				return true
			}
		}
	}
	return false
}

// Empty reports a policy that would decide nothing if it were enforced.
func (l *Lists) Empty() bool {
	return !l.FailClosed && l.ServerMode == None && l.ToolMode == None && len(l.DeniedServers) == 0 && len(l.DeniedTools) == 0 &&
		len(l.AllowedServers) == 0 && len(l.AllowedTools) == 0
}

func (l *Lists) block(rule string, at scanner.Position, format string, args ...any) scanner.Decision {
	return scanner.Decision{Verdict: scanner.Block, Rule: rule, Reason: fmt.Sprintf(format, args...), Location: l.location(at)}
}

func (l *Lists) location(at scanner.Position) scanner.Location {
	return scanner.Location{File: l.File, Line: max(at.Line, 1), Column: max(at.Column, 1)}
}
