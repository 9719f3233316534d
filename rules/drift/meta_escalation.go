package drift

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var MetaEscalation = scanner.Rule{
	ID:         "drift-meta-escalation",
	Category:   "version_pin",
	Title:      "A tool's _meta grants more than was approved",
	Why:        "Gateways and clients use _meta to decide what a tool may do and access: its effects, scopes and data classes, and the domains that its UI may load from.",
	Fix:        "Find out why the tool needs the new permission. If you want it, run mcpscan approve.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The finding is high if an added effect, scope, permission, data class or host allows more than reading, or if a safeguard was switched off. It is medium if a limit or a safeguard was removed, or if a safeguard was added that is switched off. No specification names the keys, so mcpscan recognises them by their words. A key declared for the first time is rated low, unless it may replace a removed one. Any other change is rated low or reported as a note.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-MCP:MCP04", "ATLAS:AML.T0109", "CWE-269"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			old, now := c.member("_meta")
			if c.same(old, now) {
				return
			}
			m := c.grants("/_meta", old, now)
			message := "_meta changed"
			if len(m.told) > 0 {
				message += ": " + text.JoinSome(m.told)
			}
			c.report(m.severity, m.pointer, message, strings.Join(m.told, "; "), c.diffOf("_meta"))
		})
	},
}

// grants compares the permissions that two values of a member declare.
func (c *change) grants(pointer string, old, now int) *metaChange {
	m := &metaChange{change: c, root: pointer, pointer: pointer, severity: scanner.Note}
	before, after := granted(&c.old, old, nil), granted(&c.now, now, nil)
	for key := range before.grants {
		if after.grants[key] == nil { // its values may now be under new keys
			after = granted(&c.now, now, keysOf(&c.old, old))
			break
		}
	}
	m.compare(before.grants, after.grants)
	m.safeguards(before.safeguards, after.safeguards)
	return m
}

// compare reports newly declared permissions, and limits that are no longer declared.
func (m *metaChange) compare(old, now map[string]*grant) {
	dropped := map[string]bool{} // values under removed keys
	for _, key := range slices.Sorted(maps.Keys(old)) {
		was := old[key]
		if now[key] != nil {
			continue
		}
		for value := range was.values {
			dropped[value] = true
		}
		if was.limits() {
			m.say(scanner.Medium, m.root, "%q was removed (previously %s)", was.key, strings.Join(was.names(), ", "))
		} else {
			m.say(scanner.Low, m.root, "%q was removed", was.key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		g, was := now[key], old[key]
		for _, value := range g.names() {
			switch {
			case was == nil && dropped[value]:
				m.say(scanner.Note, g.values[value], "%q now contains a value that was declared under another key: %s", g.key, value)
			case was == nil:
				m.say(g.first(value, len(dropped) > 0), g.values[value], "%q was added: %s", g.key, value)
			case !was.has(value):
				m.say(was.grown(g, value), g.values[value], "%q was %s and now includes %s", g.key, strings.Join(was.names(), ", "), value)
			}
		}
		if was != nil && len(g.values) < len(was.values) {
			m.say(scanner.Note, m.root, "%q was reduced", g.key)
		}
	}
}

// safeguards reports safeguards that are now disabled or no longer declared.
func (m *metaChange) safeguards(old, now map[string]*safeguard) {
	for _, key := range slices.Sorted(maps.Keys(old)) {
		was, is := old[key], now[key]
		switch {
		case !was.on:
		case is == nil:
			m.say(scanner.Medium, m.root, "the safeguard %q was removed", was.key)
		case !is.on:
			m.say(scanner.High, is.pointer, "the safeguard %q was %s and is %s", was.key, was.value, is.value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if is := now[key]; old[key] == nil && !is.on {
			m.say(scanner.Medium, is.pointer, "the safeguard %q was added: %s", is.key, is.value)
		}
	}
}

// openness groups values by how permissive they are, in ascending order.
var openness = [][]string{
	{"false", "none", "no", "off", "denied", "never", "0", "isolated", "nobody"},
	{"read", "readonly", "read-only", "read_only", "ro", "low", "private", "internal", "local", "closed", "restricted", "loopback"},
	{"create", "update", "write", "readwrite", "read-write", "read_write", "rw", "medium", "shared", "organization", "partner", "bridge"},
	{"true", "delete", "admin", "root", "all", "full", "any", "*", "high", "critical", "public", "external",
		"remote", "open", "unrestricted", "on", "always", "destructive", "host", "privileged", "unconfined",
		"everyone", "anyone", "world"},
}

// naming contains words in the names of objects whose members are named after permissions, such as
// scopes in {"scopes": {"write": true}}.
var naming = names.Set(`effect effects operations actions capability capabilities scope scopes permission permissions privilege privileges grant grants`)

// granting contains words in keys that concern a tool's permissions.
var granting = names.Set(`effect effects operation operations action actions capability capabilities access mode
	scope scopes permission permissions privilege privileges role roles auth grant grants
	data class classes classification sensitivity category categories
	external externality network networking net internet egress domain domains host hosts origin origins connect csp frame resource sandbox
	risk destructive write writes delete exec shell filesystem fs mount mounts volume volumes device devices privileged profile may can allow allowed allows`)

// onlyReads reports whether an added value only permits reading non-secret data.
func onlyReads(value string) bool {
	return anyWord(value, justReading) && !anyWord(value, beyondReading)
}

var (
	justReading   = names.Set("read get list view search public readonly self none")
	beyondReading = names.Set("write admin delete update create send all secret secrets pii credential credentials private")
)
