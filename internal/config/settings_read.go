package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// settingsReader fills in Settings from a tree and collects problems.
type settingsReader struct {
	vocabulary Vocabulary
	settings   *Settings
	problems   []Problem
	custom     []string // IDs of custom rules

	similarityAt Position // position of the name similarity threshold, if one was read
}

func (r *settingsReader) fail(pos Position, format string, args ...any) {
	r.problems = append(r.problems, Problem{Pos: pos, Msg: printable(fmt.Sprintf(format, args...), 600)})
}

// keys maps the allowed keys of an object to functions that read their values.
type keys map[string]func(*node)

func (r *settingsReader) root(n *node) {
	s := r.settings
	// The patterns are read first, because the other settings can refer to their rule names.
	for _, path := range [...][]string{{"detection"}, {"sandbox", "mcp", "detection"}, {"mcp_rules", "detection"}, {"mcp", "inspection", "detection"}} {
		for _, m := range n.all(append(path, "custom_patterns")...) {
			r.list(m.value, r.pattern)
		}
	}
	r.policy(n, keys{
		"detection":         r.detection,
		"output_inspection": r.outputInspection,
		"approval": func(n *node) {
			r.object(n, keys{
				"quarantine_enabled": r.agreed("quarantine_enabled", &s.Approval.Quarantine),
				"auto_trust_first":   r.agreed("auto_trust_first", &s.Approval.TrustFirst),
				"skip_quarantine": func(n *node) {
					r.list(n, func(n *node) { s.Approval.Skip = append(s.Approval.Skip, r.glob(n)) })
				},
			})
		},
		"quarantine_enabled": r.agreed("quarantine_enabled", &s.Approval.Quarantine),
		"mcpServers":         r.clientServers,
		"builtin_patterns":   r.without("builtin_patterns", "the patterns are built in; detection.profile: strict enables those in this table, detection.builtin switches categories on and off"),
		"proxy":              r.without("proxy", "flags configure the proxy: mcpscan proxy --llm"),
		"dlp":                r.without("dlp", "mcpscan has no data loss prevention; it masks secrets in reports and recordings"),
		"cross_server":       r.crossServer,
		"rate_limits":        r.rateLimits,
		"overrides":          func(n *node) { r.list(n, r.override) },
		"ignores":            func(n *node) { r.list(n, r.ignore) },
	})
}

// profile reads the name of a profile.
func (r *settingsReader) profile(n *node) {
	name := r.oneOf(n, "profile", slices.Sorted(maps.Keys(r.vocabulary.Profiles))...)
	p := r.vocabulary.Profiles[name]
	r.settings.Profile = ChosenProfile{name, severities(p.Everywhere), severities(p.Everywhere, p.InResults)}
}

// severities returns a layer that sets severities; later maps take precedence.
func severities(of ...map[string]scanner.Severity) Layer {
	l := Layer{Rules: map[string]RuleSetting{}}
	for _, some := range of {
		for id, severity := range some {
			l.Rules[id] = RuleSetting{Severity: &severity}
		}
	}
	return l
}

// object reads the members of an object, which must be among the known keys.
func (r *settingsReader) object(n *node, known keys) {
	if n.kind == kindNull { // all values of the key are commented out
		return
	}
	if n.kind != kindObject {
		r.fail(n.pos, "expected keys with values (%s), found %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "), n.kind)
		return
	}
	r.members(n, func(m member) {
		if read := known[m.key]; read != nil {
			read(m.value)
			return
		}
		r.fail(m.pos, "unknown key %s%s", quoted(m.key), hint(m.key, slices.Sorted(maps.Keys(known))))
	})
}

// members calls read for each member of an object, and rejects duplicate keys.
func (r *settingsReader) members(n *node, read func(member)) {
	seen := map[string]Position{}
	for _, m := range n.members {
		if first, again := seen[m.key]; again {
			r.fail(m.pos, "duplicate key %s, first at %s; keep one", quoted(m.key), first)
			continue
		}
		seen[m.key] = m.pos
		read(m)
	}
}

// hint suggests the closest known word, or lists all of them.
func hint(word string, known []string) string {
	best, least := "", len(word)/3+2
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("; did you mean %q?", best)
	case len(known) > 16:
		return ""
	}
	return "; expected " + strings.Join(known, ", ")
}

func (r *settingsReader) list(n *node, read func(*node)) {
	if n.kind == kindNull {
		return
	}
	if n.kind != kindArray {
		r.fail(n.pos, "expected a list (- …), found %s", n.kind)
		return
	}
	for _, item := range n.items {
		read(item)
	}
}

// text returns a string. It rejects a number or a word such as on, because YAML would change its
// spelling.
func (r *settingsReader) text(n *node) string {
	switch {
	case n.kind != kindString:
		r.fail(n.pos, "expected a string, found %s; put it in quotes if it is one", n.kind)
	case strings.TrimSpace(n.text) == "":
		r.fail(n.pos, "expected a string that is not empty")
	}
	return n.text
}

func (r *settingsReader) bool(n *node) *bool {
	if n.kind != kindBool {
		r.fail(n.pos, "expected true or false, found %s", n.kind)
		return nil
	}
	on := n.text == "true"
	return &on
}

// share parses a number above 0 and up to 1.
func (r *settingsReader) share(n *node) float64 {
	share, err := strconv.ParseFloat(n.text, 64)
	if n.kind != kindNumber || err != nil || !(share > 0 && share <= 1) {
		r.fail(n.pos, "expected a number above 0 and up to 1, such as 0.85")
	}
	return share
}

// oneOf returns a string that must be one of the known words.
func (r *settingsReader) oneOf(n *node, what string, known ...string) string {
	if n.kind != kindString {
		r.fail(n.pos, "expected a %s (%s), found %s", what, strings.Join(known, ", "), n.kind)
	} else if !slices.Contains(known, n.text) {
		r.fail(n.pos, "unknown %s %s%s", what, quoted(n.text), hint(n.text, known))
	}
	return n.text
}

func (r *settingsReader) severity(n *node) *scanner.Severity {
	var names []string
	for _, s := range scanner.Severities {
		names = append(names, s.String())
	}
	var s scanner.Severity
	if s.UnmarshalText([]byte(r.oneOf(n, "severity", names...))) != nil {
		return nil
	}
	return &s
}

// layer returns the keys of a layer.
func (r *settingsReader) layer(l *Layer) keys {
	return keys{
		"builtin": func(n *node) {
			known := keys{}
			l.Categories = map[string]bool{}
			for _, c := range categories {
				known[c] = func(n *node) {
					if on := r.bool(n); on != nil {
						l.Categories[c] = *on
					}
				}
			}
			r.object(n, known)
		},
		"rules": func(n *node) {
			l.Rules = map[string]RuleSetting{}
			if n.kind != kindObject && n.kind != kindNull {
				r.fail(n.pos, "expected rule IDs with their settings, found %s", n.kind)
			}
			r.members(n, func(m member) {
				r.known(m.key, m.pos)
				l.Rules[m.key] = r.rule(m.value)
			})
		},
	}
}

// categories are the categories that can be switched on or off, even those without rules. Findings
// of the engine cannot be switched off, and custom patterns have a key of their own.
var categories = slices.DeleteFunc(slices.Clone(scanner.Categories), func(c string) bool {
	return c == "engine" || c == "custom"
})

// customCategories returns the categories that custom patterns may have. OutputPoisoning is not
// among them: findings in results are marked as such anyway.
func (r *settingsReader) customCategories() []string {
	return append(slices.DeleteFunc(slices.Clone(categories), func(c string) bool { return c == scanner.OutputPoisoning }), "custom")
}

// ids returns the IDs of all rules.
func (r *settingsReader) ids() []string {
	out := slices.Clone(r.custom)
	for _, rule := range r.vocabulary.Rules {
		out = append(out, rule.ID)
	}
	return out
}

// known rejects the ID of an unknown rule.
func (r *settingsReader) known(id string, pos Position) {
	if !slices.Contains(r.ids(), id) {
		r.fail(pos, "unknown rule %s%s (to list all rules: mcpscan rules)", quoted(id), hint(id, r.ids()))
	}
}

func (r *settingsReader) rule(n *node) (s RuleSetting) {
	r.object(n, keys{
		"severity": func(n *node) { s.Severity = r.severity(n) },
		"enabled":  func(n *node) { s.Enabled = r.bool(n) },
	})
	return s
}

func (r *settingsReader) override(n *node) {
	o := Override{Pos: n.pos}
	known := r.layer(&o.Layer)
	known["server"] = func(n *node) { o.Server = r.glob(n) }
	known["tool"] = func(n *node) { o.Tool = r.glob(n) }
	before := len(r.problems)
	r.object(n, known)
	if len(r.problems) == before && o.Server == "" && o.Tool == "" {
		r.fail(n.pos, "this override matches all servers: name a server or a tool, or move it to detection")
	}
	r.settings.Overrides = append(r.settings.Overrides, o)
}

var (
	patternName = lazyregexp.New(`^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$`)
	fingerprint = lazyregexp.New(`^f1:[0-9a-f]{32}$`)
)

// maxName and maxText limit the strings of the user's file that appear in reports.
const (
	maxName = 60
	maxText = 400
)

func (r *settingsReader) pattern(n *node) {
	p := CustomPattern{Category: "custom", Severity: scanner.Medium, Pos: n.pos}
	var name string
	var expr *node
	before := len(r.problems)
	r.object(n, keys{
		"name":        func(n *node) { name = r.text(n) },
		"pattern":     func(n *node) { r.text(n); expr = n },
		"category":    func(n *node) { p.Category = r.oneOf(n, "category", r.customCategories()...) },
		"description": func(n *node) { p.Description = r.bounded(n) },
		"severity": func(n *node) {
			if s := r.severity(n); s != nil {
				p.Severity = *s
			}
		},
		"fields": func(n *node) {
			r.list(n, func(n *node) { p.Fields = append(p.Fields, r.oneOf(n, "field", r.vocabulary.Fields...)) })
		},
	})
	switch {
	case len(r.problems) == before && (name == "" || expr == nil):
		r.fail(n.pos, "a pattern needs a name and a pattern")
	case name != "" && (!patternName.MatchString(name) || len(name) > maxName):
		r.fail(n.pos, "the name %s: expected letters and digits, joined by - or _, at most %d", quoted(name), maxName)
	}
	p.ID = scanner.CustomGroup + strings.ReplaceAll(strings.ToLower(name), "_", "-")
	if name != "" && slices.Contains(r.custom, p.ID) {
		r.fail(n.pos, "duplicate pattern with the rule ID %s; rename one", p.ID)
	}
	r.custom = append(r.custom, p.ID) // kept even if the pattern is invalid, so that other references to its name are accepted
	if expr == nil || len(r.problems) > before {
		return
	}
	var err error
	if p.Pattern, err = text.Custom(p.ID, expr.text); err != nil {
		r.fail(expr.pos, "the pattern %s: %v", quoted(expr.text), err)
	}
	if p.Description == "" {
		p.Description = "matches the pattern " + name
	}
	r.settings.Patterns = append(r.settings.Patterns, p)
}

// bounded returns a string of limited length, because reports repeat it.
func (r *settingsReader) bounded(n *node) string {
	s := r.text(n)
	if len([]rune(s)) > maxText {
		r.fail(n.pos, "longer than %d characters, which is too long for reports; shorten it", maxText)
	}
	return s
}

func (r *settingsReader) ignore(n *node) {
	i := Ignore{Pos: n.pos}
	before := len(r.problems)
	r.object(n, keys{
		"rule":    func(n *node) { i.Rule = r.ruleGlob(n) },
		"server":  func(n *node) { i.Server = r.glob(n) },
		"tool":    func(n *node) { i.Tool = r.glob(n) },
		"reason":  func(n *node) { i.Reason = r.bounded(n) },
		"expires": func(n *node) { i.Expires = r.day(n) },
		"fingerprint": func(n *node) {
			if i.Fingerprint = r.text(n); !fingerprint.MatchString(i.Fingerprint) {
				r.fail(n.pos, "expected a fingerprint as in a report: f1: and 32 hexadecimal digits")
			}
		},
	})
	switch {
	case len(r.problems) > before:
		return
	case i.Rule+i.Server+i.Tool+i.Fingerprint == "":
		r.fail(n.pos, "this ignore matches everything: name a rule, server, tool or fingerprint")
	case i.Reason == "":
		r.fail(n.pos, "an ignore needs a reason")
	}
	r.settings.Ignores = append(r.settings.Ignores, i)
}

// day parses a date and returns the end of that day in UTC.
func (r *settingsReader) day(n *node) time.Time {
	t, err := time.Parse(time.DateOnly, n.text)
	if n.kind != kindString || err != nil {
		r.fail(n.pos, "expected the last day on which it applies, as in 2026-12-31")
		return time.Time{}
	}
	return t.AddDate(0, 0, 1)
}
