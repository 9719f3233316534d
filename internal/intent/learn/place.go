package learn

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// placeOf returns where the text of a pass stands. It reports false where no model reads
// the text.
func placeOf(p *scanner.TextPass, f *text.Folder) (place intent.Place, read bool) {
	key := p.Key()
	if !p.Subject.Definition() {
		return intent.Place{Kind: intent.Result}, true
	}
	place.Tool = bytes.Clone(f.Fold([]byte(p.Name)).Text)
	place.Has = func(name []byte) bool { return p.Parameter(string(name)) }
	argument, required := p.Argument()
	switch {
	case p.Description():
		place.Kind = intent.Description
		return place, true
	case p.Subject == scanner.ServerSubject:
		place.Kind = intent.Instructions
		return place, key == "instructions" || key == "description"
	case argument != "":
		place.Kind, place.Required = intent.ParameterText, required
		place.Parameter = bytes.Clone(f.Fold([]byte(argument)).Text)
	case p.Subject == scanner.ToolSubject && p.Member() == "inputSchema":
		place.Kind = intent.SchemaText
	default:
		place.Kind = intent.OtherText
	}
	place.Purpose = bytes.Clone(f.Fold([]byte(firstSentenceOf(p.Described()))).Text)
	return place, true
}

func firstSentenceOf(s string) string {
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '.' && i+1 < len(s) && s[i+1] == ' ' {
			return s[:i]
		}
	}
	return s
}
