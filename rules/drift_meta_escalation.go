package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var driftMetaEscalation = scanner.Rule{
	ID:         "drift-meta-escalation",
	Category:   "version_pin",
	Title:      "What a tool declares beside its schema goes further than was approved",
	Why:        "Gateways and hosts decide by _meta what a tool may touch: its effects, scopes, classes of data, and the hosts that its interface may load from.",
	Fix:        "Find out what the tool needs the new permission for. If it is wanted, run mcpscan approve.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "High where a list of effects, scopes, permissions, classes of data or hosts has grown by more than reading, or a switch for them was turned on. No specification names the keys, so they are known by their words. Declared for the first time, and all else, it is low or a note.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-MCP:MCP04", "ATLAS:AML.T0109", "CWE-269"},
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			old, now := c.member("_meta")
			if c.same(old, now) {
				return
			}
			m := metaChange{change: c, pointer: "/_meta", severity: scanner.Note}
			if old >= 0 && now >= 0 {
				m.compare("", old, now)
			}
			message := "what it declares beside its schema changed"
			if len(m.told) > 0 {
				message += ": " + joinWords(m.told)
			}
			c.report(m.severity, m.pointer, message, strings.Join(m.told, "; "), c.diffOf("_meta"))
		})
	},
}

// metaChange compares two declarations of which nobody knows the shape.
type metaChange struct {
	*change
	pointer  string // of the worst
	severity scanner.Severity
	told     []string
	at       []string
}

func (m *metaChange) say(weight scanner.Severity, format string, args ...any) {
	if weight > m.severity {
		m.severity, m.pointer = weight, "/_meta/"+strings.Join(m.at, "/")
	}
	m.told = append(m.told, fmt.Sprintf(format, args...))
}

// compare looks at the values of the keys that speak of what a tool may do.
func (m *metaChange) compare(name string, old, now int) {
	if len(m.at) > maxCompared || m.same(old, now) {
		return
	}
	switch {
	case m.old.Kind(old) == wire.Object && m.now.Kind(now) == wire.Object:
		for n := m.now.First(now); n >= 0; n = m.now.Next(n) {
			key := keyOf(&m.now, n)
			m.at = append(m.at, escapePointer.Replace(key))
			m.declared(key, m.old.Get(old, key), n)
			m.at = m.at[:len(m.at)-1]
		}
	case m.old.Kind(old) == wire.Array && m.now.Kind(now) == wire.Array:
		m.list(name, old, now)
	case grants(name):
		m.value(name, rawOf(&m.old, old), rawOf(&m.now, now))
	}
}

func (m *metaChange) declared(key string, old, now int) {
	switch {
	case old >= 0:
		m.compare(key, old, now)
	case grants(key):
		m.say(scanner.Low, "%q is declared now", key)
	}
}

// list tells what a list has gained.
func (m *metaChange) list(name string, old, now int) {
	var more []string
	weight := scanner.Low
	for n := m.now.First(now); n >= 0; n = m.now.Next(n) {
		value := strings.Trim(string(m.now.Raw(n)), `"`)
		if m.listed(old, n) {
			continue
		}
		more = append(more, value)
		if !onlyReads(value) {
			weight = scanner.High
		}
	}
	if len(more) > 0 && grants(name) {
		m.say(weight, "%q has gained %s", name, strings.Join(more[:min(len(more), 4)], ", "))
	}
}

func (m *metaChange) listed(old, n int) bool {
	for o := m.old.First(old); o >= 0; o = m.old.Next(o) {
		if m.same(o, n) {
			return true
		}
	}
	return false
}

// value tells of a single value: one that was closed and is open.
func (m *metaChange) value(name, before, after string) {
	before, after = strings.ToLower(strings.Trim(before, `"`)), strings.ToLower(strings.Trim(after, `"`))
	rank := func(v string) int {
		return slices.IndexFunc(openness, func(r []string) bool { return slices.Contains(r, v) })
	}
	switch b, a := rank(before), rank(after); {
	case a > b && b >= 0:
		m.say(scanner.High, "%q was %s and is %s", name, before, after)
	case a >= 0 && b >= 0:
		m.say(scanner.Note, "%q was %s and is %s", name, before, after)
	default:
		m.say(scanner.Low, "%q changed", name)
	}
}

// openness ranks values by how much they let through.
var openness = [][]string{
	{"false", "none", "no", "off", "denied", "never", "0"},
	{"read", "readonly", "read-only", "read_only", "low", "private", "internal", "local", "closed", "restricted"},
	{"create", "update", "write", "readwrite", "read-write", "read_write", "medium", "shared", "organization", "partner"},
	{"true", "delete", "admin", "root", "all", "full", "any", "*", "high", "critical", "public", "external", "remote", "open", "unrestricted", "on", "always", "destructive"},
}

// grants reports whether a key speaks of what a tool may do or touch.
func grants(key string) bool { return anyWord(key, granting) }

var granting = wordSet(`effect effects operation operations action actions capability capabilities access mode
	scope scopes permission permissions privilege privileges role roles auth grant grants
	data class classes classification sensitivity category categories
	external externality network internet egress domain domains host hosts origin origins connect csp frame resource sandbox
	risk destructive write writes delete exec shell filesystem`)

// onlyReads reports whether a value that was added to a list lets a tool do no
// more than read what is not secret.
func onlyReads(value string) bool {
	return anyWord(value, justReading) && !anyWord(value, beyondReading)
}

var (
	justReading   = wordSet("read get list view search public readonly self none")
	beyondReading = wordSet("write admin delete update create send all secret secrets pii credential credentials private")
)
