package intent

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Locator determines the locations of texts. It folds the names and the purpose shared by a
// definition's texts only once. It is not safe for concurrent use.
type Locator struct {
	folder                   text.Folder
	name, parameter, purpose foldedName
	pass                     *scanner.TextPass // of the last place
	has                      func([]byte) bool
}

// foldedName is a string and its folded form.
type foldedName struct {
	source string
	text   []byte
}

// fold returns the folded form of s, which is valid until fold is called with another string.
func (n *foldedName) fold(f *text.Folder, s string) []byte {
	if n.source != s {
		n.source, n.text = s, append(n.text[:0], f.Fold([]byte(s)).Text...)
	}
	return n.text
}

// Place returns the location of a pass's text; the result is valid until the next call. It returns
// false if no language model reads the text.
func (l *Locator) Place(p *scanner.TextPass) (place Place, read bool) {
	switch p.Subject {
	case mcp.ResultSubject, mcp.ErrorSubject, mcp.SamplingSubject, mcp.ElicitationSubject:
		return Place{Kind: Result}, true
	case mcp.ToolSubject, mcp.PromptSubject, mcp.ResourceSubject, mcp.TemplateSubject, mcp.ServerSubject:
	default:
		return Place{}, false
	}
	place.Tool = l.name.fold(&l.folder, p.Name)
	if l.pass = p; l.has == nil {
		l.has = func(name []byte) bool { return l.pass.Parameter(string(name)) }
	}
	place.Has = l.has
	argument, required := p.Argument()
	switch {
	case p.Description():
		place.Kind = Description
		return place, true
	case p.Subject == mcp.ServerSubject:
		place.Kind = Instructions
		key := p.Key()
		return place, key == "instructions" || key == "description"
	case argument != "":
		place.Kind, place.Required = ParameterText, required
		place.Parameter = l.parameter.fold(&l.folder, argument)
	case p.Subject == mcp.ToolSubject && p.Member() == "inputSchema":
		place.Kind = SchemaText
	default:
		place.Kind = OtherText
	}
	place.Purpose = l.purpose.fold(&l.folder, firstSentenceOf(p.Described()))
	return place, true
}

// Verdicts appends a feature for each rule that reports sentence s at medium severity or above. The
// feature also encodes whether the rule reports it at high severity or above.
func Verdicts(dst []uint32, p *scanner.TextPass, s Sentence, g Group) []uint32 {
	first := len(dst)
	for rule, severity := range p.Others(s.Start, s.End) {
		if severity < scanner.Medium {
			continue
		}
		if v := verdict(rule.ID, severity >= scanner.High, g); !slices.Contains(dst[first:], v) && len(dst)-first < maxVerdicts {
			dst = append(dst, v)
		}
	}
	return dst
}

// maxVerdicts is the maximum number of features that Verdicts appends for a sentence.
const maxVerdicts = 16

func verdict(rule string, high bool, g Group) uint32 {
	level := uint32(g) << 1
	if high {
		level |= 1
	}
	return mix('R', hashString(rule), level)
}

func firstSentenceOf(s string) string {
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '.' && i+1 < len(s) && s[i+1] == ' ' {
			return s[:i]
		}
	}
	return s
}
