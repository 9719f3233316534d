package conform

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// check reports whether the value at node i conforms to a keyword.
type check = func(r *run, i int) bool

// kindsOf maps JSON Schema types to kinds.
var kindsOf = map[string]kinds{"object": objects, "array": arrays, "string": texts, "number": numbers, "integer": integers,
	"boolean": 1 << wire.Bool, "null": 1 << wire.Null}

func (c *compiler) types(_ *keyword, at found) check {
	var allowed kinds
	names := at[:1]
	if c.Kind(at[0]) == wire.Array {
		names = c.list(at[0], wire.Array)
	}
	for _, n := range names {
		kind := kindsOf[c.word(n)]
		c.failed = c.failed || kind == 0
		allowed |= kind
	}
	c.failed = c.failed || allowed == 0
	return func(r *run, i int) bool {
		kind := kinds(1) << r.Kind(i)
		return allowed&kind != 0 || kind == numbers && allowed&integers != 0 && r.integer(i)
	}
}

func (r *run) integer(i int) bool {
	d, ok := parseNumber(r.Raw(i))
	return ok && d.integer() || !ok && r.stop()
}

// equals checks that a value equals a constant or, for enum, one of several.
func (c *compiler) equals(k *keyword, at found) check {
	allowed := at[:1]
	if k.names[0] == "enum" {
		allowed = c.list(at[0], wire.Array)
	}
	known := make(map[string]bool, len(allowed))
	for _, n := range allowed {
		form, ok := c.appendForm(nil, n)
		known[string(form)] = true
		c.failed = c.failed || !ok
	}
	return func(r *run, i int) bool {
		form, ok := r.formOf(i)
		return ok && known[string(form)]
	}
}

// formOf returns the form of node i, valid until the next call.
func (r *run) formOf(i int) (form []byte, ok bool) {
	n := &r.Nodes[i]
	if !r.spend(int(n.Next) - i + cost(int(n.End-n.Start))) {
		return nil, false
	}
	if r.form, ok = r.appendForm(r.form[:0], i); !ok {
		r.stop()
	}
	return r.form, ok
}

func (c *compiler) format(_ *keyword, at found) check {
	is := formats(c.word(at[0]))
	if is == nil {
		return nil
	}
	return func(r *run, i int) bool { return is(string(r.textOf(i))) }
}

// textOf returns the text of node i, valid until the next call.
func (r *run) textOf(i int) []byte {
	r.spend(cost(int(r.Nodes[i].End - r.Nodes[i].Start)))
	return r.content(i)
}

func (c *compiler) reference(_ *keyword, at found) check {
	s := c.target(at[0])
	return func(r *run, i int) bool { return r.apply(s, i, true) }
}

func (c *compiler) not(_ *keyword, at found) check {
	s := c.schema(at[0])
	return func(r *run, i int) bool { return !r.fits(s, i, true) || r.fail(i, "") }
}

func (c *compiler) allOf(_ *keyword, at found) check {
	parts := c.schemas(at[0])
	return func(r *run, i int) bool {
		ok := true
		for _, s := range parts {
			if !r.apply(s, i, true) {
				if ok = false; r.quiet {
					break
				}
			}
		}
		return ok
	}
}

// someOf checks that a value conforms to at least one of several schemas or, for oneOf, to exactly
// one.
func (c *compiler) someOf(k *keyword, at found) check {
	parts, one := c.schemas(at[0]), k.names[0] == "oneOf"
	return func(r *run, i int) bool {
		fitting := 0
		for _, s := range parts {
			if r.fits(s, i, true) {
				fitting++
			}
			if r.stopped || one && fitting > 1 || !one && fitting > 0 && !r.tracking {
				break
			}
		}
		return fitting == 1 || !one && fitting > 0
	}
}

func (c *compiler) choice(_ *keyword, at found) check {
	condition, then, otherwise := c.optional(at[0]), c.optional(at[1]), c.optional(at[2])
	if condition == nil {
		return nil
	}
	return func(r *run, i int) bool {
		s := otherwise
		if r.fits(condition, i, true) {
			s = then
		}
		return s == nil || r.apply(s, i, true)
	}
}

func (c *compiler) pattern(_ *keyword, at found) check {
	p := &pattern{source: c.word(at[0])}
	return func(r *run, i int) bool { return r.matches(p, r.textOf(i)) }
}

// number compares a number with a limit or divisor.
func (c *compiler) number(k *keyword, at found) check {
	name, bound := k.names[0], c.numberAt(at[0])
	c.failed = c.failed || name == "multipleOf" && bound.sign() <= 0
	return func(r *run, i int) bool {
		d, ok := parseNumber(r.Raw(i))
		if !ok || !r.spend(1) {
			return r.stop()
		}
		switch name {
		case "minimum":
			return d.compare(bound) >= 0
		case "maximum":
			return d.compare(bound) <= 0
		case "exclusiveMinimum":
			return d.compare(bound) > 0
		case "exclusiveMaximum":
			return d.compare(bound) < 0
		}
		return r.spend(20) && d.multiple(bound)
	}
}

func (c *compiler) numberAt(v int) *number {
	d, ok := parseNumber(c.Raw(v))
	c.failed = c.failed || !ok || c.Kind(v) != wire.Number
	return &d
}

func (c *compiler) length(v int) int {
	n, ok := c.numberAt(v).count()
	c.failed = c.failed || !ok
	return n
}

// count checks the number of members, elements or characters.
func (c *compiler) count(k *keyword, at found) check {
	bound, least := c.length(at[0]), strings.HasPrefix(k.names[0], "min")
	return func(r *run, i int) bool {
		n := 0
		if r.Kind(i) == wire.String {
			n = utf8.RuneCount(r.textOf(i))
		} else {
			r.spend(1)
			n = r.size(i)
		}
		return least && n >= bound || !least && n <= bound
	}
}
