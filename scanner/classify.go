package scanner

import (
	"hash/fnv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// codeBytes bounds the length of an error code, which is a number.
const codeBytes = 16

// classify sets the kind of a message object. A response with a method is still a response,
// because its result reaches the client.
func (in *Inspector) classify(m *Message, root int) {
	doc := in.tree
	if id := doc.Get(root, "id"); id >= 0 && doc.Kind(id) != wire.Null {
		m.ID = string(doc.Raw(id))
	}
	m.Method = in.method(doc.Get(root, "method"))
	errNode := doc.Get(root, "error")
	if code := doc.Get(errNode, "code"); code >= 0 {
		m.Code = string(doc.Raw(code)[:min(len(doc.Raw(code)), codeBytes)])
	}
	m.IsError = errNode >= 0 && doc.Kind(errNode) != wire.Null
	switch {
	case doc.Get(root, "result") >= 0 || m.IsError:
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
