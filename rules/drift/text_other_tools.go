package drift

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
)

// governsOthers reports whether a sentence makes the model use other tools earlier,
// later, differently or not at all.
func governsOthers(u *unapproved, s []byte) bool {
	if at := othersTools.FindSubmatchIndex(s); at != nil && governing.Match(s) && !u.ownFamily(s[at[0]:at[1]], s[at[1]:]) {
		return true
	}
	return slices.ContainsFunc(namedTool.FindAllSubmatch(s, maxPlacesRead), func(m [][]byte) bool { return !u.ownName(cmp.Or(string(m[1]), string(m[2]))) })
}

var (
	othersTools = lazyregexp.New(`\b((any|every|each|all|no|the)\s+)?other\s+([\w-]+\s+){0,2}?(tools?|servers?)\b|\b(any|every|another|each)\s+([\w-]+\s+)?tools?\b|` +
		`\ball\s+(the\s+)?tools\b|\btools?\s+of\s+(any|other|all|another)\s+servers?\b|\bevery\s+(single\s+)?tool\s+call\b|` +
		`\b(doing|calling|using|running|trying)\s+anything\s+else\b`)
	governing = lazyregexp.New(`\b(before|prior|ahead|first|preceded|beforehand|instead|rather\s+than|over|above|must|never|do\s+not|don['’]t|always|only|until|` +
		`unless|whenever|when|deprecated|unreliable|outdated|insecure|obsolete|route|hand|pass|set|prefer|no\s+other)\b`)
	// sameServer matches wording that says that other tools belong to the same server.
	sameServer = lazyregexp.New(`^[^.;]{0,30}\b(in|of|from|on|by|within)\s+(this|the\s+same|our|that)\s+(\w+\s+)?(server|mcp|toolset|package|plugin|suite|extension|group|family|category|list)\b`)
	// namedTool matches a tool name in wording about its use ("before get_x is called") or about
	// what it must do ("the get_x tool must").
	namedTool = lazyregexp.New(`\b(?:before|prior\s+to|when(?:ever)?|after|once|if|instead\s+of)\s+(?:the\s+|using\s+|calling\s+|any\s+)?["'` +
		"`" + `]?([a-z]+(?:_[a-z]+)+)["'` + "`" + `]?(?:\s+(?:or|and)\s+["'` + "`" + `]?[a-z_]+["'` + "`" + `]?)?\s+(?:is|are|` +
		`gets?)\s+(?:used|called|invoked|run|executed)\b|\bthe\s+["'` + "`" + `]?([a-z]+(?:_[a-z]+)+)["'` + "`" + `]?\s+tools?\s+(?:must|should|has\s+to|have\s+to|shall)\b`)
)

// ownFamily reports whether the tools mentioned in a sentence belong to the server of the
// definition.
func (u *unapproved) ownFamily(tools, behind []byte) bool {
	if sameServer.Match(behind) || u.ownNames(behind) {
		return true
	}
	own := names.FoldName(u.serverName() + " " + u.d.Name)
	return slices.ContainsFunc(strings.Fields(string(tools)), func(w string) bool {
		return len(w) >= rootLetters && !commonKinds[w] && (strings.Contains(own, names.FoldName(w)) || u.mentioned(w))
	})
}

// ownNames reports whether a text begins with a list of names in parentheses that are all tools of the
// server.
func (u *unapproved) ownNames(behind []byte) bool {
	m := inBrackets.FindSubmatch(behind)
	if m == nil {
		return false
	}
	listed := slices.DeleteFunc(slices.Collect(readWords(string(m[1]))), func(w string) bool { return w == "and" || w == "or" })
	return len(listed) > 0 && !slices.ContainsFunc(listed, func(w string) bool { return !u.ownTool(w) })
}

var inBrackets = lazyregexp.New(`^\s*\(([^()]*)\)`)

// commonKinds lists words between "other" and "tools" that do not say whose tools they are.
var commonKinds = names.Set(`other tool tools every each another such these those the any all servers server available external search file files similar connected installed`)

// ownName reports whether name is a tool of the server, or occurs in the approved definition.
func (u *unapproved) ownName(name string) bool {
	return u.mentioned(name) || u.ownTool(name)
}

// ownTool reports whether name is a tool of the same server.
func (c *change) ownTool(name string) bool {
	_, known := c.offer.Definitions[mcp.DefinitionKey{Kind: mcp.ToolSubject, Name: name}]
	return known || slices.ContainsFunc(c.beside, func(d mcp.Definition) bool { return strings.EqualFold(d.Name, name) })
}
