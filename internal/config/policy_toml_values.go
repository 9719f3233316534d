package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
)

// found returns the name of a node's kind in TOML.
func found(n *node) string {
	if n.kind == kindObject {
		return "a table"
	}
	return n.kind.String()
}

func (r *rulesReader) action(rule *policy.Rule, n *node) {
	rule.Action = policy.Action(r.oneOf(n, "action", policy.Actions...))
}

// says returns a rule's description or message, masked and escaped; it may be empty.
func (r *rulesReader) says(n *node) string {
	if n.kind == kindString && strings.TrimSpace(n.text) == "" {
		return ""
	}
	return text.Visible(text.Mask(r.bounded(n)), maxText)
}

func (r *rulesReader) priority(n *node) int {
	i, err := strconv.ParseUint(strings.ReplaceAll(n.text, "_", ""), 10, 31)
	if n.kind != kindNumber || err != nil {
		r.fail(n.pos, "expected a priority, a whole number of 0 or more; rules with lower priorities are tried first")
	}
	return int(i)
}

// args reads the args.<name> criteria.
func (r *rulesReader) args(rule *policy.Rule, n *node) {
	if len(n.members) == 0 {
		r.fail(n.pos, "expected args.NAME = \"glob\" with the name of an argument, found %s", map[bool]string{true: "no name", false: n.kind.String()}[n.kind == kindObject])
		return
	}
	seen := map[string]Position{}
	for _, m := range n.members {
		if first, again := seen[strings.ToLower(m.key)]; again {
			r.fail(m.pos, "duplicate argument %s, first at %s; case does not matter in argument names", Quoted(m.key), first)
			continue
		}
		seen[strings.ToLower(m.key)] = m.pos
		if m.value.kind == kindObject {
			r.fail(m.pos, "expected a glob for the argument %s, found a table; a glob applies to every value inside its argument, so name only the outermost argument", Quoted(m.key))
			continue
		}
		rule.Args = append(rule.Args, policy.Argument{Name: m.key, Patterns: r.globs(m.key, m.value, aPath)})
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

// globs reads a criterion's patterns: one, or a list of alternatives.
func (r *rulesReader) globs(key string, n *node, s subject) (out policy.Patterns) {
	values := []*node{n}
	if n.kind == kindArray {
		values = n.items
	}
	if len(values) == 0 {
		r.fail(n.pos, "%s is an empty list, which matches nothing: add a pattern, or remove the list", Quoted(key))
	}
	if len(values) > maxList {
		r.fail(n.pos, "more than %d patterns in one list: split the rule", maxList)
		return nil
	}
	for _, v := range values {
		r.patterns++
		switch {
		case v.kind != kindString:
			r.fail(v.pos, "expected a glob in quotes for %s, found %s", Quoted(key), found(v))
		case r.impossible(v, s):
		case s == aPath:
			out = append(out, policy.NewPathPattern(v.text, v.pos))
		default:
			out = append(out, policy.NewPattern(v.text, v.pos))
		}
	}
	return out
}

// impossible rejects a pattern that is too long or cannot match anything.
func (r *rulesReader) impossible(n *node, s subject) bool {
	source := n.text
	name, matches := Quoted(source), policy.NewPattern(source, n.pos).Matches
	switch {
	case source == "":
		r.fail(n.pos, "an empty pattern matches nothing: \"**\" matches everything")
	case len([]rune(source)) > maxPattern:
		r.fail(n.pos, "the pattern has more than %d characters: shorten it with **", maxPattern)
	case strings.ContainsFunc(source, func(r rune) bool { return r < ' ' || r == 0x7f }):
		r.fail(n.pos, "the pattern %s has a control character, which never matches; in TOML, 'single quotes' keep backslashes", name)
	case s != aPath && strings.TrimSpace(source) != source:
		r.fail(n.pos, "the pattern %s begins or ends with a space; remove the space", name)
	case s == aMethod && !slices.ContainsFunc(policy.Methods, matches):
		r.fail(n.pos, "the pattern %s matches no MCP method%s", name, meant(source, policy.Methods))
	case s == anEvent && !slices.ContainsFunc(policy.EventTypes, matches):
		r.fail(n.pos, "unknown event_type %s%s", name, Hint(source, policy.EventTypes))
	default:
		return false
	}
	return true
}

// meant returns the hint for an unknown method. It suggests similar methods, because there are too
// many to list them all.
func meant(word string, known []string) string {
	if similar := Similar(word, known); similar != "" {
		return similar
	}
	return "; expected one such as tools/call, resources/read, prompts/get or sampling/createMessage"
}
