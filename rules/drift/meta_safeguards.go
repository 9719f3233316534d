package drift

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// safeguard is a setting that enables or disables a protection.
type safeguard struct {
	key, value, pointer string
	on                  bool
}

// safeguard collects a member if it enables or disables a protection, and reports whether it does.
// Lists are left to other checks, because a list under such a key contains the exceptions.
func (d *declared) safeguard(c int, name string) bool {
	value := strings.ToLower(strings.TrimSpace(jsonschema.Text(d.doc, c)))
	guards, lifts := anyWord(name, guarding), anyWord(name, lifting)
	if !guards && !lifts || d.doc.Kind(c) >= wire.Array {
		return false
	}
	off := slices.Contains(offValues, value)
	if d.doc.Kind(c) != wire.Bool && !off && !slices.Contains(onValues, value) {
		return false
	}
	id := names.FoldName(name)
	d.safeguards[id] = &safeguard{name, value, string(d.doc.AppendPointer(nil, 0, c)), off == lifts}
	return true
}

// guarding contains words for protections, and lifting contains words for keys that disable them.
var (
	guarding = names.Set(`confirm confirmation confirmed approve approval approvals consent sandbox sandboxed isolated isolation audit audited auditing review reviewed
		prompt interactive readonly encrypt encrypted redact redaction mask masked verify verification protected protection authentication`)
	lifting = names.Set(`auto autoapprove skip bypass disable disabled without no trusted privileged unattended unsafe insecure unrestricted silent`)

	offValues = []string{"false", "none", "no", "off", "never", "disabled", "optional", "auto", "automatic", "skip", "silent", "null", "0", "unconfined", "implicit"}
	onValues  = []string{"true", "yes", "on", "always", "required", "enabled", "strict", "full", "explicit",
		"mandatory", "user", "human", "manual", "ask", "1", "per-call", "once", "all", "enforced", "default"}
)
