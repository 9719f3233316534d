package policy

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
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

// ParseMode returns the mode with the given name, or None if there is no such mode.
func ParseMode(name string) Mode { return Mode(max(slices.Index(modeNames[:], name), 0)) }

// Lists is a policy in agentsh's form: lists of servers and of tools.
type Lists struct {
	File       string              // the policy's file
	At         configfile.Position // position of the first key
	Enforced   bool                // if false, the lists decide nothing
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

// ToolRule matches tools of servers. All criteria must match. In a [part], a rule without a Tool
// matches servers.
type ToolRule struct {
	Server, Tool Name
	Hash         Hash // zero for any
	At           configfile.Position
}

// Pinning contains the settings of version_pinning, such as the decision about tools that changed
// since they were trusted. A nil field means that the policy does not set it.
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
		parts := l.parts()
		p.stages = []stage{l.servers(p, parts[0]), l.tools(p, parts[1])}
	}
	return p
}

// blocks returns a blocking rule, named after a key.
func blocks(key string, at configfile.Position, format string, args ...any) *Rule {
	return &Rule{Name: key, At: at, Action: Block, Message: fmt.Sprintf(format, args...)}
}

// part contains the lists of servers or the lists of tools.
type part struct {
	what            string // "server" or "tool"
	mode            Mode
	modeAt          configfile.Position
	closed          bool // names not allowed are refused
	allowed, denied []ToolRule
}

// parts returns the lists of servers and the lists of tools.
func (l *Lists) parts() [2]part {
	about := func(servers []ServerRule) (rules []ToolRule) {
		for _, r := range servers {
			rules = append(rules, ToolRule{Server: r.ID, At: r.At})
		}
		return rules
	}
	return [...]part{
		{"server", l.ServerMode, l.ServerModeAt, l.ServerMode == Allowlist || l.FailClosed, about(l.AllowedServers), about(l.DeniedServers)},
		{"tool", l.ToolMode, l.ToolModeAt, l.ToolMode == Allowlist, l.AllowedTools, l.DeniedTools},
	}
}

// effective reports whether an entry denies anything. Denying everything under an allowlist only
// repeats the mode's default.
func (p *part) effective(denied *ToolRule) bool { return p.mode != Allowlist || !denied.all() }

// denials returns the rules that deny what the entries list.
func (p *part) denials() (rules []*Rule) {
	for i := range p.denied {
		if d := &p.denied[i]; p.effective(d) {
			r := d.named(blocks("denied_"+p.what+"s", d.At, "%s", d.describe("", "denies the server", "deny the tool")))
			r.list.hash = d.Hash
			rules = append(rules, r)
		}
	}
	return rules
}

// servers returns the stage that checks a request's server.
func (l *Lists) servers(p *Policy, own part) stage {
	s := stage{methods: serverMethods, rules: own.denials()}
	if !own.closed {
		return s
	}
	allow := func(id Name) {
		s.rules = append(s.rules, &Rule{Action: Allow, Servers: patternsOf(id), list: listCriteria{silent: true}})
	}
	for _, a := range own.allowed {
		allow(a.Server)
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
func (l *Lists) tools(p *Policy, own part) stage {
	s := stage{methods: map[string]bool{"tools/call": true}}
	add := func(r *Rule, list listCriteria) { r.list, s.rules = list, append(s.rules, r) }
	if l.ToolMode != None || len(l.DeniedTools) > 0 { // JSON parsers disagree on which duplicate name applies
		add(blocks("tool_policy", l.ToolModeAt, "the call does not name a tool"), listCriteria{call: unnamedCall})
		add(blocks("tool_policy", l.ToolModeAt, "the call names more than one tool"), listCriteria{call: ambiguousCall})
	}
	s.rules = append(s.rules, own.denials()...)
	if l.FailClosed {
		add(blocks("fail_closed", l.FailClosedAt, "the server has not listed the tool"), listCriteria{check: scanner.RegistryCheck, call: unlistedCall})
	}
	if !own.closed {
		return s
	}
	for i := range l.AllowedTools {
		a := &l.AllowedTools[i]
		add(a.named(&Rule{Name: "allowed_tools", At: a.At, Action: Allow, Message: "the tool is in allowed_tools"}), listCriteria{hash: a.Hash})
	}
	for _, a := range slices.Backward(l.AllowedTools) { // the tool is allowed, but not with this definition
		add(a.named(blocks("allowed_tools", a.At, "the tool is allowed only with a content_hash, and the server has not listed the tool")), listCriteria{exact: true, call: unlistedCall})
		add(a.named(blocks("allowed_tools", a.At, "the tool is allowed with a content_hash that does not match its current definition")), listCriteria{exact: true})
	}
	s.otherwise = p.decision(blocks("tool_policy", l.ToolModeAt, "the tool is not in allowed_tools"))
	return s
}

// named sets a rule's server and tool to the entry's.
func (t *ToolRule) named(r *Rule) *Rule {
	r.Servers = patternsOf(t.Server)
	if !t.aboutServers() {
		r.Tools = patternsOf(t.Tool)
	}
	return r
}

// aboutServers reports whether the rule names only servers.
func (t *ToolRule) aboutServers() bool { return t.Tool.exact == nil }

// all reports whether the rule applies to everything.
func (t *ToolRule) all() bool {
	return t.Server.All() && (t.aboutServers() || t.Tool.All()) && t.Hash.IsZero()
}

// describe returns a clause about the rule's patterns. It ends with aboutServer if the rule names only
// servers, otherwise with aboutTool.
func (t *ToolRule) describe(place, aboutServer, aboutTool string) string {
	if t.aboutServers() {
		return fmt.Sprintf("the pattern %q%s %s", t.Server, place, aboutServer)
	}
	return fmt.Sprintf("the patterns %q and %q%s %s", t.Server, t.Tool, place, aboutTool)
}

// Hashes reports whether any rule requires a tool's digest.
func (l *Lists) Hashes() bool {
	return slices.ContainsFunc(slices.Concat(l.AllowedTools, l.DeniedTools), func(t ToolRule) bool { return !t.Hash.IsZero() })
}

// Empty reports whether the lists have no entries, modes or fail_closed, so that they would decide
// nothing even if they were enforced.
func (l *Lists) Empty() bool {
	return !l.FailClosed && l.ServerMode == None && l.ToolMode == None && len(l.DeniedServers) == 0 && len(l.DeniedTools) == 0 &&
		len(l.AllowedServers) == 0 && len(l.AllowedTools) == 0
}

// Hash is a rule's content_hash: either the digest of a whole definition, or agentsh's digest of
// name, description and schema.
type Hash struct {
	digest  mcp.Digest
	agentsh string // lower case, without prefix
	partial bool   // not a complete digest, so no tool matches it
}

// ErrPartial is returned, wrapped, for a placeholder or a truncated digest, both of which are
// common in documentation. The hash returned with it matches no tool.
var ErrPartial = errors.New("mcpscan pins list --json shows the full digest")

// ParseHash parses a hash in any of its notations.
func ParseHash(s string) (h Hash, err error) {
	if strings.HasPrefix(s, "sha256-") {
		return h, h.digest.Parse(s)
	}
	h.agentsh = strings.ToLower(strings.TrimPrefix(s, "sha256:"))
	b, err := hex.DecodeString(h.agentsh)
	switch {
	case strings.Contains(s, "...") || strings.Contains(s, "…"):
		return Hash{partial: true}, fmt.Errorf("a placeholder: write the full digest, or remove the key to allow any definition; %w", ErrPartial)
	case strings.Trim(h.agentsh, "0123456789abcdef") == "" && h.agentsh != "" && len(h.agentsh) < 2*len(h.digest):
		return Hash{partial: true}, fmt.Errorf("%d of 64 hexadecimal digits: a truncated digest does not identify a definition; %w", len(h.agentsh), ErrPartial)
	case err != nil || len(b) != len(h.digest):
		return Hash{}, fmt.Errorf("expected 64 hexadecimal digits, optionally after sha256:, or sha256- and 43 characters of base64url")
	}
	return h, nil
}

// IsZero reports whether the rule has no hash.
func (h Hash) IsZero() bool { return h == Hash{} }

// Is reports whether a tool has the hash. A tool that its server did not list has no hash.
func (h Hash) Is(k *scanner.Known) bool {
	if k == nil || h.partial {
		return false
	}
	d := k.Definition
	if h.agentsh != "" {
		return strings.TrimPrefix(strings.ToLower(d.AgentSH), "sha256:") == h.agentsh
	}
	return !d.Foreign && d.Digest == h.digest
}
