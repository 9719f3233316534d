package config

import (
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Limits for a TOML policy.
const (
	MaxPolicy   = 4 << 20 // in bytes
	maxRules    = 10_000
	maxPatterns = 100_000
	maxList     = 1000 // patterns per criterion
	maxPattern  = 1000 // in characters
)

// ParsePolicy reads a TOML policy in one of the two forms in docs/policy.md. It never accepts what it
// does not understand: it reports misspelled keys and patterns that cannot match. The error is a
// *SettingsError with all problems.
func ParsePolicy(path string, data []byte) (*policy.Policy, error) {
	r := &rulesReader{}
	if len(data) > MaxPolicy {
		r.fail(start, "larger than %d MiB, the limit for a policy; check the path", MaxPolicy>>20)
	} else if roots := r.parse(data, parseTOML); len(roots) > 0 {
		r.root(roots[0])
	}
	if err := r.err(path); err != nil {
		return nil, err
	}
	return policy.New(path, r.listed, r.rules), nil
}

// rulesReader reads the rules of a TOML policy.
type rulesReader struct {
	strictReader
	rules    []*policy.Rule
	listed   bool // the file has the form [[rule]]
	patterns int
}

const forms = "[[rule]] with action and tool, or [rules.NAME] with action and match"

func (r *rulesReader) root(root *node) {
	var form string
	r.object(root, keys{
		"rule":  func(n *node) { r.form(&form, "rule", n, r.listedRules) },
		"rules": func(n *node) { r.form(&form, "rules", n, r.namedRules) },
	})
	switch n := len(r.rules); {
	case n == 0 && len(r.problems) == 0:
		r.fail(start, "no rule: expected %s", forms)
	case n > maxRules:
		r.fail(r.rules[maxRules].At, "more than %d rules: split the policy", maxRules)
	case r.patterns > maxPatterns:
		r.fail(start, "more than %d patterns: split the policy", maxPatterns)
	}
}

// form reads the rules of one form, and rejects a file that mixes both forms, because their
// defaults differ.
func (r *rulesReader) form(form *string, key string, n *node, read func(*node)) {
	if *form != "" && *form != key {
		r.fail(n.pos, "a file cannot mix [[rule]] and [rules.NAME], which have different defaults; move these rules to another file")
	}
	*form = key
	read(n)
}

// listedRules reads the rules of the form [[rule]].
func (r *rulesReader) listedRules(n *node) {
	r.listed = true
	if n.kind != kindArray {
		r.fail(n.pos, "expected [[rule]], found %s; double the brackets", found(n))
		return
	}
	for i, item := range n.items {
		rule := &policy.Rule{Number: i + 1, At: item.pos}
		var action, tool bool
		if !r.object(item, keys{
			"action":      func(n *node) { action = true; r.action(rule, n) },
			"tool":        func(n *node) { tool = true; rule.Targets = r.globs("tool", n, aPath) },
			"args":        func(n *node) { r.args(rule, n) },
			"server":      func(n *node) { rule.Servers = r.globs("server", n, aName) },
			"description": to(&rule.Description, r.says),
		}) {
			continue
		}
		r.requireAction(rule, action)
		if !tool {
			r.fail(rule.At, "rule %d names no tool: expected tool = \"name or glob\"; \"**\" matches every tool", rule.Number)
		}
		r.rejectUnmatchable(rule)
		r.rules = append(r.rules, rule)
	}
}

// namedRules reads the rules of the form [rules.NAME].
func (r *rulesReader) namedRules(n *node) {
	if len(n.items) > 0 {
		r.fail(n.pos, "expected [rules.NAME], found a list; the form with a list is [[rule]]")
		return
	}
	if n.kind != kindObject {
		r.fail(n.pos, "expected [rules.NAME], found %s", n.kind)
	}
	seen := map[string]Position{}
	for i, m := range n.members {
		if first, again := seen[m.key]; again {
			r.fail(m.pos, "duplicate rule name %s, first at %s; rename one, so that reports can distinguish them", Quoted(m.key), first)
		}
		seen[m.key] = m.pos
		rule := &policy.Rule{Name: text.Visible(text.Mask(m.key), maxText), Number: i + 1, At: m.pos}
		if strings.TrimSpace(m.key) == "" || len([]rune(m.key)) > maxText {
			r.fail(m.pos, "expected a rule name of 1 to %d characters", maxText)
		}
		r.named(rule, m.value)
		r.rules = append(r.rules, rule)
	}
}

// named reads one rule of the form [rules.NAME].
func (r *rulesReader) named(rule *policy.Rule, n *node) {
	var action, match bool
	if !r.object(n, keys{
		"description": to(&rule.Description, r.says),
		"message":     to(&rule.Message, r.says),
		"action":      func(n *node) { action = true; r.action(rule, n) },
		"priority":    to(&rule.Priority, r.priority),
		"enabled":     func(n *node) { rule.Disabled = !isTrue(r.bool(n)) },
		"match":       func(n *node) { match = true; r.match(rule, n) },
	}) {
		return
	}
	r.requireAction(rule, action)
	if !match {
		r.fail(rule.At, "the rule %s matches nothing: expected [rules.NAME.match] with %s", Quoted(rule.Name), criteria)
	}
	r.rejectUnmatchable(rule)
}

const criteria = "tool_name, resource_path, method, event_type or any = true"

// match reads a rule's criteria.
func (r *rulesReader) match(rule *policy.Rule, n *node) {
	count := 0
	globs := func(key string, into *policy.Patterns, s subject) func(*node) {
		return func(n *node) { count++; *into = r.globs(key, n, s) }
	}
	if !r.object(n, keys{
		"tool_name":     globs("tool_name", &rule.Tools, aName),
		"resource_path": globs("resource_path", &rule.Paths, aPath),
		"method":        globs("method", &rule.Methods, aMethod),
		"event_type":    globs("event_type", &rule.Types, anEvent),
		"any":           func(n *node) { rule.Any = isTrue(r.bool(n)) },
	}) {
		return
	}
	switch {
	case rule.Any && count > 0:
		r.fail(n.pos, "any = true matches every request: remove it, or the other criteria")
	case count == 0 && !rule.Any:
		r.fail(n.pos, "no criterion: expected %s", criteria)
	}
}

// requireAction rejects a rule without an action.
func (r *rulesReader) requireAction(rule *policy.Rule, action bool) {
	if !action {
		r.fail(rule.At, "the rule has no action: expected action = %s", quotedActions())
	}
}

func quotedActions() string {
	var words []string
	for _, a := range policy.Actions {
		words = append(words, strconv.Quote(a))
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// rejectUnmatchable rejects a rule that lets requests pass but has a pattern that can never match.
func (r *rulesReader) rejectUnmatchable(rule *policy.Rule) {
	for _, found := range rule.Impossible() {
		r.fail(found.At, "%s", found.Says)
	}
}
