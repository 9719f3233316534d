package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mcpscan/mcpscan/internal/text"
)

// YAML returns a policy that allows only what is in the profile. The lines of head become
// comments at the top. Names are quoted, whatever they contain.
func (p *Profile) YAML(head ...string) string {
	w := &writer{}
	for _, line := range head {
		w.line(0, "# %s", shown(line, 400))
	}
	w.line(0, "mcp_rules:")
	w.line(1, "enforce_policy: true")
	refused := w.tools(p)
	w.serverList(p)
	if len(refused) > 0 {
		w.line(0, "")
		w.line(1, "# --- Blocked tools (to allow one, move it to allowed_tools) ---")
		w.line(1, "# All calls of these tools were refused, or not answered. A tool listed under denied_tools stays blocked.")
		w.line(1, "# denied_tools:")
		for _, r := range refused {
			w.comment(r)
		}
	}
	w.line(0, "")
	w.line(1, "version_pinning:")
	w.line(2, "enabled: true")
	w.line(2, `on_change: "block"`)
	w.line(2, "auto_trust_first: true")
	w.line(0, "")
	w.line(1, "cross_server:")
	w.line(2, "enabled: true")
	w.line(2, "read_then_send:")
	w.line(3, "enabled: true")
	return w.String()
}

// writer writes lines of YAML.
type writer struct{ strings.Builder }

func (w *writer) line(indent int, format string, args ...any) {
	if line := fmt.Sprintf(format, args...); line != "" {
		w.WriteString(strings.Repeat("  ", indent) + line)
	}
	w.WriteByte('\n')
}

// refusedTool is a tool whose calls were all refused or not answered.
type refusedTool struct {
	server, name string
	seen         *profiled
}

// tools writes the allowed tools, and returns the others.
func (w *writer) tools(p *Profile) (refused []refusedTool) {
	w.line(1, `tool_policy: "allowlist"`)
	w.line(1, "allowed_tools:")
	some := false
	p.Tools(func(server, name string) {
		t := p.servers[server].tools[name]
		hashes := t.allowed(p.servers[server])
		if len(hashes) == 0 {
			refused = append(refused, refusedTool{server, name, t})
			return
		}
		some = true
		for _, hash := range hashes {
			w.tool(server, name, hash, t)
		}
	})
	if !some { // a key without a value would also allow nothing, but less obviously
		w.line(2, "[]")
	}
	return refused
}

// tool writes one rule.
func (w *writer) tool(server, name, hash string, t *profiled) {
	w.line(2, "# Provenance: %s", t.provenance())
	for _, f := range t.bySeverity() {
		w.line(2, "# Check this first: %s (%s)", f.rule, f.severity)
	}
	switch {
	case t.bare:
		w.line(2, "# Its definition was unknown when it was called, so any definition of it is allowed.")
	case len(t.hashes) > 1:
		w.line(2, "# Its definition changed during the recording; this is one of the definitions with which it was called.")
	case t.changed:
		w.line(2, "# Its definition changed during the recording; this is the one with which it was called, or the last one listed.")
	}
	if t.refused > 0 {
		w.line(2, "# Refused: %s", times(t.refused, "call"))
	}
	if !nameable(server) || !nameable(name) {
		w.line(2, "# Not allowed: no rule can name the tool %s of the server %s", shown(name, 80), shown(server, 80))
		return
	}
	w.line(2, "- server: %s", scalar(Escape(server)))
	w.line(2, "  tool: %s", scalar(Escape(name)))
	if hash != "" {
		w.line(2, "  content_hash: %s", scalar(hash))
	}
}

// comment writes a refused tool as a comment.
func (w *writer) comment(r refusedTool) {
	w.line(1, "#   # Provenance: %s", r.seen.provenance())
	if !nameable(r.server) || !nameable(r.name) {
		w.line(1, "#   No rule can name the tool %s of the server %s", shown(r.name, 80), shown(r.server, 80))
		return
	}
	w.line(1, "#   - server: %s", scalar(Escape(r.server)))
	w.line(1, "#     tool: %s", scalar(Escape(r.name)))
}

// serverList writes the allowed servers.
func (w *writer) serverList(p *Profile) {
	w.line(1, `server_policy: "allowlist"`)
	w.line(1, "allowed_servers:")
	some := false
	for _, id := range slices.Sorted(maps.Keys(p.servers)) {
		s := p.servers[id]
		switch {
		case s.events == 0:
			continue
		case !nameable(id):
			w.line(2, "# Not allowed: no rule can name the server %s", shown(id, 80))
			continue
		}
		some = true
		w.line(2, "# Provenance: %s", s.provenance())
		w.line(2, "- id: %s", scalar(Escape(id)))
	}
	if !some {
		w.line(2, "[]")
	}
}

// nameable reports whether a rule can match exactly this name.
func nameable(name string) bool {
	_, err := ParseName(Escape(name))
	return err == nil && strings.TrimSpace(name) != ""
}

// provenance describes how often something was seen, and when.
func (e *profiled) provenance() string {
	n := times(e.events, "event")
	if e.first.IsZero() {
		return n
	}
	from, to := e.first.UTC().Format(time.RFC3339), e.last.UTC().Format(time.RFC3339)
	if from == to {
		return fmt.Sprintf("%s (%s)", n, from)
	}
	return fmt.Sprintf("%s (%s - %s)", n, from, to)
}

func times(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shown makes untrusted text safe for a YAML comment.
func shown(s string, limit int) string {
	return text.Visible(text.Mask(s[:min(len(s), 4*limit)]), limit)
}

// scalar writes a double-quoted string, escaping everything that is invisible or that a parser
// could misread.
func scalar(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x7F && r >= 0x20, r > 0xA0 && r < 0xD800 && unicode.In(r, unicode.L, unicode.N):
			b.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
