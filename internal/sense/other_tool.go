package sense

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// toolReference matches a word or phrase that may refer to a tool.
var toolReference = lazyregexp.New("[`'\"]?\\b[a-z][a-z0-9]*([_.][a-z0-9]+)+\\b[`'\"]?(\\s+(tool|call|function))?|\\b(any|all|every|" +
	"other|each)\\s+(of\\s+the\\s+)?(other\\s+)?tools?\\b|\\bthe\\s+[a-z-]+\\s+tool\\b|\\b(built-in|native|default)\\s+[a-z_ -]{0,20}tools?\\b")

// OtherTool returns a tool that a sentence mentions and the server does not list, or "".
func OtherTool(p *scanner.TextPass, s []byte) string {
	for _, at := range toolReference.FindAllIndex(s, 8) {
		if at[0] > 0 && s[at[0]-1] == '/' {
			continue // part of a path or of a method name
		}
		m := s[at[0]:at[1]]
		name := string(bytes.Trim(bytes.TrimSuffix(bytes.TrimSuffix(bytes.TrimSuffix(m, []byte(" tool")), []byte(" call")), []byte(" function")), "`'\""))
		if name == "the this tool" || name == "the same tool" || parameterOrFile.MatchString(name) ||
			p.Sibling(name) || p.Parameter(name) ||
			toolName.MatchString(name) && (p.Subject != mcp.ToolSubject || sameFamily(p.Name, name)) {
			continue
		}
		return name
	}
	return ""
}

// toolName distinguishes the name of a tool from a phrase such as "the mail tool". Because the server's
// list may be incomplete, OtherTool ignores such a name if the definition is not a tool, or if the
// definition's own name is in the same family.
var toolName = lazyregexp.New(`[_.]`)

// sameFamily reports whether two tool names share a subject, as in get_invoice and list_invoices.
// Such tools may belong to the same server even if the server's list, which may be incomplete,
// lacks one of them.
func sameFamily(own, other string) bool {
	words := strings.FieldsFunc(strings.ToLower(own), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(w string) bool { return len(w) > familyWord && strings.Contains(other, w[:len(w)-1]) })
}

// familyWord is the maximum length, in bytes, of a word that counts as a verb in a tool name; a
// longer one counts as the name's subject.
const familyWord = 4

// parameterOrFile matches names of parameters and files, and phrases such as "the same tool", all
// of which toolReference matches as well.
var parameterOrFile = lazyregexp.New(`\.(json|md|txt|py|js|ts|go|html|css|yaml|yml|toml|com|org|net|io|dev|example|env|csv|xml|sql|sh|xlsx|pdf|png|docx)$|` +
	`^(e\.g|i\.e|etc\.|v?\d|node\.js|next\.js)|^(the )?(this|same|following|appropriate|correct|right|first|second|search|other) tool$|` +
	`_(id|ids|name|path|url|type|key|token|at|by|count|date|time|format|mode|size|code|status|list)$`)
