package launch

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// shell reports whether a program runs a string of shell commands.
func shell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh":
		return true
	}
	return false
}

// ShellText returns the index of the word that a shell runs as its command string, or -1.
func ShellText(name string, words []string) int {
	for i, w := range words {
		low := strings.ToLower(w)
		switch {
		case name == "cmd" && (low == "/c" || low == "/k" || low == "/r"):
			return next(words, i)
		case name == "cmd" && strings.HasPrefix(w, "/"):
		case (name == "powershell" || name == "pwsh") && (low == "-f" || low == "-file"): // the next word is a script with its arguments
			return -1
		case (name == "powershell" || name == "pwsh") && len(low) > 1 && (strings.HasPrefix("-command", low) || strings.HasPrefix("-encodedcommand", low) || low == "-ec"):
			return next(words, i)
		case shellOption.MatchString(w) && name != "cmd" && name != "powershell" && name != "pwsh":
			return next(words, i)
		case !strings.HasPrefix(w, "-") && name != "powershell" && name != "pwsh":
			return -1
		}
	}
	return -1
}

var shellOption = lazyregexp.New(`^-[a-zA-Z]*c$`)

func next(words []string, i int) int {
	if i+1 < len(words) {
		return i + 1
	}
	return -1
}

// unwrapShell continues with the first known program in a shell's command string. For cmd, the
// command may be in several words.
func (l *Command) unwrapShell() bool {
	at := ShellText(l.Program, l.Words)
	if at < 0 {
		return false
	}
	if l.Program == "cmd" && !strings.ContainsAny(l.Words[at], " \t") {
		l.skip(at)
		return true
	}
	l.runs(at)
	for _, words := range shellCommands(l.Words[at]) {
		if name := program(words[0]); known(name) && !shell(name) {
			l.Text, l.First = l.ArgOf(at), InText
			l.Arg = l.Text
			l.run(words[0], words[1:])
			return true
		}
	}
	return false
}

// maxShellText is the maximum length of a command string that is split into words.
const maxShellText = 4096

// shellCommands splits a string into commands, without leading variable assignments.
func shellCommands(s string) [][]string {
	var out [][]string
	var current []string
	flush := func() {
		for len(current) > 0 && (assignment.MatchString(current[0]) || current[0] == "exec") {
			current = current[1:]
		}
		if len(current) > 0 {
			out = append(out, current)
		}
		current = nil
	}
	for _, w := range shellWords(s) {
		if w == "&&" || w == "||" || w == ";" || w == "|" || w == "&" {
			flush()
			continue
		}
		end := strings.HasSuffix(w, ";")
		if w = strings.TrimSuffix(w, ";"); w != "" {
			current = append(current, w)
		}
		if end {
			flush()
		}
	}
	flush()
	return out
}

var assignment = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)

// shellWords splits a string at white space outside of quotes.
func shellWords(s string) []string {
	s = s[:min(len(s), maxShellText)]
	var out []string
	var word strings.Builder
	quote, open := byte(0), false
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, open = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if open || word.Len() > 0 {
				out = append(out, word.String())
			}
			if c == '\n' {
				out = append(out, ";")
			}
			word.Reset()
			open = false
		default:
			word.WriteByte(c)
		}
	}
	if open || word.Len() > 0 {
		out = append(out, word.String())
	}
	return out
}
