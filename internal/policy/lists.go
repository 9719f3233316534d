package policy

import (
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/scanner"
)

// Mode determines the decision about names that are in no list.
type Mode uint8

// The modes. The deny list applies in every mode.
const (
	None      Mode = iota // only denied names are refused
	Allowlist             // names not allowed are refused
	Denylist              // names not denied are allowed
)

var modeNames = [...]string{"none", "allowlist", "denylist"}

func (m Mode) String() string { return modeNames[m] }

// ParseMode parses a mode, and reports whether the name is valid.
func ParseMode(name string) (Mode, bool) {
	i := slices.Index(modeNames[:], name)
	return Mode(max(i, 0)), i >= 0
}

// Lists is a policy in agentsh's form: lists of servers and of tools.
type Lists struct {
	File       string              // the policy's file
	At         configfile.Position // position of the first key
	Enforced   bool                // if false, the policy has no effect
	FailClosed bool                // block undeclared servers and unlisted tools
	ServerMode Mode
	ToolMode   Mode

	ServerModeAt, ToolModeAt, FailClosedAt, PinningAt configfile.Position

	AllowedServers, DeniedServers []ServerRule
	AllowedTools, DeniedTools     []ToolRule

	Pinning Pinning
	Servers []Declared
}

// ServerRule matches servers by ID.
type ServerRule struct {
	ID Name
	At configfile.Position
}

// ToolRule matches tools of servers. All criteria must match.
type ToolRule struct {
	Server, Tool Name
	Hash         Hash // zero for any
	At           configfile.Position
}

// Pinning is the decision about tools that changed since they were trusted. A nil field means that
// the policy does not set it.
type Pinning struct {
	Enabled    *bool
	OnChange   *scanner.Verdict
	TrustFirst *bool
	Binary     *bool
}

// Declared is a server declaration in the policy.
type Declared struct {
	ID             string
	Type           string
	Command        string
	Args           []string
	URL            string
	TLSFingerprint string
	EnvAllow       []Name
	EnvDeny        []Name
	At             configfile.Position
}

// serverMethods are the methods with which a client uses a server, or a server uses its client.
var serverMethods = map[string]bool{
	"tools/call": true, "resources/read": true, "resources/subscribe": true, "prompts/get": true, "completion/complete": true,
	"sampling/createMessage": true, "elicitation/create": true,
}

// Policy returns the lists as rules: deny rules before allow rules, servers before tools. Lists
// that are not enforced yield no rules.
func (l *Lists) Policy() *Policy {
	p := &Policy{file: l.File, lists: l}
	if l.Enforced {
		p.stages = []stage{l.servers(p), l.tools(p)}
	}
	return p
}

// blocks returns a blocking rule, named after a key.
func blocks(key string, at configfile.Position, format string, args ...any) *Rule {
	return &Rule{Name: key, At: at, Action: Block, Message: fmt.Sprintf(format, args...)}
}

// servers returns the stage that checks a request's server.
func (l *Lists) servers(p *Policy) stage {
	s := stage{methods: serverMethods}
	for _, d := range l.DeniedServers {
		if l.ServerMode != Allowlist || !d.ID.All() {
			r := blocks("denied_servers", d.At, "the pattern %q denies the server", d.ID)
			r.Servers = patternsOf(d.ID)
			s.rules = append(s.rules, r)
		}
	}
	if l.ServerMode != Allowlist && !l.FailClosed {
		return s
	}
	allow := func(id Name) {
		s.rules = append(s.rules, &Rule{Action: Allow, Servers: patternsOf(id), list: listCriteria{silent: true}})
	}
	for _, a := range l.AllowedServers {
		allow(a.ID)
	}
	if l.ServerMode == Allowlist {
		s.otherwise = p.decision(blocks("server_policy", l.ServerModeAt, "the server is not in allowed_servers"))
		return s
	}
	for i := range l.Servers {
		allow(literal(l.Servers[i].ID))
	}
	r := blocks("fail_closed", l.FailClosedAt, "the server is neither in servers nor in allowed_servers")
	r.list.check = scanner.RegistryCheck
	s.otherwise = p.decision(r)
	return s
}

// tools returns the stage that checks a call's tool.
func (l *Lists) tools(p *Policy) stage {
	s := stage{methods: map[string]bool{"tools/call": true}}
	add := func(r *Rule, list listCriteria) { r.list, s.rules = list, append(s.rules, r) }
	if l.ToolMode != None || len(l.DeniedTools) > 0 { // JSON parsers disagree on which duplicate name applies
		add(blocks("tool_policy", l.ToolModeAt, "the call does not name a tool"), listCriteria{call: unnamedCall})
		add(blocks("tool_policy", l.ToolModeAt, "the call names more than one tool"), listCriteria{call: ambiguousCall})
	}
	for i := range l.DeniedTools {
		if d := &l.DeniedTools[i]; l.ToolMode != Allowlist || !d.all() {
			add(d.named(blocks("denied_tools", d.At, "the patterns %q and %q deny the tool", d.Server, d.Tool)), listCriteria{hash: d.Hash})
		}
	}
	if l.FailClosed {
		add(blocks("fail_closed", l.FailClosedAt, "the server has not listed the tool"), listCriteria{check: scanner.RegistryCheck, call: unlistedCall})
	}
	if l.ToolMode != Allowlist {
		return s
	}
	for i := range l.AllowedTools {
		a := &l.AllowedTools[i]
		add(a.named(&Rule{Name: "allowed_tools", At: a.At, Action: Allow, Message: "the tool is in allowed_tools"}), listCriteria{hash: a.Hash})
	}
	for _, a := range slices.Backward(l.AllowedTools) { // the tool is allowed, but not with this definition
		add(a.named(blocks("allowed_tools", a.At, "the tool is allowed only with a content_hash, and the server has not listed it")), listCriteria{exact: true, call: unlistedCall})
		add(a.named(blocks("allowed_tools", a.At, "the tool is allowed with a content_hash that does not match its current definition")), listCriteria{exact: true})
	}
	s.otherwise = p.decision(blocks("tool_policy", l.ToolModeAt, "the tool is not in allowed_tools"))
	return s
}

// named sets a rule's server and tool to the entry's.
func (t *ToolRule) named(r *Rule) *Rule {
	r.Servers, r.Tools = patternsOf(t.Server), patternsOf(t.Tool)
	return r
}

func (l *Lists) allowedServer(id string) *ServerRule {
	if i := slices.IndexFunc(l.AllowedServers, func(r ServerRule) bool { return r.ID.Allows(id) }); i >= 0 {
		return &l.AllowedServers[i]
	}
	return nil
}

// all reports whether the rule applies to every tool. Denying every tool under an allowlist only
// repeats the mode's default.
func (t *ToolRule) all() bool { return t.Server.All() && t.Tool.All() && t.Hash.IsZero() }

// Hashes reports whether any rule requires a tool's digest.
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

// Empty reports whether the policy would decide nothing even if it were enforced.
func (l *Lists) Empty() bool {
	return !l.FailClosed && l.ServerMode == None && l.ToolMode == None && len(l.DeniedServers) == 0 && len(l.DeniedTools) == 0 &&
		len(l.AllowedServers) == 0 && len(l.AllowedTools) == 0
}
