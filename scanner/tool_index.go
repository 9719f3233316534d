package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/names"
)

// toolIndex finds a session's tools by name. It takes far more memory than the tools themselves, so idle
// sessions do not have one.
type toolIndex struct {
	owners map[string][]*Known // tools by folded name, in the order seen
	alike  map[string][]*Known // tools by skeleton of the name, in the order seen
	names  []toolName          // the first maxNames names, in the order seen
	named  map[string]int      // number of names by server
}

// toolName is the name of a tool, prepared for comparison.
type toolName struct {
	folded  string
	letters uint64 // bit set of its bytes, by their low six bits
	tool    *Known
}

func newToolName(name string, tool *Known) toolName {
	n := toolName{folded: names.FoldName(name), tool: tool}
	for i := range len(n.folded) {
		n.letters |= 1 << (n.folded[i] & 63)
	}
	return n
}

// indexTool remembers a tool, so that it is found by its name.
func (s *Session) indexTool(k *Known) {
	s.tools = append(s.tools, k)
	if s.index != nil {
		s.index.add(k)
	}
	if names.Qualified(k.Definition.Name) && len(s.Qualified) < maxQualified {
		s.Qualified = append(s.Qualified, k)
	}
}

// indexed returns the index of the session's tools.
func (s *Session) indexed() *toolIndex {
	if s.index == nil {
		s.index = &toolIndex{owners: map[string][]*Known{}, alike: map[string][]*Known{}, named: map[string]int{}}
		for _, k := range s.tools {
			s.index.add(k)
		}
	}
	return s.index
}

func (x *toolIndex) add(k *Known) {
	n := newToolName(k.Definition.Name, k)
	enlist(x.owners, n.folded, k)
	enlist(x.alike, names.Skeleton(k.Definition.Name), k)
	if x.named[k.Server] < serverNames && len(x.names) < maxNames {
		x.named[k.Server]++
		x.names = append(x.names, n)
	}
}

// enlist adds a tool to the list for a key, unless the list already has one from its server.
func enlist(by map[string][]*Known, key string, k *Known) {
	owners := by[key]
	if len(owners) < maxOwners && !slices.ContainsFunc(owners, func(o *Known) bool { return o.Server == k.Server }) {
		by[key] = append(owners, k)
	}
}
