package conform

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

func (c *compiler) required(_ *keyword, at found) check {
	names := c.words(at[0])
	return func(r *run, i int) bool { return r.hasAll(i, names) }
}

func (r *run) hasAll(i int, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return r.get(i, name) < 0 })
}

// members are the rules for the members of an object.
type members struct {
	known    map[string]*schema
	patterns []*pattern
	fitting  []*schema // schema for each pattern
	others   *schema
	closed   bool // no other members are allowed
}

func (c *compiler) members(_ *keyword, at found) check {
	m := &members{known: map[string]*schema{}, others: c.optional(at[2])}
	m.closed = c.Kind(at[2]) == wire.Bool && m.others.nothing
	if at[0] >= 0 {
		for _, n := range c.list(at[0], wire.Object) {
			name := string(c.key(n))
			m.known[name] = c.schema(n)
		}
	}
	if at[1] >= 0 {
		for _, n := range c.list(at[1], wire.Object) {
			m.patterns = append(m.patterns, &pattern{source: string(c.key(n))})
			m.fitting = append(m.fitting, c.schema(n))
		}
	}
	return m.holds
}

func (m *members) holds(r *run, i int) bool {
	ok, unknown := true, false
	for n := r.first(i); n >= 0; n = r.next(n) {
		fits, known := m.member(r, n)
		ok, unknown = ok && fits, unknown || !known
		if r.quiet && (!ok || unknown) {
			return false
		}
	}
	if unknown {
		return r.fail(i, "additionalProperties")
	}
	return ok
}

// member checks one member: ok reports whether it conforms to the schemas that apply to it, and
// known reports whether it is allowed.
func (m *members) member(r *run, n int) (ok, known bool) {
	key := r.key(n)
	if !r.spend(cost(len(key))) {
		return false, true
	}
	s := m.known[string(key)]
	ok = true
	if len(m.patterns) > 0 {
		key = []byte(string(key)) // the key buffer is reused when a schema is applied
	}
	if s != nil {
		ok, known = r.apply(s, n, false), true
	}
	for k, p := range m.patterns {
		if r.spend(1) && r.matches(p, key) {
			known = true
			ok = r.apply(m.fitting[k], n, false) && ok
		}
	}
	if !known && m.others != nil && !m.closed {
		ok, known = r.apply(m.others, n, false), true
	}
	if known {
		r.seen(n)
	}
	return ok, known || !m.closed
}

// memberNames applies a schema to the names of members.
func (c *compiler) memberNames(_ *keyword, at found) check {
	s := c.schema(at[0])
	return func(r *run, i int) bool {
		for n := r.first(i); n >= 0; n = r.next(n) {
			key := r.key(n)
			r.name.SetText([]byte(string(key)))
			r.spend(cost(len(key)))
			whole := r.values
			r.values = values{Doc: &r.name}
			ok := r.fits(s, 0, false)
			r.values = whole
			if !ok {
				return false
			}
		}
		return true
	}
}

// dependency contains the requirements triggered by the presence of a member.
type dependency struct {
	name  string
	needs []string
	then  *schema
}

func (c *compiler) dependent(k *keyword, at found) check {
	var list []dependency
	keyword := k.names[0]
	for _, n := range c.list(at[0], wire.Object) {
		d := dependency{name: string(c.key(n))}
		if keyword == "dependentRequired" || keyword == "dependencies" && c.Kind(n) == wire.Array {
			d.needs = c.words(n)
		} else {
			d.then = c.schema(n)
		}
		list = append(list, d)
	}
	return func(r *run, i int) bool {
		ok := true
		for _, d := range list {
			switch {
			case r.get(i, d.name) < 0 && !r.stopped:
				continue
			case d.then != nil:
				ok = r.apply(d.then, i, true) && ok
			case !r.hasAll(i, d.needs):
				ok = r.fail(i, strings.Replace(keyword, "dependencies", "dependency", 1))
			}
			if !ok && r.quiet {
				break
			}
		}
		return ok
	}
}

// items checks the elements of an array: the first ones against one schema each, and the rest
// against a single schema. Up to draft 2019-09, "items" is either a list of schemas for the first
// elements or one schema for all.
func (c *compiler) items(_ *keyword, at found) check {
	var each []*schema
	rest, closed := c.optional(at[1]), false
	switch {
	case c.draft == draft2020 && at[0] >= 0, c.Kind(at[0]) == wire.Array:
		each = c.schemas(at[0])
		closed = c.draft < draft2020 && c.Kind(at[1]) == wire.Bool && rest.nothing
	case c.draft < draft2020:
		if rest = c.optional(at[0]); rest == nil {
			return nil
		}
	}
	return func(r *run, i int) bool {
		ok, k := true, 0
		for n := r.First(i); n >= 0; n = r.Next(n) {
			s := rest
			if k < len(each) {
				s = each[k]
			} else if closed {
				return r.fail(i, "additionalItems")
			}
			k++
			if s == nil {
				break
			}
			if r.seen(n); !r.apply(s, n, false) {
				if ok = false; r.quiet {
					break
				}
			}
		}
		return ok
	}
}

func (c *compiler) unique(_ *keyword, at found) check {
	if c.failed = c.failed || c.Kind(at[0]) != wire.Bool; string(c.Raw(at[0])) != "true" {
		return nil
	}
	return func(r *run, i int) bool {
		if r.Nodes[i].Len < 2 {
			return true
		}
		seen := make(map[string]bool, r.Nodes[i].Len)
		for n := r.First(i); n >= 0; n = r.Next(n) {
			form, ok := r.formOf(n)
			if !ok || seen[string(form)] {
				return false
			}
			seen[string(form)] = true
		}
		return true
	}
}

func (c *compiler) contains(_ *keyword, at found) check {
	s, least, most := c.optional(at[0]), 1, -1
	if at[1] >= 0 {
		least = c.length(at[1])
	}
	if at[2] >= 0 {
		most = c.length(at[2])
	}
	if s == nil {
		return nil
	}
	marks := c.draft == draft2020 // mark the elements as evaluated
	return func(r *run, i int) bool {
		found := 0
		for n := r.First(i); n >= 0 && !r.stopped; n = r.Next(n) {
			if r.fits(s, n, false) {
				found++
				if marks {
					r.seen(n)
				}
			}
		}
		return found >= least && (most < 0 || found <= most)
	}
}

// unevaluated checks the children that no other rule of the schema evaluated.
func (c *compiler) unevaluated(_ *keyword, at found) check {
	s := c.schema(at[0])
	return func(r *run, i int) bool {
		known := map[int32]bool{}
		for _, n := range r.evaluated[r.from:] {
			known[n] = true
		}
		r.spend(len(r.evaluated) - r.from)
		ok := true
		for n := r.first(i); n >= 0; n = r.next(n) {
			if known[int32(n)] {
				continue
			}
			if r.seen(n); !r.apply(s, n, false) {
				if ok = false; r.quiet {
					break
				}
			}
		}
		return ok
	}
}
