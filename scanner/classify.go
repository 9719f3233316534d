package scanner

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// codeBytes is the length to which the raw JSON of an error code is truncated.
const codeBytes = 16

// classify sets a message's kind, ID and methods, and a response's error code and hash. A response
// with a method is still a response, because its result reaches the client.
func (in *Inspector) classify(m *Message, root int) {
	doc := in.tree
	if id := doc.Get(root, "id"); id >= 0 && doc.Kind(id) != wire.Null {
		m.ID = in.shared.String(doc.Raw(id))
	}
	in.methodsOf(m, root)
	errNode := in.member(root, "error")
	if code := doc.Get(errNode, "code"); code >= 0 {
		m.Code = string(doc.Raw(code)[:min(len(doc.Raw(code)), codeBytes)])
	}
	m.IsError = errNode >= 0 && doc.Kind(errNode) != wire.Null
	switch {
	case in.member(root, "result") >= 0 || m.IsError:
		m.Kind = mcp.Response
		if in.brief {
			break
		}
		h := fnv.New64a()
		h.Write(doc.Raw(root))
		m.Answer = h.Sum64()
	case m.Method != "" && m.ID != "":
		m.Kind = mcp.Request
	case m.Method != "":
		m.Kind = mcp.Notification
	}
}

// methodsOf sets Method, and sets OtherMethods to those that a different parser would read, such as
// one that ignores case or keeps the first of two members with the same name.
func (in *Inspector) methodsOf(m *Message, root int) {
	own := in.member(root, "method")
	m.Method = in.method(own)
	for c := in.tree.First(root); c >= 0 && len(m.OtherMethods) <= maxOtherMethods; c = in.tree.Next(c) {
		if c == own || !in.tree.KeyReads(c, "method") {
			continue
		}
		if other := in.method(c); other != "" && other != m.Method && !slices.Contains(m.OtherMethods, other) {
			m.OtherMethods = append(m.OtherMethods, other)
		}
	}
}

// targetOf sets Target, and adds the names that a different parser would read to OtherTargets.
func (in *Inspector) targetOf(m *Message, params int, key string) {
	before := m.Target // in another params member
	var proper bool
	if m.Target, proper = in.tree.Str(params, key); !proper {
		if c := in.member(params, key); in.tree.Kind(c) == wire.String {
			m.Target = string(in.tree.Text(c, new([]byte)))
		}
	}
	others := in.otherNames(params, m.Target, key)
	if before != "" && before != m.Target {
		others = append(others, before)
	}
	m.OtherTargets = append(m.OtherTargets, others[:min(len(others), maxOtherNames+1-len(m.OtherTargets))]...)
}

// member returns the member with this name in a message's envelope or a definition. If there is
// none, it returns the last member whose name a lenient parser reads as this one, or -1.
func (in *Inspector) member(root int, name string) int {
	if c := in.tree.Get(root, name); c >= 0 {
		return c
	}
	found := -1
	name = strings.ToLower(name)
	for c := in.tree.First(root); c >= 0; c = in.tree.Next(c) {
		if in.tree.KeyReads(c, name) {
			found = c
		}
	}
	return found
}

// resultKeys maps the folded form of each known key of a result to the key itself.
var resultKeys = func() map[string]string {
	t := map[string]string{}
	for _, key := range strings.Fields(`tools prompts resources resourceTemplates serverInfo instructions capabilities protocolVersion
		nextCursor cacheScope task taskId inputRequests content`) {
		t[strings.ToLower(key)] = key
	}
	return t
}()

// resultKey returns the key of a member of a result as the most lenient parser reads it.
func (in *Inspector) resultKey(c int) string {
	in.buf, in.key = in.buf[:0], in.key[:0]
	key := in.tree.Key(c, &in.buf)
	in.key, _ = wire.FoldKey(in.key, key)
	if known, ok := resultKeys[string(in.key)]; ok {
		return known
	}
	return in.shared.String(key)
}

// methods contains common method names, so that reading one does not allocate.
var methods = func() map[string]string {
	t := map[string]string{}
	for _, m := range strings.Fields(`initialize ping server/discover tools/list tools/call prompts/list prompts/get resources/list
		resources/read resources/templates/list resources/subscribe resources/unsubscribe completion/complete logging/setLevel
		notifications/initialized notifications/progress notifications/message notifications/cancelled roots/list
		sampling/createMessage elicitation/create notifications/tools/list_changed subscriptions/listen`) {
		t[m] = m
	}
	return t
}()

// method returns the string at node i, or "" if it is not a string.
func (in *Inspector) method(i int) string {
	if in.tree.Kind(i) != wire.String {
		return ""
	}
	in.buf = in.buf[:0]
	text := in.tree.Text(i, &in.buf)
	if known, ok := methods[string(text)]; ok {
		return known
	}
	return string(text)
}
