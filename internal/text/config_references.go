package text

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Reference is a part of a client configuration value that refers to a variable, an input prompt or
// a file.
type Reference struct {
	// Start and End delimit it in the value.
	Start, End int
	// Name is the variable to look up, input:ID for an input prompt, or "" if the value
	// comes from elsewhere, such as a file.
	Name string
	// Fallback is used if the variable is unset. HasFallback reports whether the reference has a
	// fallback, which may be "".
	Fallback    string
	HasFallback bool
}

var (
	// wholeVariable is Gemini's $NAME. Within a longer string, a dollar sign is usually part of a
	// password or a pattern.
	wholeVariable = lazyregexp.New(`^\$[A-Za-z_][A-Za-z0-9_]*$`)
	// spelled detects the forms with braces. The text between ${ and } must begin like a name or a
	// path, so that "pa${4}ss" remains a literal; a fallback may contain another reference.
	spelled = lazyregexp.New(`\$\{\{\s*([^{}]+?)\s*\}\}|\$\{([A-Za-z_/](?:[^{}]|\$\{[^{}]*\})*)\}|\{((?:env|file):[^{}]+)\}`)
)

// References returns the references in value, from left to right.
func References(value string) []Reference {
	if wholeVariable.MatchString(value) {
		return []Reference{{Start: 0, End: len(value), Name: value[1:]}}
	}
	var out []Reference
	for _, m := range spelled.FindAllStringSubmatchIndex(value, -1) {
		ref := Reference{Start: m[0], End: m[1]}
		switch {
		case m[2] >= 0: // ${{ secrets.NAME }}
			ref.Name, _ = strings.CutPrefix(value[m[2]:m[3]], "secrets.")
			if len(ref.Name) == m[3]-m[2] {
				ref.Name = ""
			}
		case m[4] >= 0: // ${NAME} or ${env:NAME}, with or without :-fallback
			ref.Name, ref.Fallback, ref.HasFallback = strings.Cut(value[m[4]:m[5]], ":-")
			ref.Name = strings.TrimPrefix(ref.Name, "env:")
		default: // {env:NAME}; {file:path} has no name
			ref.Name, _ = strings.CutPrefix(value[m[6]:m[7]], "env:")
			if strings.HasPrefix(value[m[6]:], "file:") {
				ref.Name = ""
			}
		}
		out = append(out, ref)
	}
	return out
}

// IsReference reports whether value contains a reference, in which case only its literal parts (see
// Literal) may be treated as a secret.
func IsReference(value string) bool { return len(References(value)) > 0 }

// Literal returns the text around the references in value and the text of their fallbacks, either
// of which may contain a secret.
func Literal(value string) string {
	var b strings.Builder
	at := 0
	for _, ref := range References(value) {
		b.WriteString(value[at:ref.Start])
		b.WriteString(Literal(ref.Fallback))
		at = ref.End
	}
	return b.String() + value[at:]
}
