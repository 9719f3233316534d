package scanner

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// The walk assigns every string of a message to exactly one subject. It relies on the shape of
// the message rather than its declared type: a response that is also a request, or a list next
// to content, is inspected as both, and anything unknown is inspected as part of the message.

// listings contains the members of a result that list definitions, each with the kind of the definitions.
var listings = map[string]mcp.SubjectKind{
	"tools": mcp.ToolSubject, "prompts": mcp.PromptSubject, "resources": mcp.ResourceSubject, "resourceTemplates": mcp.TemplateSubject,
}

// jsonrpc inspects one JSON-RPC message.
func (in *Inspector) jsonrpc(root, batch int) {
	doc := in.tree
	msg := in.begin(Message{Offset: int(doc.Nodes[root].Start) - int(doc.Nodes[in.event.root].Start), Batch: batch})
	if doc.Kind(root) != wire.Object {
		in.skip("a frame that is JSON but not a message: " + doc.Kind(root).String())
		in.region(mcp.MessageSubject, "", root, root)
		return
	}
	in.classify(msg, root)
	for c := doc.First(root); c >= 0; c = doc.Next(c) {
		switch {
		case doc.KeyReads(c, "result"):
			in.result(msg, c)
		case doc.KeyReads(c, "params"):
			in.params(msg, c)
		case doc.KeyReads(c, "error"):
			in.region(mcp.ErrorSubject, "", root, c)
			in.scattered(mcp.ErrorSubject, "", root, c)
		default:
			in.region(mcp.MessageSubject, "", root, c)
		}
	}
	in.messageRules(msg, root)
}

// document inspects definitions that are not in a message.
func (in *Inspector) document() {
	root := in.event.root
	doc := in.tree
	if doc.Get(root, "jsonrpc") >= 0 || doc.Kind(doc.Get(root, "result")) == wire.Object {
		in.jsonrpc(root, 0)
		return
	}
	msg := in.begin(Message{Kind: mcp.Document})
	switch doc.Kind(root) {
	case wire.Array:
		in.list(msg, mcp.ToolSubject, root)
	case wire.Object:
		if mcp.BareTool(doc, root) {
			msg.Lists[mcp.ToolSubject] = true
			in.define(msg, mcp.ToolSubject, root)
			break
		}
		in.members(msg, root, mcp.ServerSubject)
	default:
		in.region(mcp.MessageSubject, "", root, root)
	}
	in.messageRules(msg, root)
}

// result inspects the result of a response.
func (in *Inspector) result(m *Message, node int) {
	if in.event.Direction == mcp.ClientToServer {
		m.Roots = in.roots(node)
		in.region(mcp.CallSubject, "", node, node)
		return
	}
	if in.tree.Kind(node) != wire.Object {
		in.region(mcp.ResultSubject, "", node, node)
		return
	}
	in.structured(m, node, "")
	in.structured(m, in.tree.Get(node, "result"), "/result") // the result of a call that ran as a task
	in.members(m, node, mcp.ResultSubject)
}

// structured adds the structured content of the result of a call.
func (in *Inspector) structured(m *Message, result int, pointer string) {
	if c := in.tree.Get(result, "structuredContent"); !in.brief && in.isContainer(c, structuredBytes) && !in.isError(result) {
		m.Structured = append(m.Structured, Structured{bytes.Clone(in.tree.Raw(c)), pointer + "/structuredContent",
			int(in.tree.Nodes[c].Start) - int(in.tree.Nodes[in.event.root].Start)})
	}
}

// isError reports whether a result sets isError to true, so that its structuredContent describes an
// error.
func (in *Inspector) isError(result int) bool {
	c := in.tree.Get(result, "isError")
	return c >= 0 && string(in.tree.Raw(c)) == "true"
}

// isContainer reports whether node i is an object or array of at most limit bytes of JSON.
func (in *Inspector) isContainer(i, limit int) bool {
	return in.tree.Kind(i) >= wire.Array && len(in.tree.Raw(i)) <= limit
}

// members inspects the members of a result or document. Text in members that it does not know is
// assigned to the given subject.
func (in *Inspector) members(m *Message, node int, rest mcp.SubjectKind) {
	doc := in.tree
	if doc.Kind(doc.Get(node, "supportedVersions")) == wire.Array { // the result of server/discover
		in.introduce(m, doc.Get(doc.Get(node, "_meta"), mcp.MetaServerInfo))
	}
	for c := doc.First(node); c >= 0; c = doc.Next(c) {
		key := in.resultKey(c)
		kind, listing := listings[key]
		switch {
		case listing && doc.Kind(c) == wire.Array:
			in.list(m, kind, c)
		case key == "serverInfo" || key == "instructions" || key == "capabilities":
			in.server(m, node, c, key)
		case key == "protocolVersion":
			in.info(m).Protocol, _ = doc.Str(node, key)
			in.region(mcp.ServerSubject, "", node, c)
		case key == "nextCursor":
			m.More = doc.Kind(c) != wire.Null
			m.NoCursor = string(doc.Raw(c)) == `""`
			in.region(rest, "", node, c)
		case key == "cacheScope":
			m.Public = string(doc.Raw(c)) == `"public"`
			in.region(rest, "", node, c)
		case key == "task" || key == "taskId": // a task, or the ID of a task whose other members are beside it
			if m.Task = in.task(c); m.Task == 0 {
				m.Task = in.task(in.tree.Get(c, "taskId"))
			}
			in.region(rest, "", node, c)
			in.scattered(rest, "", node, c)
		case key == "inputRequests" && doc.Kind(c) == wire.Object:
			in.inputRequests(m, rest, node, c)
		case key == "_meta" && doc.Get(c, mcp.MetaServerInfo) >= 0:
			info, end := doc.Get(c, mcp.MetaServerInfo), int(doc.Nodes[c].Next)
			in.span(rest, "", node, c, info)
			in.region(mcp.ServerSubject, "", node, info)
			in.span(rest, "", node, int(doc.Nodes[info].Next), end)
			in.scattered(rest, "", node, c)
		default:
			in.region(rest, "", node, c)
			in.scattered(rest, "", node, c)
		}
	}
}

// task returns the hash of the task ID at node i, or 0 if it is not a string.
func (in *Inspector) task(i int) uint64 {
	if i < 0 || in.tree.Kind(i) != wire.String {
		return 0
	}
	in.buf = in.buf[:0]
	return digest(string(in.tree.Text(i, &in.buf)))
}

func (in *Inspector) info(m *Message) *mcp.ServerInfo {
	if m.Server == nil {
		m.Server = &mcp.ServerInfo{}
	}
	return m.Server
}

func (in *Inspector) server(m *Message, node, c int, key string) {
	in.info(m)
	switch key {
	case "serverInfo":
		in.introduce(m, c)
	case "instructions":
		in.declareInstructions(m, c)
	}
	in.region(mcp.ServerSubject, "", node, c)
}

// introduce reads a server's description of itself at node c. If the server has instructions, the
// same result contains them, so the result counts as a complete list of them.
func (in *Inspector) introduce(m *Message, c int) {
	info := in.info(m)
	m.Lists[mcp.ServerSubject] = true
	info.Name, _ = in.tree.Str(c, "name")
	info.Title, _ = in.tree.Str(c, "title")
	info.Version, _ = in.tree.Str(c, "version")
	info.Website, _ = in.tree.Str(c, "websiteUrl")
	info.Icons = in.icons(in.tree.Get(c, "icons"))
}

// declareInstructions adds a server's instructions to the definitions, because they can change
// like any other definition.
func (in *Inspector) declareInstructions(m *Message, c int) {
	if in.tree.Kind(c) != wire.String || in.tree.Nodes[c].End-in.tree.Nodes[c].Start <= 2 {
		return
	}
	in.buf = in.buf[:0]
	said := string(in.tree.Text(c, &in.buf))
	in.declare(m, c, mcp.Definition{Kind: mcp.ServerSubject, Description: strings.Clone(said[:min(len(said), descriptionBytes)]),
		Offset: int(in.tree.Nodes[c].Start) - int(in.tree.Nodes[in.event.root].Start), Node: c})
}

// icons returns the URLs of the icons at node i, except data URLs.
func (in *Inspector) icons(i int) (icons []string) {
	for c := in.tree.First(i); c >= 0 && len(icons) < maxIcons; c = in.tree.Next(c) {
		if src, _ := in.tree.Str(c, "src"); src != "" && !strings.HasPrefix(src, "data:") {
			icons = append(icons, src)
		}
	}
	return icons
}

// list inspects a list of definitions. An element of the wrong type does not keep the
// others from being inspected.
func (in *Inspector) list(m *Message, kind mcp.SubjectKind, node int) {
	doc := in.tree
	m.Lists[kind], m.More = true, m.More || in.event.Projected
	objects := 0
	for c := doc.First(node); c >= 0; c = doc.Next(c) {
		if doc.Kind(c) == wire.Object {
			objects++
		}
	}
	m.Definitions = slices.Grow(m.Definitions, objects) // a single allocation, because definitions take more memory than the list
	in.listed = in.namesIn(node)
	for c := doc.First(node); c >= 0; c = doc.Next(c) {
		if doc.Kind(c) != wire.Object {
			in.region(kind, "", c, c)
			continue
		}
		in.define(m, kind, c)
	}
}

// define inspects one definition and adds it to the message.
func (in *Inspector) define(m *Message, kind mcp.SubjectKind, c int) {
	doc := in.tree
	def := mcp.Definition{Kind: kind, Node: c, Offset: int(doc.Nodes[c].Start) - int(doc.Nodes[in.event.root].Start)}
	def.Name = in.nameOf(c, nameKey(kind))
	def.OtherNames = in.otherNames(c, def.Name, nameKey(kind))
	def.Title, _ = doc.Str(c, "title")
	if d, _ := doc.Str(c, "description"); len(d) > descriptionBytes {
		def.Description = strings.Clone(d[:descriptionBytes])
	} else {
		def.Description = d
	}
	if kind == mcp.ToolSubject {
		def.Can = capability.OfTool(in.tree, c, def.Name, def.Description)
		def.Category = capability.CategoryOfTool(in.tree, c, def.Name, def.Description)
	}
	in.declare(m, c, def)
	in.definitionText(kind, def.Name, c)
}

// declare adds a definition to a message.
func (in *Inspector) declare(m *Message, i int, def mcp.Definition) {
	if in.event.Projected && def.Kind == mcp.ToolSubject && in.tree.Kind(i) == wire.Object {
		in.project(i, &def)
	} else if in.digest.Definition(in.tree, i, &def); in.engine.keeps(def.Digest) {
		def.Sent = bytes.Clone(in.tree.Raw(i))
	}
	// Schemas make up most of a definition. If def.Sent keeps the whole definition, the schemas
	// are slices of it instead of copies.
	schema := func(member string) []byte {
		c := in.tree.Get(i, member)
		if !in.isContainer(c, schemaBytes) {
			return nil
		}
		if def.Sent == nil {
			return bytes.Clone(in.tree.Raw(c))
		}
		from := int(in.tree.Nodes[c].Start - in.tree.Nodes[i].Start)
		end := from + len(in.tree.Raw(c))
		return def.Sent[from:end:end]
	}
	if def.Kind != mcp.ServerSubject {
		def.Output = schema("outputSchema")
	}
	if def.Kind == mcp.ToolSubject {
		def.Input = schema("inputSchema")
	}
	if in.engine.options.AgentSH && def.Kind == mcp.ToolSubject {
		def.AgentSH = mcp.AgentSH(in.tree, i)
	}
	m.Definitions = append(m.Definitions, def)
}

func (in *Inspector) nameOf(c int, key string) string {
	n := in.member(c, key)
	if in.tree.Kind(n) != wire.String {
		return ""
	}
	in.buf = in.buf[:0]
	return in.shared.String(in.tree.Text(n, &in.buf))
}

// otherNames returns the names, other than the given one, that some parsers read for a definition:
// the values of members whose key is repeated or written differently, for example in another case.
func (in *Inspector) otherNames(c int, name, key string) (others []string) {
	key = strings.ToLower(key)
	for m := in.tree.First(c); m >= 0 && len(others) <= maxOtherNames; m = in.tree.Next(m) {
		if !in.tree.KeyReads(m, key) || in.tree.Kind(m) != wire.String {
			continue
		}
		in.buf = in.buf[:0]
		if other := in.tree.Text(m, &in.buf); string(other) != name && !slices.Contains(others, string(other)) {
			others = append(others, string(other))
		}
	}
	return others
}

// maxOtherNames bounds the number of other names per definition that are judged.
const maxOtherNames = 8

// nameKey returns the member that identifies a definition.
func nameKey(kind mcp.SubjectKind) string {
	switch kind {
	case mcp.ResourceSubject:
		return "uri"
	case mcp.TemplateSubject:
		return "uriTemplate"
	}
	return "name"
}

// fromClient lists the requests with free text that only a client sends.
var fromClient = map[string]bool{
	"initialize": true, "tools/call": true, "prompts/get": true, "resources/read": true, "resources/subscribe": true,
	"resources/unsubscribe": true, "completion/complete": true,
}

// params inspects the parameters of a request or notification. If neither the event nor the method
// identifies the sender, the text is inspected as if the server had sent it.
func (in *Inspector) params(m *Message, node int) {
	kind := requestSubject(m.Method)
	m.Client, m.Roots = in.client(node), in.rootsAnswered(node)
	if c := in.tree.Get(node, "cursor"); c >= 0 {
		m.NoCursor = string(in.tree.Raw(c)) == `""`
	}
	if in.brief {
		return
	}
	if strings.HasPrefix(m.Method, "tasks/") {
		m.Task = in.task(in.tree.Get(node, "taskId"))
	}
	bare := m.Method == "tools/call" && in.tree.Get(node, "arguments") < 0 // a call without arguments matters only to a policy
	if in.engine.options.Policy != nil && m.Method != "" || in.engine.arguments && m.Kind == mcp.Request && !bare {
		args, partial := in.arguments(node)
		if m.Arguments == nil {
			m.Arguments = args
		} else { // a message can have several params members
			m.Arguments = append(m.Arguments, args...)
		}
		m.Partial = m.Partial || partial || in.misplaced(node)
	}
	switch {
	case kind != mcp.NoSubject:
		in.region(kind, "", node, node)
		in.scattered(kind, "", node, node)
	case strings.HasPrefix(m.Method, "notifications/"):
		in.notification(m, node)
	case in.event.Direction == mcp.ServerToClient,
		in.event.Direction == mcp.Unknown && (m.Kind != mcp.Request || !fromClient[m.Method]):
		in.region(mcp.MessageSubject, "", node, node)
	default:
		key := "name"
		if strings.HasPrefix(m.Method, "resources/") {
			key = "uri"
		}
		if m.Kind != mcp.Response || m.Method != "" {
			in.targetOf(m, node, key)
		}
		if m.Method == "tools/call" {
			m.Category = capability.CategoryOfName(m.Target)
			m.RawArguments = in.given(node)
		}
		in.region(mcp.CallSubject, m.Target, node, node)
	}
}

// messageRules runs the rules that look at the message as JSON.
func (in *Inspector) messageRules(m *Message, root int) {
	if in.brief {
		return
	}
	p := &in.messagePass
	*p = MessagePass{Doc: in.tree, Root: root, Message: m, Direction: in.event.Direction, in: in}
	for _, r := range in.engine.message {
		p.rule = r
		in.guard(r, func() { r.Message(p) })
	}
}
