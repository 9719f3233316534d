package servers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/gitleaks"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Shown returns the full command or URL as configured: references are not expanded, and other
// secrets are masked.
func (t *Target) Shown() string {
	command, address := t.Command, t.URL
	if t.Foreign {
		command, address = append([]string{t.Written.Command}, t.Written.Args...), t.Written.URL
	}
	if len(t.Command) == 0 {
		return baseline.Masked(address)
	}
	command = slices.Clone(command)
	for i, w := range command {
		if i > 0 && text.NamesSecret(command[i-1]) && !strings.HasPrefix(w, "-") && !text.IsReference(w) {
			command[i] = text.Masked
		} else if name, value, ok := strings.Cut(w, "="); ok && !strings.Contains(name, "://") {
			command[i] = name + "=" + maskedValue(name, value)
		}
	}
	return baseline.Masked(quoted(command))
}

// Describe describes a server to a user who decides whether to start it or connect to it. It includes
// variables, because LD_PRELOAD or PATH can make a harmless command run another program.
func (l *Listing) Describe(t *Target) string {
	in := l.Inherits(t)
	var b strings.Builder
	fmt.Fprintf(&b, "Server %s in %s:\n  %s\n", text.Visible(t.Name, 200), text.Visible(t.Origin.File, 400), text.Visible(t.Shown(), 100000))
	line := func(what, s string) { fmt.Fprintf(&b, "  %s %s\n", what, text.Visible(s, 100000)) }
	if dir := t.directory(); dir != "" && len(t.Command) > 0 {
		line("in", dir)
	}
	if len(t.Command) > 0 {
		for _, k := range slices.Sorted(maps.Keys(t.Written.Env)) {
			line("with", k+"="+maskedValue(k, t.Written.Env[k]))
		}
		if given := in.givenTo(); given != "" {
			line("with", given)
		}
	} else {
		for _, k := range slices.Sorted(maps.Keys(t.Written.Headers)) {
			line("with", k+": "+maskedValue(k, t.Written.Headers[k]))
		}
	}
	return b.String()
}

// maskedValue returns the value of a variable or header for display: references unexpanded,
// secrets masked.
func maskedValue(name, value string) string {
	if literal := text.Literal(value); literal != "" && (text.NamesSecret(name) || gitleaks.Find(name+`="`+literal+`"`) != "") {
		return text.Masked
	}
	_, shown, _ := strings.Cut(text.Mask(name+"="+value), "=")
	return shown
}

// quoted formats a command for a shell.
func quoted(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		if words[i] = w; w == "" || w != text.Masked && strings.ContainsAny(w, " \t\n\"'\\$`;&|<>*?()") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
