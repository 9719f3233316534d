package scanner

import (
	"sort"
)

// subjectOf finds the subject of a node by the same shapes as the walk.
func (in *Inspector) subjectOf(root int, m *Message, i int) (SubjectKind, string, int) {
	// Definitions are in the order of the text.
	if k := sort.Search(len(m.Definitions), func(k int) bool { return m.Definitions[k].node > i }); k > 0 {
		d := &m.Definitions[k-1]
		if d.Kind != ServerSubject && i < int(in.tree.Nodes[d.node].Next) {
			return d.Kind, d.Name, d.node
		}
	}
	doc := in.tree
	for c := doc.First(root); c >= 0; c = doc.Next(c) {
		if i < c || i >= int(doc.Nodes[c].Next) {
			continue
		}
		switch kind := requestSubject(m.Method); {
		case doc.KeyIs(c, "result"):
			return in.resultSubject(c, i)
		case doc.KeyIs(c, "params") && kind != NoSubject:
			return kind, "", c
		case doc.KeyIs(c, "error"):
			return ErrorSubject, "", root
		case doc.KeyIs(c, "params") && m.Target != "":
			return CallSubject, m.Target, c
		}
	}
	if m.Kind == Audit {
		return MessageSubject, m.Target, root
	}
	return MessageSubject, "", root
}

// resultSubject finds what node i of a result belongs to: the result, or one of the
// requests that are in it.
func (in *Inspector) resultSubject(result, i int) (SubjectKind, string, int) {
	for c := in.tree.First(in.tree.Get(result, "inputRequests")); c >= 0; c = in.tree.Next(c) {
		if i < c || i >= int(in.tree.Nodes[c].Next) {
			continue
		}
		if method, _ := in.tree.Str(c, "method"); requestSubject(method) != NoSubject {
			return requestSubject(method), "", c
		}
	}
	return ResultSubject, "", result
}
