package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// reference is one place of a value that stands for something else.
type reference struct {
	start, end int
	// name is what to look up, "" where nothing can be (an input prompt, a file).
	name string
	// fallback is used when the name is unset, where the spelling has one.
	fallback    string
	hasFallback bool
}

var (
	// wholeVariable is Gemini's $NAME. Inside a longer text a dollar is more
	// often part of a password or a pattern.
	wholeVariable = regexp.MustCompile(`^\$[A-Za-z_][A-Za-z0-9_]*$`)
	// spelled finds the other forms. What stands between ${ and } begins like a
	// name, so that "pa${4}ss" remains a literal; its fallback may hold another.
	spelled = regexp.MustCompile(`\$\{\{\s*([^{}]+?)\s*\}\}|\$\{([A-Za-z_/](?:[^{}]|\$\{[^{}]*\})*)\}|\{((?:env|file):[^{}]+)\}`)
)

// references finds every reference of a value, from left to right.
func references(value string) []reference {
	if wholeVariable.MatchString(value) {
		return []reference{{start: 0, end: len(value), name: value[1:]}}
	}
	var out []reference
	for _, m := range spelled.FindAllStringSubmatchIndex(value, -1) {
		ref := reference{start: m[0], end: m[1]}
		switch {
		case m[2] >= 0: // ${{ secrets.NAME }}
			ref.name, _ = strings.CutPrefix(value[m[2]:m[3]], "secrets.")
			if len(ref.name) == m[3]-m[2] {
				ref.name = ""
			}
		case m[4] >= 0: // ${NAME}, ${env:NAME}, either with :-fallback
			ref.name, ref.fallback, ref.hasFallback = strings.Cut(value[m[4]:m[5]], ":-")
			ref.name = strings.TrimPrefix(ref.name, "env:")
			if strings.HasPrefix(ref.name, "input:") {
				ref.name = ""
			}
		default: // {env:NAME}; {file:path} has no name
			ref.name, _ = strings.CutPrefix(value[m[6]:m[7]], "env:")
			if strings.HasPrefix(value[m[6]:], "file:") {
				ref.name = ""
			}
		}
		out = append(out, ref)
	}
	return out
}

// IsReference reports whether the value is or contains a reference, so that it
// must not be taken for a literal secret as a whole. Literal gives what of it
// is written out.
func IsReference(value string) bool { return len(references(value)) > 0 }

// Literal returns what remains of a value without its references: the text
// around them and their fallbacks, in which a secret can still stand.
func Literal(value string) string {
	var b strings.Builder
	at := 0
	for _, ref := range references(value) {
		b.WriteString(value[at:ref.start])
		b.WriteString(Literal(ref.fallback))
		at = ref.end
	}
	return b.String() + value[at:]
}

// expander resolves references and remembers those it could not, each once.
type expander struct {
	lookup     func(string) (string, bool)
	unresolved []string
	noted      map[string]bool
}

// expand replaces the references of one value. What is put in is not looked at
// again: a value of the environment is data, not a template.
func (x *expander) expand(value string) string {
	var b strings.Builder
	at := 0
	for _, ref := range references(value) {
		b.WriteString(value[at:ref.start])
		at = ref.end
		found, ok := "", false
		if ref.name != "" {
			found, ok = x.lookup(ref.name)
		}
		switch written := value[ref.start:ref.end]; {
		case ok:
			b.WriteString(found)
		case ref.hasFallback:
			b.WriteString(x.expand(ref.fallback))
		default:
			b.WriteString(written)
			if !x.noted[written] {
				x.noted[written] = true
				x.unresolved = append(x.unresolved, written)
			}
		}
	}
	return b.String() + value[at:]
}

func (x *expander) list(values []string) []string {
	out := slices.Clone(values)
	for i, v := range out {
		out[i] = x.expand(v)
	}
	return out
}

func (x *expander) pairs(values map[string]string) map[string]string {
	out := maps.Clone(values)
	for _, k := range slices.Sorted(maps.Keys(values)) {
		out[k] = x.expand(values[k])
	}
	return out
}

// Expand resolves the references in command, arguments, environment, working
// directory, URL and headers, and returns the result with the references that
// stay unresolved, as they are written. It reads ${VAR}, ${VAR:-fallback},
// ${env:VAR}, {env:VAR}, $VAR where that is the whole value, and
// ${{ secrets.VAR }}; ${workspaceFolder}, ${CLAUDE_PLUGIN_ROOT}, ${__dirname}
// and the like are looked up by exactly that name. ${input:id} and {file:path}
// are never resolved. The receiver is not changed.
func (s Server) Expand(lookup func(string) (string, bool)) (Server, []string) {
	x := &expander{lookup: lookup, noted: map[string]bool{}}
	s.Command = x.expand(s.Command)
	s.Args = x.list(s.Args)
	s.Env = x.pairs(s.Env)
	s.Cwd = x.expand(s.Cwd)
	s.URL = x.expand(s.URL)
	s.Headers = x.pairs(s.Headers)
	return s, x.unresolved
}
