package config

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/policy"
)

// Files written for agentsh and MCPProxy can be used as they are. A key either has the effect of
// the equivalent mcpscan key, or is accepted with a message that it has no effect.

// idle records that a key has no effect.
func (r *settingsReader) idle(pos Position, key, why string) {
	r.settings.Idle = append(r.settings.Idle, IdleKey{pos, key + " has no effect here: " + why})
}

// oneServer records that a key applies to one server, or that it has no effect because the server's name
// is written as a pattern.
func (r *settingsReader) oneServer(pos Position, key, name string) {
	if strings.Contains(name, "*") {
		r.idle(pos, key, "it needs the whole name of one server, and * has no special meaning")
		return
	}
	r.scope(pos, key, policy.Escape(name), "")
}

// without returns a reader that accepts any value of a key that has no effect.
func (r *settingsReader) without(key, why string) func(*node) {
	return func(n *node) { r.idle(n.pos, key, why) }
}

// agreed returns a reader for a switch that may be set at more than one key path; conflicting
// values are an error.
func (r *settingsReader) agreed(key string, into **bool) func(*node) {
	return func(n *node) {
		on, before := r.bool(n), *into
		if on != nil && before != nil && *on != *before {
			r.fail(n.pos, "%s has the opposite value elsewhere in this file; keep one", key)
			return
		}
		*into = on
	}
}

// inspection returns the keys of mcp.inspection, agentsh's inspection settings.
func (p *policyReader) inspection(top keys) keys {
	s := p.settings
	const recognised = "mcpscan takes its servers from the command line or client configurations, and does not need to recognise commands"
	return keys{
		"enabled":         p.agreed("enabled", &s.Definitions),
		"server_patterns": p.without("server_patterns", recognised),
		"custom_servers":  p.without("custom_servers", recognised),
		"registry": p.within(keys{
			"pin_on_first_use": p.agreed("pin_on_first_use", &s.Approval.TrustFirst),
			"alert_on_change": func(n *node) {
				if on := p.bool(n); on != nil && !*on {
					p.idle(n.pos, "alert_on_change: false", "a change is always reported; use ignores to accept one")
				}
			},
			"persistent": p.without("persistent", "mcpscan lock keeps approvals in mcpscan.lock"),
			"path":       p.without("path", "approvals are in mcpscan.lock; --lockfile names another file"),
		}),
		"detection": func(n *node) {
			if p.once("mcp.inspection", "detection", n.pos) {
				top["detection"](n)
			}
		},
		"on_detection": p.within(keys{
			"webhook_url": func(n *node) {
				if n.kind != kindNull && n.text != "" {
					p.idle(n.pos, "webhook_url", "a configuration cannot choose a receiver; to send detections from the proxy, use mcpscan proxy --webhook URL")
				}
			},
			"require_approval": p.without("require_approval", "pending definitions wait in mcpscan.lock; the proxy asks only about messages for which a policy requires confirmation"),
		}),
	}
}

// clientServers reads the servers of an MCPProxy or other client configuration. Only the servers'
// skip_quarantine has an effect here.
func (r *settingsReader) clientServers(n *node) {
	entries := n.members
	for i, item := range n.items {
		entries = append(entries, listEntry(item, i))
	}
	if n.kind != kindArray && n.kind != kindObject && n.kind != kindNull {
		r.fail(n.pos, "expected servers, found %s", n.kind)
	}
	for _, e := range entries {
		if skip := e.value.get("skip_quarantine"); skip != nil && isTrue(r.bool(skip)) {
			r.settings.Approval.Skip = append(r.settings.Approval.Skip, policy.Escape(e.key))
		}
	}
	if n.kind != kindNull {
		r.idle(n.pos, "mcpServers (except skip_quarantine)", "mcpscan scan FILE checks and starts the servers")
	}
}
