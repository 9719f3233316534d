package policyfile

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
)

// table reads the members of a table, which must be among the known keys. It reports whether v is a
// table.
func (r *reader) table(v config.Value, where string, known map[string]func(config.Member)) bool {
	members, ok := v.Members()
	keys := slices.Sorted(maps.Keys(known))
	if !ok {
		r.fail(v.Pos(), "expected a table with %s, found %s", strings.Join(keys, ", "), v.What())
		return false
	}
	seen := map[string]config.Position{}
	for _, m := range members {
		if first, again := seen[m.Key]; again {
			r.fail(m.Pos, "duplicate key %s, first at %s; keep one", config.Quoted(m.Key), first)
			continue
		}
		seen[m.Key] = m.Pos
		if read := known[m.Key]; read != nil {
			read(m)
			continue
		}
		r.fail(m.Pos, "unknown key %s%s%s", config.Quoted(m.Key), where, config.Hint(m.Key, keys))
	}
	return true
}

func (r *reader) action(rule *policy.Rule, v config.Value) {
	word, ok := v.Text()
	if !ok {
		r.fail(v.Pos(), "expected an action (%s), found %s", quotedActions(), v.What())
		return
	}
	rule.Action = policy.Action(word)
	if _, known := rule.Action.Verdict(); !known {
		r.fail(v.Pos(), "unknown action %s%s", config.Quoted(word), config.Hint(word, policy.Actions))
	}
}

func (r *reader) text(m config.Member) string {
	s, ok := m.Value.Text()
	switch {
	case !ok:
		r.fail(m.Value.Pos(), "expected a string for %s, found %s", m.Key, m.Value.What())
	case len([]rune(s)) > maxText:
		r.fail(m.Value.Pos(), "longer than %d characters, which is too long for reports; shorten it", maxText)
	}
	return text.Visible(text.Mask(s), maxText)
}

func (r *reader) truth(v config.Value) bool {
	literal, _ := v.Literal()
	if literal != "true" && literal != "false" {
		r.fail(v.Pos(), "expected true or false, found %s", v.What())
	}
	return literal == "true"
}

func (r *reader) priority(v config.Value) int {
	literal, _ := v.Literal()
	n, err := strconv.ParseUint(strings.ReplaceAll(literal, "_", ""), 10, 31)
	if err != nil {
		r.fail(v.Pos(), "expected a priority, a whole number from 0 on; the lowest decides first")
	}
	return int(n)
}

// args reads the args.<name> criteria.
func (r *reader) args(rule *policy.Rule, v config.Value) {
	members, ok := v.Members()
	if !ok || len(members) == 0 {
		r.fail(v.Pos(), "expected args.NAME = \"glob\" with the name of an argument, found %s", map[bool]string{true: "no name", false: v.What()}[ok])
		return
	}
	seen := map[string]config.Position{}
	for _, m := range members {
		if first, again := seen[strings.ToLower(m.Key)]; again {
			r.fail(m.Pos, "duplicate argument %s, first at %s; argument names ignore case", config.Quoted(m.Key), first)
			continue
		}
		seen[strings.ToLower(m.Key)] = m.Pos
		if _, nested := m.Value.Members(); nested {
			r.fail(m.Pos, "expected a glob for the argument %s, found a table; a rule matches every value below an argument, so name the outermost one", config.Quoted(m.Key))
			continue
		}
		rule.Args = append(rule.Args, policy.Argument{Name: m.Key, Patterns: r.globs(m, aPath)})
	}
}

// subject is the kind of value that a pattern matches.
type subject uint8

const (
	aName subject = iota
	aPath
	aMethod
	anEvent
)

// globs reads the patterns of a criterion: one, or a list of alternatives.
func (r *reader) globs(m config.Member, s subject) (out policy.Patterns) {
	values, isList := m.Value.Items()
	if !isList {
		values = []config.Value{m.Value}
	}
	if len(values) == 0 {
		r.fail(m.Value.Pos(), "%s is an empty list, which matches nothing: add a pattern, or remove it", config.Quoted(m.Key))
	}
	if len(values) > maxList {
		r.fail(m.Value.Pos(), "more than %d patterns in one list: split the rule", maxList)
		return nil
	}
	for _, v := range values {
		r.patterns++
		source, ok := v.Text()
		switch {
		case !ok:
			r.fail(v.Pos(), "expected a glob in quotes for %s, found %s", config.Quoted(m.Key), v.What())
			continue
		case r.impossible(v, source, s):
			continue
		case s == aPath:
			out = append(out, policy.NewPathPattern(source, v.Pos()))
		default:
			out = append(out, policy.NewPattern(source, v.Pos()))
		}
	}
	return out
}

// impossible rejects a pattern that cannot match anything.
func (r *reader) impossible(v config.Value, source string, s subject) bool {
	name, matches := config.Quoted(source), policy.NewPattern(source, v.Pos()).Matches
	switch {
	case source == "":
		r.fail(v.Pos(), "an empty pattern matches nothing: \"**\" matches everything")
	case len([]rune(source)) > maxPattern:
		r.fail(v.Pos(), "a pattern of more than %d characters: shorten it with **", maxPattern)
	case strings.ContainsFunc(source, func(r rune) bool { return r < ' ' || r == 0x7f }):
		r.fail(v.Pos(), "the pattern %s has a control character, which never matches; in TOML, 'single quotes' keep backslashes", name)
	case s != aPath && strings.TrimSpace(source) != source:
		r.fail(v.Pos(), "the pattern %s begins or ends with a space; remove it", name)
	case s == aMethod && !slices.ContainsFunc(policy.Methods, matches):
		r.fail(v.Pos(), "the pattern %s matches no method of MCP%s", name, meant(source, policy.Methods))
	case s == anEvent && !slices.ContainsFunc(policy.EventTypes, matches):
		r.fail(v.Pos(), "unknown event_type %s%s", name, config.Hint(source, policy.EventTypes))
	default:
		return false
	}
	return true
}

// meant returns the hint for an unknown method: there are too many to list them all.
func meant(word string, known []string) string {
	if hint := config.Hint(word, known); hint != "" {
		return hint
	}
	return "; expected one such as tools/call, resources/read, prompts/get or sampling/createMessage"
}
