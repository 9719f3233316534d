package config

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/scanner"
)

// overrides compares overrides for servers and tools. The overrides common to both versions are in
// the same order (see apart), so only added and removed ones matter.
func (c *comparison) overrides() {
	keys := []string{"overrides"}
	gone, added := apart(c.before.Overrides, c.now.Overrides, func(a, b *Override) bool { return a.Server == b.Server && a.Tool == b.Tool && same(a.Layer, b.Layer) })
	for _, o := range gone {
		c.Add(c.layerEffect(o, false), keys, "an override was removed (server %q, tool %q)", o.Server, o.Tool)
	}
	for _, o := range added {
		c.Add(c.layerEffect(o, true), keys, "an override was added (server %q, tool %q)", o.Server, o.Tool).Pos = o.Pos
	}
}

// layerEffect returns the effect of an added or removed override. If another override sets the
// severity of the same rule, the change counts as weakening, because either may apply to a tool.
func (c *comparison) layerEffect(o *Override, added bool) configfile.Effect {
	for _, on := range o.Categories {
		if on != added {
			return configfile.Weakens
		}
	}
	effect := configfile.Keeps
	rules := c.comparedRules()
	for id, set := range o.Rules {
		at := slices.IndexFunc(rules, func(r scanner.Rule) bool { return r.ID == id })
		switch {
		case set.Enabled != nil && *set.Enabled != added:
			return configfile.Weakens
		case set.Severity == nil:
		case at < 0 || c.severities(id) > 1:
			return configfile.Weakens
		case added:
			effect = max(effect, lighter(rules[at].Severity, c.before.general(&rules[at], false).Severity, set.Severity))
		default:
			effect = max(effect, lighter(rules[at].Severity, set.Severity, c.now.general(&rules[at], false).Severity))
		}
	}
	return effect
}

// severities counts the overrides, of the two versions together, that set a rule's severity.
func (c *comparison) severities(id string) (n int) {
	for _, s := range [...]*Settings{c.before, c.now} {
		for _, o := range s.Overrides {
			if o.Rules[id].Severity != nil {
				n++
			}
		}
	}
	return n
}

// apart returns the elements that are in only one of the two lists, treating elements as common
// only if they are in the same order in both.
func apart[T any](before, now []T, equal func(a, b *T) bool) (gone, added []*T) {
	next := 0
	for i := range now {
		at := slices.IndexFunc(before[next:], func(b T) bool { return equal(&b, &now[i]) })
		if at < 0 {
			added = append(added, &now[i])
			continue
		}
		for k := range at {
			gone = append(gone, &before[next+k])
		}
		next += at + 1
	}
	for i := next; i < len(before); i++ {
		gone = append(gone, &before[i])
	}
	return gone, added
}

// ignores compares the accepted findings. A change to the position or the reason of an ignore is
// harmless.
func (c *comparison) ignores() {
	keys := []string{"ignores"}
	for i := range c.now.Ignores {
		is := &c.now.Ignores[i]
		if slices.ContainsFunc(c.before.Ignores, func(was Ignore) bool { return was.equals(is) }) {
			continue
		}
		result, what := configfile.Weakens, "an ignore was added that names neither a fingerprint nor a single rule and tool"
		switch {
		case slices.ContainsFunc(c.before.Ignores, func(was Ignore) bool { return was.covers(is) }):
			result, what = configfile.Keeps, "an ignore was changed, but accepts no additional findings"
		case is.narrow():
			result, what = configfile.Accepts, "an ignore was added"
		}
		c.Add(result, keys, "%s: %s", what, is).Pos = is.Pos
	}
	for i := range c.before.Ignores {
		was := &c.before.Ignores[i]
		if !slices.ContainsFunc(c.now.Ignores, func(is Ignore) bool { return was.equals(&is) || was.covers(&is) }) {
			c.Add(configfile.Keeps, keys, "an ignore was removed: %s", was)
		}
	}
}

// equals reports whether two ignores accept the same findings for the same reason.
func (i Ignore) equals(o *Ignore) bool {
	i.Pos = o.Pos
	return i == *o
}

// covers reports whether i is known to ignore every finding that o ignores.
func (i *Ignore) covers(o *Ignore) bool {
	criterion := func(own, other string) bool { return own == "" || own == other }
	return criterion(i.Rule, o.Rule) && criterion(i.Server, o.Server) && criterion(i.Tool, o.Tool) && criterion(i.Fingerprint, o.Fingerprint) &&
		(i.Expires.IsZero() || !o.Expires.IsZero() && !o.Expires.After(i.Expires))
}

// narrow reports whether an ignore is specific: limited to one finding by its fingerprint, or to
// one rule in one tool.
func (i *Ignore) narrow() bool {
	literal := func(s string) bool { return s != "" && !strings.ContainsAny(s, `*?[]{}\`) }
	return i.Fingerprint != "" || literal(i.Rule) && literal(i.Tool)
}

// String formats an ignore with the keys of the settings file.
func (i *Ignore) String() string {
	var says []string
	for _, criterion := range [...][2]string{{"rule", i.Rule}, {"server", i.Server}, {"tool", i.Tool}, {"fingerprint", i.Fingerprint}, {"reason", i.Reason}} {
		if criterion[1] != "" {
			says = append(says, criterion[0]+" "+criterion[1])
		}
	}
	if !i.Expires.IsZero() {
		says = append(says, "expires "+i.lastDay())
	}
	return strings.Join(says, ", ")
}
