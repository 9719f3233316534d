package scanner

import (
	"sort"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// subjectOf returns the subject, name and root of a node. It recognises the same message shapes as
// the walk.
func (in *Inspector) subjectOf(root int, m *Message, i int) (mcp.SubjectKind, string, int) {
	// Definitions are in frame order.
	if k := sort.Search(len(m.Definitions), func(k int) bool { return m.Definitions[k].Node > i }); k > 0 {
		d := &m.Definitions[k-1]
		if d.Kind != mcp.ServerSubject && i < int(in.tree.Nodes[d.Node].Next) {
			return d.Kind, d.Name, d.Node
		}
	}
	if m.Kind == mcp.Lockfile {
		return in.lockedSubject(root, i)
	}
	doc := in.tree
	for c := doc.First(root); c >= 0; c = doc.Next(c) {
		if i < c || i >= int(doc.Nodes[c].Next) {
			continue
		}
		switch kind := requestSubject(m.Method); {
		case doc.KeyReads(c, "result"):
			if asked, at := in.requestIn(c, i); asked != mcp.NoSubject {
				return asked, "", at
			}
			return mcp.ResultSubject, "", c
		case doc.KeyReads(c, "params") && m.Kind == mcp.Notification:
			if asked, at := in.requestIn(c, i); asked != mcp.NoSubject {
				return asked, "", at
			}
		case doc.KeyReads(c, "params") && kind != mcp.NoSubject:
			return kind, "", c
		case doc.KeyReads(c, "error"):
			return mcp.ErrorSubject, "", root
		case doc.KeyReads(c, "params") && m.Target != "":
			return mcp.CallSubject, m.Target, c
		}
	}
	if m.Kind == mcp.Audit {
		return mcp.MessageSubject, m.Target, root
	}
	return mcp.MessageSubject, "", root
}

// lockedSubject returns the subject of a node in a server's entry in a lockfile: the definition whose
// entry contains the node, if any. The root for instructions is the whole server, as in a server's
// message.
func (in *Inspector) lockedSubject(server, i int) (mcp.SubjectKind, string, int) {
	doc := in.tree
	member, entry := server, server // the server's member, and the entry in it, that contain the node
	for c := i; c != server && c >= 0; c = int(doc.Nodes[c].Parent) {
		member, entry = c, member
	}
	kind, listing := listings[doc.KeyString(member)]
	switch {
	case listing && entry != server:
		return kind, doc.KeyString(entry), entry
	case doc.KeyIs(member, "instructions"):
		return mcp.ServerSubject, "", server
	}
	return mcp.MessageSubject, "", server
}

// requestIn returns the request to which node i belongs, among those that a result or the parameters of a
// notification contain.
func (in *Inspector) requestIn(of, i int) (kind mcp.SubjectKind, root int) {
	for c := in.tree.First(in.tree.Get(of, "inputRequests")); c >= 0; c = in.tree.Next(c) {
		if i <= c || i >= int(in.tree.Nodes[c].Next) { // the key belongs to the message
			continue
		}
		if method, _ := in.tree.Str(c, "method"); requestSubject(method) != mcp.NoSubject {
			return requestSubject(method), c
		}
	}
	return mcp.NoSubject, -1
}
