// Package policyfile reads TOML policies into the rules of package policy.
//
// It must never accept what it does not understand: it reports misspelled keys and patterns that
// cannot match. It does no I/O and has no clock.
package policyfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Limits for a policy file.
const (
	MaxFile     = 4 << 20 // in bytes
	maxRules    = 10_000
	maxPatterns = 100_000
	maxList     = 1000 // patterns per criterion
	maxPattern  = 1000 // in characters
	maxText     = 400  // in characters, of a name, description or message, because reports repeat these
)

// ParseTOML reads a policy in one of the two forms in docs/policy.md. It is strict, because a
// misspelled key would otherwise let through what it should refuse. The error is a
// *config.SettingsError with all problems.
func ParseTOML(path string, data []byte) (*policy.Policy, error) {
	r := &reader{}
	if len(data) > MaxFile {
		r.fail(start, "larger than %d MiB, the limit for a policy; check the path", MaxFile>>20)
		return nil, r.err(path)
	}
	root, failed := config.ReadTOML(data)
	if failed != nil {
		r.fail(config.Position{Line: failed.Line, Column: failed.Column}, "%s", failed.Msg)
		return nil, r.err(path)
	}
	r.root(root)
	if len(r.problems) > 0 {
		return nil, r.err(path)
	}
	return policy.New(path, r.listed, r.rules), nil
}

// reader reads rules and collects errors.
type reader struct {
	rules    []*policy.Rule
	listed   bool // the file has the form [[rule]]
	problems []config.Problem
	patterns int
}

func (r *reader) fail(pos config.Position, format string, args ...any) {
	r.problems = append(r.problems, config.Problem{Pos: pos, Msg: text.Visible(fmt.Sprintf(format, args...), 600)})
}

func (r *reader) err(path string) error {
	slices.SortStableFunc(r.problems, func(a, b config.Problem) int { return a.Pos.Compare(b.Pos) })
	return &config.SettingsError{Path: path, Problems: r.problems}
}

// start is the position reported for problems with the whole file.
var start = config.Position{Line: 1, Column: 1}

const forms = "[[rule]] with action and tool, or [rules.NAME] with action and match"

func (r *reader) root(root config.Value) {
	var form string
	r.table(root, "", map[string]func(config.Member){
		"rule":  func(m config.Member) { r.form(&form, m, r.list) },
		"rules": func(m config.Member) { r.form(&form, m, r.named) },
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
func (r *reader) form(form *string, m config.Member, read func(config.Value)) {
	if *form != "" && *form != m.Key {
		r.fail(m.Pos, "a file cannot mix [[rule]] and [rules.NAME], which have different defaults; move these rules to another file")
	}
	*form = m.Key
	read(m.Value)
}

// list reads the rules of the form [[rule]].
func (r *reader) list(v config.Value) {
	r.listed = true
	items, ok := v.Items()
	if !ok {
		r.fail(v.Pos(), "expected [[rule]], found %s; double the brackets", v.What())
		return
	}
	for i, item := range items {
		rule := &policy.Rule{Number: i + 1, At: item.Pos()}
		var action, tool bool
		if !r.table(item, " in a rule of the form [[rule]]", map[string]func(config.Member){
			"action":      func(m config.Member) { action = true; r.action(rule, m.Value) },
			"tool":        func(m config.Member) { tool = true; rule.Targets = r.globs(m, aPath) },
			"args":        func(m config.Member) { r.args(rule, m.Value) },
			"server":      func(m config.Member) { rule.Servers = r.globs(m, aName) },
			"description": func(m config.Member) { rule.Description = r.text(m) },
		}) {
			continue
		}
		r.needs(rule, action)
		if !tool {
			r.fail(rule.At, "rule %d names no tool: expected tool = \"name or glob\"; \"**\" is every tool", rule.Number)
		}
		r.sure(rule)
		r.rules = append(r.rules, rule)
	}
}

// named reads the rules of the form [rules.NAME].
func (r *reader) named(v config.Value) {
	if items, ok := v.Items(); ok && len(items) > 0 {
		r.fail(v.Pos(), "expected [rules.NAME], found a list; the form with a list is [[rule]]")
		return
	}
	members, ok := v.Members()
	if !ok {
		r.fail(v.Pos(), "expected [rules.NAME], found %s", v.What())
	}
	seen := map[string]config.Position{}
	for i, m := range members {
		if first, again := seen[m.Key]; again {
			r.fail(m.Pos, "duplicate rule name %s, first at %s; rename one, so that reports can distinguish them", config.Quoted(m.Key), first)
		}
		seen[m.Key] = m.Pos
		rule := &policy.Rule{Name: text.Visible(text.Mask(m.Key), maxText), Number: i + 1, At: m.Pos}
		if strings.TrimSpace(m.Key) == "" || len([]rune(m.Key)) > maxText {
			r.fail(m.Pos, "expected a name of 1 to %d characters for a rule", maxText)
		}
		r.rule(rule, m.Value)
		r.rules = append(r.rules, rule)
	}
}

// rule reads one rule of the form [rules.NAME].
func (r *reader) rule(rule *policy.Rule, v config.Value) {
	var action, match bool
	if !r.table(v, " in a rule of the form [rules.NAME]", map[string]func(config.Member){
		"description": func(m config.Member) { rule.Description = r.text(m) },
		"message":     func(m config.Member) { rule.Message = r.text(m) },
		"action":      func(m config.Member) { action = true; r.action(rule, m.Value) },
		"priority":    func(m config.Member) { rule.Priority = r.priority(m.Value) },
		"enabled":     func(m config.Member) { rule.Disabled = !r.truth(m.Value) },
		"match":       func(m config.Member) { match = true; r.match(rule, m) },
	}) {
		return
	}
	r.needs(rule, action)
	if !match {
		r.fail(rule.At, "the rule %s matches nothing: expected [rules.NAME.match] with %s", config.Quoted(rule.Name), criteria)
	}
	r.sure(rule)
}

const criteria = "tool_name, resource_path, method, event_type or any = true"

// match reads the criteria of a rule.
func (r *reader) match(rule *policy.Rule, m config.Member) {
	n := 0
	globs := func(into *policy.Patterns, s subject) func(config.Member) {
		return func(m config.Member) { n++; *into = r.globs(m, s) }
	}
	if !r.table(m.Value, " in match", map[string]func(config.Member){
		"tool_name":     globs(&rule.Tools, aName),
		"resource_path": globs(&rule.Paths, aPath),
		"method":        globs(&rule.Methods, aMethod),
		"event_type":    globs(&rule.Types, anEvent),
		"any":           func(m config.Member) { rule.Any = r.truth(m.Value) },
	}) {
		return
	}
	switch {
	case rule.Any && n > 0:
		r.fail(m.Pos, "any = true matches every request: remove it, or the other criteria")
	case n == 0 && !rule.Any:
		r.fail(m.Pos, "no criterion: expected %s", criteria)
	}
}

// needs rejects a rule without an action.
func (r *reader) needs(rule *policy.Rule, action bool) {
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

// sure rejects patterns that can never match in rules that let requests pass.
func (r *reader) sure(rule *policy.Rule) {
	for _, found := range rule.Impossible() {
		r.fail(found.At, "%s", found.Says)
	}
}
