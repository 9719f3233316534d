package scanner

import (
	"time"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// lock inspects a server's entry in a lockfile: definitions by name, each with the approved
// version and the version seen since.
func (in *Inspector) lock() {
	doc, root := in.tree, in.event.root
	m := in.begin(Message{Kind: mcp.Lockfile})
	for c := doc.First(root); c >= 0; c = doc.Next(c) {
		key := string(doc.Key(c, new([]byte)))
		kind, listing := listings[key]
		switch {
		case listing && doc.Kind(c) == wire.Object:
			for entry := doc.First(c); entry >= 0; entry = doc.Next(entry) {
				in.lockEntry(m, kind, entry)
			}
		case key == "instructions" && doc.Kind(c) == wire.Object:
			in.lockEntry(m, mcp.ServerSubject, c)
		case key == "serverInfo":
			in.server(m, root, c, key)
		default:
			if key == "identity" {
				m.IdentityAt = int(doc.Nodes[c].Start) - int(doc.Nodes[root].Start)
			}
			in.region(mcp.MessageSubject, "", root, c)
		}
	}
	for _, kind := range listings { // a kind missing from the lockfile has no definitions
		m.Lists[kind] = true
	}
	m.Lists[mcp.ServerSubject] = true
	if id := in.event.Identity; id != nil && id.Name != "" { // serverInfo contains the approved name
		in.info(m).Name = id.Name
	}
	in.messageRules(m, root)
}

// lockEntry inspects one entry. It adds to the message the version of the definition that was last
// seen or, if the event contains the approved definitions, the approved version.
func (in *Inspector) lockEntry(m *Message, kind mcp.SubjectKind, entry int) {
	doc := in.tree
	now := doc.Get(doc.Get(entry, "seen"), "definition")
	if now < 0 || in.event.Approved {
		now = doc.Get(entry, "definition")
	}
	listed := len(m.Definitions)
	defer func() { in.locked(m, entry, listed) }()
	for c := doc.First(entry); c >= 0; c = doc.Next(c) {
		switch {
		case now >= c && now < int(doc.Nodes[c].Next):
			if kind == mcp.ServerSubject {
				in.declareInstructions(m, now)
				in.region(kind, "", in.event.root, now)
			} else {
				in.define(m, kind, now)
			}
		case doc.KeyIs(c, "definition"):
			name, _ := doc.Str(c, nameKey(kind))
			in.region(kind, name, c, c)
		default:
			in.region(mcp.MessageSubject, "", entry, c)
		}
	}
}

// locked adds data from the lockfile entry to the definitions from index i on.
func (in *Inspector) locked(m *Message, entry, i int) {
	status, _ := in.tree.Str(entry, "status")
	approval := in.approval(in.tree.Get(entry, "approved"))
	listed := in.tree.Get(entry, "listed")
	unlisted := listed >= 0 && string(in.tree.Raw(listed)) == "false"
	digest, _ := in.tree.Str(entry, "digest")
	agentsh, _ := in.tree.Str(entry, "agentsh")
	mcpproxy, _ := in.tree.Str(entry, "mcpproxy")
	for ; i < len(m.Definitions); i++ {
		m.Definitions[i].Status, m.Definitions[i].Approval, m.Definitions[i].Unlisted = status, approval, unlisted
		m.Definitions[i].Accepted, m.Definitions[i].Others = digest, agentsh+" "+mcpproxy
		if at := in.tree.Get(entry, "status"); at >= 0 {
			m.Definitions[i].StatusAt = int(in.tree.Nodes[at].Start) - int(in.tree.Nodes[in.event.root].Start)
		}
	}
}

// approval reads the approval of an entry; it returns nil if there is none.
func (in *Inspector) approval(node int) *baseline.Approval {
	if node < 0 {
		return nil
	}
	a := &baseline.Approval{}
	a.By, _ = in.tree.Str(node, "by")
	a.Reason, _ = in.tree.Str(node, "reason")
	if at, ok := in.tree.Str(node, "at"); ok {
		a.At, _ = time.Parse(time.RFC3339, at)
	}
	return a
}
