package launch

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// shell reports whether a program runs a string of shell commands.
func shell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh", "dash", "ash", "ksh", "fish", "cmd", "powershell", "pwsh"}, name)
}

// shellText returns the index of the word that a POSIX shell runs as its command string, and the
// string, or -1. It is the first word after the options, wherever -c is among them.
func shellText(words []string) (at int, text string) {
	code := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--" || w == "-":
			if code {
				return word(words, i+1)
			}
			return -1, ""
		case w == "--rcfile" || w == "--init-file":
			i++
		case strings.HasPrefix(w, "--"):
		case len(w) > 1 && (w[0] == '-' || w[0] == '+'):
			code = code || w[0] == '-' && strings.Contains(w, "c")
			i += strings.Count(strings.ToLower(w), "o") // -o and -O take the name of an option
		case code:
			return i, w
		default:
			return -1, ""
		}
	}
	return -1, ""
}

// cmdText returns the index of the word that cmd runs, and the command in it, or -1. The command may
// follow /c in the same word.
func cmdText(words []string) (at int, text string) {
	for i, w := range words {
		options := cmdOption.FindString(w)
		switch {
		case options != "" && options == w:
			return word(words, i+1)
		case options != "":
			return i, w[len(options):]
		case !strings.HasPrefix(w, "/"):
			return -1, ""
		}
	}
	return -1, ""
}

var cmdOption = lazyregexp.New(`(?i)^(?:/[adqsu]|/[efv]:o(?:n|ff)|/t:\w+)*/[ckr]`)

// powershellText returns the index of the word that PowerShell runs as a command, and the word, or
// -1. Words after the options are a command in Windows PowerShell, but a script in PowerShell 7.
func powershellText(name string, words []string) (at int, text string) {
	for i := 0; i < len(words); i++ {
		option, ok := strings.CutPrefix(strings.ToLower(words[i]), "-")
		if !ok {
			option, ok = strings.CutPrefix(strings.ToLower(words[i]), "/")
		}
		begins := func(option string) func(string) bool {
			return func(name string) bool { return strings.HasPrefix(name, option) }
		}(option)
		switch {
		case !ok && name == "pwsh", ok && option != "" && begins("file"): // a script with its arguments
			return -1, ""
		case !ok:
			return i, words[i]
		case option == "":
		case begins("command"), begins("encodedcommand"), option == "ec":
			return word(words, i+1)
		case !slices.ContainsFunc(powershellFlags, begins):
			i++
		}
	}
	return -1, ""
}

// powershellFlags are the PowerShell options that take no value.
var powershellFlags = []string{"help", "interactive", "login", "mta", "noexit", "nologo", "noninteractive", "noprofile", "noprofileloadtime", "sta"}

// unwrapShell continues with the first known program in a shell's command string that does more than
// install packages, or else with the first known program. For cmd and PowerShell, the command may be in
// several words.
func (l *Command) unwrapShell() bool {
	at, text := codeWord(l.Program, l.Words)
	if at < 0 {
		return false
	}
	several := l.Program == "cmd" || l.Program == "powershell" || l.Program == "pwsh"
	if several && text == l.Words[at] && !strings.ContainsAny(text, " \t") && (l.Program == "cmd" || known(program(text))) {
		l.skip(at)
		return true
	}
	l.runs(l.Program, at)
	if several {
		text = strings.Join(append([]string{text}, l.Words[at+1:]...), " ")
	}
	var start *shellCommand
	for _, c := range shellCommands(text) {
		words := c.words
		if words[0] == "cd" && len(words) > 1 && !strings.ContainsAny(words[len(words)-1], "$`") {
			l.chdir(words[len(words)-1])
		}
		if name := program(words[0]); !known(name) || shell(name) {
			continue
		}
		one := Command{}
		one.run(words[0], words[1:])
		for range maxWrappers {
			if shell(one.Program) || !one.unwrap() { // a shell could contain others
				break
			}
		}
		one.fetch()
		if start == nil || !one.Installs {
			start = &c
		}
		if !one.Installs {
			break
		}
	}
	if start == nil {
		return false
	}
	l.Text, l.First, l.inText = l.ArgOf(at), InText, len(start.words)-1
	for _, w := range start.env {
		l.assign(w, l.Text)
	}
	l.Arg = l.Text
	l.run(start.words[0], start.words[1:])
	return true
}

// maxShellText is how many bytes of a command string are split into words; the rest is ignored.
const maxShellText = 4096

// shellCommand is a command in shell code.
type shellCommand struct {
	env   []string // the assignments before it
	words []string // the program and its arguments
}

// shellCommands splits a string into commands, without the keywords before a program.
func shellCommands(s string) []shellCommand {
	var out []shellCommand
	var c shellCommand
	var current []string
	flush := func() {
		for len(current) > 0 && (assignment.MatchString(current[0]) || has(beforeProgram, current[0])) {
			if !has(beforeProgram, current[0]) {
				c.env = append(c.env, current[0])
			}
			current = current[1:]
		}
		if c.words = current; len(current) > 0 {
			out = append(out, c)
			c.env = nil
		}
		current = nil
	}
	for _, w := range shellWords(s) {
		if w == separator {
			flush()
		} else {
			current = append(current, w)
		}
	}
	flush()
	return out
}

// beforeProgram are the words that can precede a program in shell code.
const beforeProgram = " exec export ! { if then elif else while until do "

// separator is the word that shellWords returns for everything that ends a command.
const separator = ";"

var assignment = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)

// shellWords splits a string at white space and between commands, outside of quotes.
func shellWords(s string) []string {
	s = s[:min(len(s), maxShellText)]
	var out []string
	var word strings.Builder
	quote, open := byte(0), false
	end := func() {
		if open || word.Len() > 0 {
			out = append(out, word.String())
		}
		word.Reset()
		open = false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, open = c, true
		case c == ' ' || c == '\t' || c == '\r':
			end()
		case strings.IndexByte("\n;&|()`", c) >= 0:
			end()
			out = append(out, separator)
		default:
			word.WriteByte(c)
		}
	}
	end()
	return out
}
