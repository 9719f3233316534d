package text

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Reference is one place of a value of a client configuration that stands for
// something else.
type Reference struct {
	// Start and End bound it in the value.
	Start, End int
	// Name is what to look up, "" where nothing can be (an input prompt, a file).
	Name string
	// Fallback is used when the name is unset, where the spelling has one.
	Fallback    string
	HasFallback bool
}

var (
	// wholeVariable is Gemini's $NAME. Inside a longer text a dollar is more
	// often part of a password or a pattern.
	wholeVariable = lazyregexp.New(`^\$[A-Za-z_][A-Za-z0-9_]*$`)
	// spelled finds the other forms. What is between ${ and } begins like a
	// name, so that "pa${4}ss" remains a literal; its fallback may hold another.
	spelled = lazyregexp.New(`\$\{\{\s*([^{}]+?)\s*\}\}|\$\{([A-Za-z_/](?:[^{}]|\$\{[^{}]*\})*)\}|\{((?:env|file):[^{}]+)\}`)
)

// References finds every reference of a value, from left to right.
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
		case m[4] >= 0: // ${NAME}, ${env:NAME}, either with :-fallback
			ref.Name, ref.Fallback, ref.HasFallback = strings.Cut(value[m[4]:m[5]], ":-")
			ref.Name = strings.TrimPrefix(ref.Name, "env:")
			if strings.HasPrefix(ref.Name, "input:") {
				ref.Name = ""
			}
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

// IsReference reports whether the value is or contains a reference, so that it
// must not be taken for a literal secret as a whole. Literal gives what of it
// is written out.
func IsReference(value string) bool { return len(References(value)) > 0 }

// Literal returns what remains of a value without its references: the text
// around them and their fallbacks, in which a secret can still stand.
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
