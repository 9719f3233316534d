package config

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

// policyPlaces describes the key paths at which a policy may be: agentsh uses the second; generated
// policies use the third.
var policyPlaces = [...]string{"the top of the file", "sandbox.mcp", "mcp_rules"}

// allowedBeside contains the top-level keys allowed next to a policy at any of these paths.
var allowedBeside = []string{"detection", "cross_server", "rate_limits", "output_inspection"}

// policyReader reads a policy's keys at any of its key paths.
type policyReader struct {
	*settingsReader
	lists *policy.Lists
	at    map[string]Position // position of the first policy key at each path
	seen  map[string]Position // position of each key in allowedBeside
	in    map[string]string   // path of each key in allowedBeside
}

// policy reads the whole file: the top-level keys, and a policy's keys at any of its key paths.
func (r *settingsReader) policy(n *node, top keys) {
	p := &policyReader{settingsReader: r, lists: &policy.Lists{File: r.settings.Path}, at: map[string]Position{}, seen: map[string]Position{}, in: map[string]string{}}
	known := p.keys(policyPlaces[0], top)
	for key, read := range top {
		if known[key] == nil {
			known[key] = read
		}
	}
	known["mcp"] = r.within(keys{"inspection": r.within(p.inspection(top))})
	known["sandbox"] = r.within(keys{"mcp": r.within(p.keys(policyPlaces[1], top))})
	known["mcp_rules"] = r.within(p.keys(policyPlaces[2], top))
	r.object(n, known)
	if len(p.at) > 0 {
		r.settings.Policy = p.lists
	}
}

// keys returns the keys allowed at a path.
func (p *policyReader) keys(place string, top keys) keys {
	l := p.lists
	own := keys{
		"enforce_policy":  func(n *node) { l.Enforced = isTrue(p.bool(n)) },
		"fail_closed":     func(n *node) { l.FailClosed, l.FailClosedAt = isTrue(p.bool(n)), n.pos },
		"server_policy":   func(n *node) { l.ServerMode, l.ServerModeAt = p.mode(n), n.pos },
		"tool_policy":     func(n *node) { l.ToolMode, l.ToolModeAt = p.mode(n), n.pos },
		"allowed_servers": each(p.list, &l.AllowedServers, p.server),
		"denied_servers":  each(p.list, &l.DeniedServers, p.server),
		"allowed_tools":   func(n *node) { p.list(n, func(n *node) { l.AllowedTools = append(l.AllowedTools, p.tool(n, true)) }) },
		"denied_tools":    func(n *node) { p.list(n, func(n *node) { l.DeniedTools = append(l.DeniedTools, p.tool(n, false)) }) },
		"version_pinning": p.pinning,
		"servers":         func(n *node) { p.list(n, p.declared) },
	}
	for key, read := range own {
		own[key] = func(n *node) {
			p.place(place, n.pos)
			read(n)
		}
	}
	for _, key := range allowedBeside {
		if read := top[key]; read != nil {
			own[key] = func(n *node) {
				if p.once(place, key, n.pos) {
					read(n)
				}
			}
		}
	}
	return own
}

// place remembers that there is a policy key at a path. A second path is an error: it would be
// unclear which policy applies.
func (p *policyReader) place(place string, pos Position) {
	if _, again := p.at[place]; again {
		return
	}
	p.at[place] = pos
	for _, other := range policyPlaces {
		if first, ok := p.at[other]; ok && other != place {
			p.fail(pos, "two policies: one under %s, another under %s at %s; keep one", place, other, first)
			return
		}
	}
	p.lists.At = pos
}

// once rejects a key that appears under two paths.
func (p *policyReader) once(place, key string, pos Position) bool {
	if in, again := p.in[key]; again && in != place {
		p.fail(pos, "duplicate key %s: under %s, and under %s at %s; keep one", Quoted(key), place, in, p.seen[key])
		return false
	}
	p.in[key], p.seen[key] = place, pos
	return true
}

func isTrue(b *bool) bool { return b != nil && *b }

func (p *policyReader) mode(n *node) policy.Mode {
	return policy.ParseMode(p.oneOf(n, "policy", "none", "allowlist", "denylist"))
}

// name parses a glob in a policy.
func (p *policyReader) name(n *node) policy.Name {
	s := p.text(n)
	if n.kind != kindString || s == "" {
		return policy.Name{}
	}
	name, err := policy.ParseName(s)
	if err != nil {
		p.fail(n.pos, "%s: %v", Quoted(s), err)
	}
	return name
}

func (p *policyReader) server(n *node) policy.ServerRule {
	rule, before := policy.ServerRule{At: n.pos}, len(p.problems)
	if n.kind == kindString { // just an ID
		rule.ID = p.name(n)
		return rule
	}
	p.object(n, keys{"id": func(n *node) { rule.ID = p.name(n) }})
	if rule.ID.String() == "" && len(p.problems) == before {
		p.fail(n.pos, `expected the id of a server, as in {id: "internal-*"}`)
	}
	return rule
}

// tool reads a tool rule. An allow rule may have an incomplete hash, in which case it allows
// nothing; the agentsh documentation contains such rules.
func (p *policyReader) tool(n *node, allows bool) policy.ToolRule {
	rule, before := policy.ToolRule{At: n.pos}, len(p.problems)
	p.object(n, keys{
		"server": to(&rule.Server, p.name),
		"tool":   to(&rule.Tool, p.name),
		"content_hash": func(n *node) {
			if n.kind == kindString && n.text == "" { // agentsh ignores it
				return
			}
			s := p.text(n)
			hash, err := policy.ParseHash(s)
			if rule.Hash = hash; err != nil && strings.TrimSpace(s) != "" && !(allows && errors.Is(err, policy.ErrPartial)) {
				p.fail(n.pos, "the content_hash %s: %v", Quoted(s), err)
			}
		},
	})
	if len(p.problems) == before && (rule.Server.String() == "" || rule.Tool.String() == "") {
		p.fail(n.pos, `expected a server and a tool; "*" matches all`)
	}
	return rule
}

func (p *policyReader) pinning(n *node) {
	pins := &p.lists.Pinning
	p.lists.PinningAt = n.pos
	p.object(n, keys{
		"enabled": to(&pins.Enabled, p.bool),
		"on_change": func(n *node) {
			verdicts := map[string]scanner.Verdict{"block": scanner.Block, "alert": scanner.Alert, "allow": scanner.Allow}
			if v, ok := verdicts[p.oneOf(n, "on_change", "block", "alert", "allow")]; ok {
				pins.OnChange = &v
			}
		},
		"auto_trust_first": to(&pins.TrustFirst, p.bool),
		"pin_binary":       to(&pins.Binary, p.bool),
	})
}

var tlsFingerprint = lazyregexp.New(`^sha256:[0-9a-fA-F]{64}$`)

// declared reads a server declaration. The agentsh documentation has env_allow and env_deny; its
// code has allowed_env and denied_env.
func (p *policyReader) declared(n *node) {
	d, skip, before := policy.Declared{At: n.pos}, false, len(p.problems)
	allowed, denied := each(p.list, &d.EnvAllow, p.name), each(p.list, &d.EnvDeny, p.name)
	known := keys{
		"id":      to(&d.ID, p.text),
		"type":    func(n *node) { d.Type = p.oneOf(n, "type", "stdio", "http", "sse") },
		"command": to(&d.Command, p.text),
		"args":    each(p.list, &d.Args, p.text),
		"url":     to(&d.URL, p.text),
		"tls_fingerprint": func(n *node) {
			if d.TLSFingerprint = p.text(n); !tlsFingerprint.MatchString(d.TLSFingerprint) && !strings.Contains(d.TLSFingerprint, "...") {
				p.fail(n.pos, "expected sha256: and 64 hexadecimal digits")
			}
			p.idle(n.pos, "tls_fingerprint", "recordings contain no certificates, and a live server is trusted if the system trusts its certificate; to require this fingerprint, use mcpscan proxy --tls-fingerprint")
		},
		"env_allow": allowed, "allowed_env": allowed,
		"env_deny": denied, "denied_env": denied,
		"skip_quarantine": func(n *node) { skip = isTrue(p.bool(n)) },
	}
	p.object(n, known)
	first := slices.IndexFunc(p.lists.Servers, func(o policy.Declared) bool { return o.ID == d.ID })
	switch {
	case len(p.problems) > before:
	case d.ID == "":
		p.fail(n.pos, "the server has no id, which is required; the allowed keys are %v", slices.Sorted(maps.Keys(known)))
	case first >= 0:
		p.fail(n.pos, "the server %s is declared twice, first at %s; keep one", Quoted(d.ID), p.lists.Servers[first].At)
	}
	p.oneServer(n.pos, "the declaration of "+Quoted(d.ID), d.ID)
	if p.lists.Servers = append(p.lists.Servers, d); skip {
		p.settings.Approval.Skip = append(p.settings.Approval.Skip, policy.Escape(d.ID))
	}
}
