package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// settingsReader fills in Settings from a tree.
type settingsReader struct {
	strictReader
	vocabulary Vocabulary
	settings   *Settings
	custom     []string // IDs of custom rules

	similarityAt Position // position of the name similarity threshold, if one was read
}

func (r *settingsReader) root(n *node) {
	s := r.settings
	// The patterns are read first, because the other settings can refer to their rule IDs.
	for _, path := range [...][]string{{"detection"}, {"sandbox", "mcp", "detection"}, {"mcp_rules", "detection"}, {"mcp", "inspection", "detection"}} {
		for _, m := range n.all(append(path, "custom_patterns")...) {
			r.list(m.value, r.pattern)
		}
	}
	r.policy(n, keys{
		"detection":         r.detection,
		"output_inspection": r.outputInspection,
		"approval": r.within(keys{
			"quarantine_enabled": r.agreed("quarantine_enabled", &s.Approval.Quarantine),
			"auto_trust_first":   r.agreed("auto_trust_first", &s.Approval.TrustFirst),
			"skip_quarantine":    each(r.list, &s.Approval.Skip, r.skipped),
		}),
		"quarantine_enabled": r.agreed("quarantine_enabled", &s.Approval.Quarantine),
		"mcpServers":         r.clientServers,
		"builtin_patterns":   r.without("builtin_patterns", "patterns are built in; to enable those that this key names, set detection.profile to strict; to switch categories on and off, use detection.builtin"),
		"proxy":              r.without("proxy", "use flags to configure the proxy: mcpscan proxy --llm"),
		"dlp":                r.without("dlp", "mcpscan has no data loss prevention; it masks secrets in reports and recordings"),
		"cross_server":       r.crossServer,
		"rate_limits":        r.rateLimits,
		"overrides":          func(n *node) { r.list(n, r.override) },
		"ignores":            func(n *node) { r.list(n, r.ignore) },
	})
}

// profile reads a profile name.
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

// layer returns the keys in a layer.
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
				r.checkRule(m.key, m.pos)
				l.Rules[m.key] = r.rule(m.value)
			})
		},
	}
}

// categories are the categories that can be switched on or off, even those without rules. The
// engine's own findings cannot be switched off, and custom patterns have their own key.
var categories = slices.DeleteFunc(slices.Clone(scanner.Categories), func(c string) bool {
	return c == "engine" || c == "custom"
})

// customCategories returns the categories that custom patterns may have. OutputPoisoning is not
// among them: findings in results have that category anyway.
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

// checkRule reports a problem if a rule ID is unknown.
func (r *settingsReader) checkRule(id string, pos Position) {
	if !slices.Contains(r.ids(), id) {
		r.fail(pos, "unknown rule %s%s (to list all rules, run mcpscan rules)", Quoted(id), Hint(id, r.ids()))
	}
}

func (r *settingsReader) rule(n *node) (s RuleSetting) {
	r.object(n, keys{
		"severity": to(&s.Severity, r.severity),
		"enabled":  to(&s.Enabled, r.bool),
	})
	return s
}

func (r *settingsReader) override(n *node) {
	o := Override{Pos: n.pos}
	known := r.layer(&o.Layer)
	known["server"] = to(&o.Server, r.glob)
	known["tool"] = to(&o.Tool, r.glob)
	before := len(r.problems)
	r.object(n, known)
	if len(r.problems) == before && o.Server == "" && o.Tool == "" {
		r.fail(n.pos, "this override matches all servers: name a server or a tool, or move it to detection")
	}
	r.scope(n.pos, "this override", o.Server, o.Tool)
	r.settings.Overrides = append(r.settings.Overrides, o)
}

// skipped reads a glob for servers whose new definitions do not wait for approval.
func (r *settingsReader) skipped(n *node) string {
	glob := r.glob(n)
	r.scope(n.pos, "skip_quarantine", glob, "")
	return glob
}

var patternName = lazyregexp.New(`^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$`)

// maxName and maxText limit, in characters, the strings from the user's file that appear in reports.
const (
	maxName = 60
	maxText = 400
)

func (r *settingsReader) pattern(n *node) {
	p := scanner.CustomPattern{Category: "custom", Severity: scanner.Medium, Pos: n.pos}
	var name string
	var expr *node
	before := len(r.problems)
	r.object(n, keys{
		"name":        to(&name, r.text),
		"pattern":     func(n *node) { r.text(n); expr = n },
		"category":    func(n *node) { p.Category = r.oneOf(n, "category", r.customCategories()...) },
		"description": to(&p.Description, r.bounded),
		"severity": func(n *node) {
			if s := r.severity(n); s != nil {
				p.Severity = *s
			}
		},
		"fields": each(r.list, &p.Fields, func(n *node) string { return r.oneOf(n, "field", r.vocabulary.Fields...) }),
	})
	switch {
	case len(r.problems) == before && (name == "" || expr == nil):
		r.fail(n.pos, "a pattern needs a name and a pattern")
	case name != "" && (!patternName.MatchString(name) || len(name) > maxName):
		r.fail(n.pos, "the name %s is invalid: expected letters and digits, joined by - or _, at most %d characters", Quoted(name), maxName)
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
		r.fail(expr.pos, "the pattern %s: %v", Quoted(expr.text), err)
	}
	p.Description = cmp.Or(p.Description, "matches the pattern "+name)
	r.settings.Patterns = append(r.settings.Patterns, p)
}

func (r *settingsReader) ignore(n *node) {
	i := Ignore{Pos: n.pos}
	before := len(r.problems)
	r.object(n, keys{
		"rule":    to(&i.Rule, r.ruleGlob),
		"server":  to(&i.Server, r.glob),
		"tool":    to(&i.Tool, r.glob),
		"reason":  to(&i.Reason, r.bounded),
		"expires": to(&i.Expires, r.day),
		"fingerprint": func(n *node) {
			if i.Fingerprint = r.text(n); !scanner.FingerprintForm.MatchString(i.Fingerprint) {
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
		r.fail(n.pos, "expected the last day on which the ignore applies, as in 2026-12-31")
		return time.Time{}
	}
	return t.AddDate(0, 0, 1)
}

// glob parses a glob for names.
func (r *settingsReader) glob(n *node) string {
	s := r.text(n)
	if !doublestar.ValidatePattern(s) {
		r.fail(n.pos, "%s is not a valid glob: use * for any part of a name, [abc] for one of several characters, and {one,other} for alternatives", Quoted(s))
	}
	return s
}

// matchesGlob reports whether a name matches a glob; an empty glob matches all.
func matchesGlob(glob, name string) bool {
	if glob == "" {
		return true
	}
	ok, _ := doublestar.Match(glob, name)
	return ok
}

// ruleGlob parses a glob that must match at least one rule.
func (r *settingsReader) ruleGlob(n *node) string {
	s := r.glob(n)
	if !slices.ContainsFunc(r.ids(), func(id string) bool { return matchesGlob(s, id) }) {
		r.checkRule(s, n.pos)
	}
	return s
}
