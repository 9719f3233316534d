package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
)

// expander resolves references, and collects the unresolved ones without duplicates.
type expander struct {
	lookup     func(string) (string, bool)
	unresolved []string
	noted      map[string]bool
}

// expand replaces the references in a value. It does not expand replacements: an environment value
// is data, not a template.
func (x *expander) expand(value string) string {
	var b strings.Builder
	at := 0
	for _, ref := range text.References(value) {
		b.WriteString(value[at:ref.Start])
		at = ref.End
		found, ok := "", false
		if ref.Name != "" {
			found, ok = x.lookup(ref.Name)
		}
		switch written := value[ref.Start:ref.End]; {
		case ok:
			b.WriteString(found)
		case ref.HasFallback:
			b.WriteString(x.expand(ref.Fallback))
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

// Expand resolves the references in command, arguments, environment, working directory, URL and
// headers. It returns the result and the unresolved references as written. It supports ${VAR},
// ${VAR:-fallback}, ${env:VAR}, {env:VAR}, $VAR if that is the whole value, and ${{ secrets.VAR }};
// ${workspaceFolder}, ${CLAUDE_PLUGIN_ROOT}, ${__dirname} and the like are looked up by exactly
// that name, and ${input:id} by input:id. {file:path} is never resolved. Expand does not modify memory
// shared with s.
func Expand(s Server, lookup func(string) (string, bool)) (Server, []string) {
	x := &expander{lookup: lookup, noted: map[string]bool{}}
	s.Command = x.expand(s.Command)
	s.Args = x.list(s.Args)
	s.Env = x.pairs(s.Env)
	s.Cwd = x.expand(s.Cwd)
	s.URL = x.expand(s.URL)
	s.Headers = x.pairs(s.Headers)
	return s, x.unresolved
}
