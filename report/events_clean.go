package report

import (
	"maps"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// The limits on untrusted JSON in an event: characters per string, values, and nesting depth.
const (
	inputChars  = 400
	inputValues = 256
	inputDepth  = 16
)

// cleaner copies untrusted JSON with its strings masked, escaped and truncated. It masks any value
// whose member name indicates a secret, any value after a flag that takes a secret, and known secrets.
type cleaner struct {
	doc    *wire.Doc
	known  text.Secrets
	values int // number of values copied so far
}

// member returns a copy of a member of object i, or nil if there is none.
func (c *cleaner) member(i int, key string) jsontext.Value {
	n := c.doc.Get(i, key)
	if n < 0 {
		return nil
	}
	return c.value(nil, n, text.NamesSecret(key), 0)
}

func (c *cleaner) value(dst []byte, i int, secret bool, depth int) []byte {
	c.values++
	switch kind := c.doc.Kind(i); {
	case kind == wire.Object && depth < inputDepth:
		return append(c.members(append(dst, '{'), i, secret, depth, map[string]bool{"…": true}), '}')
	case kind == wire.Array && depth < inputDepth:
		return c.array(dst, i, secret, depth)
	case kind >= wire.Array:
		return append(dst, `"…"`...)
	case secret && kind != wire.Null:
		return append(dst, `"`+text.Masked+`"`...)
	case kind == wire.String:
		return wire.AppendString(dst, []byte(foreign(c.known.Mask(c.doc.TextString(i)), inputChars)))
	}
	raw := c.doc.Raw(i)
	if len(raw) > inputChars { // a number
		return append(dst, `"…"`...)
	}
	return append(dst, raw...)
}

// members appends the members of object i, except those in seen. secret says that all values in it are
// secrets.
func (c *cleaner) members(dst []byte, i int, secret bool, depth int, seen map[string]bool) []byte {
	for m := c.doc.First(i); m >= 0; m = c.doc.Next(m) {
		raw := c.doc.KeyString(m)
		key := foreign(raw, nameLimit)
		if seen[key] {
			continue
		}
		seen[key] = true
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		if c.values >= inputValues {
			return append(dst, `"…":"…"`...)
		}
		dst = append(wire.AppendString(dst, []byte(key)), ':')
		dst = c.value(dst, m, secret || len(raw) <= nameLimit && text.NamesSecret(raw), depth+1)
	}
	return dst
}

func (c *cleaner) array(dst []byte, i int, secret bool, depth int) []byte {
	dst = append(dst, '[')
	flag := false // the previous element is a flag whose value is a secret
	for m := c.doc.First(i); m >= 0; m = c.doc.Next(m) {
		if m != c.doc.First(i) {
			dst = append(dst, ',')
		}
		if c.values >= inputValues {
			return append(dst, `"…"]`...)
		}
		dst = c.value(dst, m, secret || flag, depth+1)
		word := ""
		if c.doc.Kind(m) == wire.String && c.doc.Nodes[m].End-c.doc.Nodes[m].Start <= nameLimit {
			word = c.doc.TextString(m)
		}
		flag = strings.HasPrefix(word, "-") && text.NamesSecret(word)
	}
	return append(dst, ']')
}

// passedOn returns an event from another engine, flattened and with untrusted text cleaned.
func (v *Events) passedOn(e *scanner.Event) jsontext.Value {
	doc := &v.doc
	if doc.Parse(e.Frame) != nil || doc.Kind(0) != wire.Object {
		return nil
	}
	r := v.head(e, foreign(e.Type, nameLimit))
	dst, written := []byte{'{'}, map[string]bool{"…": true}
	for _, m := range [...]struct{ key, value string }{{"type", r.Type}, {"timestamp", r.Timestamp}, {"session_id", r.Session},
		{"server_id", r.Server}, {"server_type", r.ServerType}, {"request_id", foreign(e.Request, nameLimit)},
		{"tool_name", foreign(mcp.AuditField(doc, 0, "tool_name"), nameLimit)}, {"action", foreign(mcp.AuditField(doc, 0, "action"), nameLimit)}} {
		if m.value == "" && m.key != "session_id" && m.key != "server_id" {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(wire.AppendString(dst, []byte(m.key)), ':')
		dst = wire.AppendString(dst, []byte(m.value))
		written[m.key] = true
	}
	c, fields := cleaner{doc: doc}, doc.Get(0, "fields")
	around, own := maps.Clone(written), envelope()
	if doc.Kind(fields) == wire.Object {
		maps.Copy(around, own)
	}
	dst = c.members(dst, 0, false, 0, around)
	for key := range around {
		written[key] = written[key] || !own[key]
	}
	if c.values < inputValues {
		dst = c.members(dst, fields, false, 0, written)
	}
	return append(dst, '}')
}

// envelope returns the members that agentsh adds around an event.
func envelope() map[string]bool {
	return map[string]bool{"id": true, "source": true, "policy": true, "path": true, "domain": true, "effective_action": true,
		"fields": true, "integrity": true}
}
