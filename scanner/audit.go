package scanner

import (
	"crypto/sha256"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// audit inspects another engine's audit event, which lacks the frame of the message. There are two
// shapes: a flat one, and an envelope with the details in "fields".
func (in *Inspector) audit() {
	root := in.event.root
	m := in.begin(Message{Kind: mcp.Audit, Method: in.event.Type,
		Target: mcp.AuditField(in.tree, root, "tool_name"), Action: mcp.AuditField(in.tree, root, "action")})
	if m.Target == "" {
		m.Target = mcp.AuditField(in.tree, root, "blocked_tool_name")
	}
	for _, object := range [...]int{root, in.tree.Get(root, "fields")} {
		if id := in.tree.Get(object, "jsonrpc_id"); id >= 0 && in.tree.Kind(id) != wire.Null && m.ID == "" {
			m.ID = string(in.tree.Raw(id))
		}
	}
	m.Category = capability.CategoryOfName(m.Target)
	if in.engine.options.Policy != nil && callSource(m, mcp.ClientToServer, false) != 0 {
		m.Arguments, m.Partial = in.auditArguments()
	}
	if hash := mcp.AuditField(in.tree, root, "tool_hash"); m.Method == "mcp_tool_seen" && hash != "" {
		d := mcp.Definition{Kind: mcp.ToolSubject, Name: m.Target, Foreign: true,
			Description: mcp.AuditField(in.tree, root, "description"), Digest: sha256.Sum256([]byte(hash)), AgentSH: hash, Node: root}
		d.Can = capability.OfTool(in.tree, root, d.Name, d.Description)
		d.Category = capability.CategoryOfTool(in.tree, root, d.Name, d.Description)
		m.Definitions = append(m.Definitions, d)
	}
	if hash := mcp.AuditField(in.tree, root, "new_hash"); m.Method == "mcp_tool_changed" && hash != "" {
		m.Changed = &mcp.Definition{Kind: mcp.ToolSubject, Name: m.Target, Foreign: true, Digest: sha256.Sum256([]byte(hash)), AgentSH: hash,
			Category: m.Category, Node: root}
	}
	fields := in.tree.Get(root, "fields")
	for _, object := range [...]int{root, fields} {
		for c := in.tree.First(object); c >= 0; c = in.tree.Next(c) {
			if c != fields && !in.quotes(m, root, c) {
				in.region(auditSubject(in.tree, c), m.Target, root, c)
			}
		}
	}
	in.messageRules(m, root)
}

// quotes handles a member of an audit event that contains or describes detections of another engine.
// It skips the text quoted in them, which is reported with the detection and would otherwise be found
// again in every log that quotes this log. It returns false for any other member.
func (in *Inspector) quotes(m *Message, root, c int) bool {
	doc := in.tree
	switch {
	case doc.KeyIs(c, "detections"):
		for each := doc.First(c); each >= 0; each = doc.Next(each) {
			in.detection(m, root, each)
		}
		return doc.Kind(c) >= wire.Array
	case m.Method == "mcp_detection" && doc.KeyIs(c, "detection") && doc.Kind(c) == wire.Object:
		in.detection(m, root, c)
		return true
	}
	return m.Method == "mcp_detection" && doc.KeyIs(c, "description")
}

func (in *Inspector) detection(m *Message, root, n int) {
	if in.tree.Kind(n) != wire.Object {
		in.region(mcp.MessageSubject, m.Target, root, n)
		return
	}
	for c := in.tree.First(n); c >= 0; c = in.tree.Next(c) {
		if !in.tree.KeyIs(c, "matches") && !in.tree.KeyIs(c, "field") { // a path contains names chosen by the server
			in.region(mcp.MessageSubject, m.Target, root, c)
		}
	}
}

// auditArguments returns the arguments of the call that an audit event reports, with the
// pointers they have in a call. It returns nil if the event does not include them.
func (in *Inspector) auditArguments() (args []Argument, partial bool) {
	root := in.event.root
	for _, object := range [...]int{root, in.tree.Get(root, "fields")} {
		if i := in.tree.Get(object, "input"); i >= 0 && in.tree.Kind(i) == wire.Object {
			args, partial = in.arguments(i)
			for k := range args {
				args[k].Pointer = "/arguments" + args[k].Pointer
			}
			return append([]Argument{}, args...), partial
		}
	}
	return nil, true
}

// auditSubject returns the subject of a member of an audit event.
func auditSubject(doc *wire.Doc, c int) mcp.SubjectKind {
	switch {
	case doc.KeyIs(c, "description"), doc.KeyIs(c, "changes"):
		return mcp.ToolSubject
	case doc.KeyIs(c, "input"):
		return mcp.CallSubject
	}
	return mcp.MessageSubject
}
