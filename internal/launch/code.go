package launch

import (
	"slices"
	"strings"
)

// runs records that the current program runs a word as code.
func (l *Command) runs(word int) {
	if l.Code == NoCode {
		l.Code, l.Interpreter = l.ArgOf(word), l.Program
	}
}

// codeOptions returns the options of an interpreter that take code.
func codeOptions(name string) []string {
	switch {
	case strings.HasPrefix(name, "py"):
		return []string{"-c"}
	case name == "node" || name == "nodejs" || name == "tsx" || strings.HasPrefix(name, "ts-node"):
		return []string{"-e", "--eval", "-p", "--print", "-pe"}
	case name == "perl":
		return []string{"-e", "-E", "-ne", "-pe"}
	case name == "ruby", name == "osascript", name == "lua", name == "julia", name == "rscript":
		return []string{"-e"}
	case name == "php":
		return []string{"-r"}
	}
	return nil
}

// CodeWord returns the index of the word that a program runs as code, or -1. Examples are python
// -c CODE, deno eval CODE, node -e CODE, and the command string of a shell.
func CodeWord(name string, words []string) int {
	if shell(name) {
		return ShellText(name, words)
	}
	if name == "npx" || name == "npm" {
		return npxCode(words)
	}
	if (name == "deno" || name == "bun") && len(words) > 1 && (words[0] == "eval" || words[0] == "-e") {
		return 1
	}
	if !interpreter.MatchString(name) {
		return -1
	}
	options := codeOptions(name)
	for i, w := range words {
		if slices.Contains(options, w) {
			return next(words, i)
		}
		if name, _, ok := strings.Cut(w, "="); ok && strings.HasPrefix(name, "--") && slices.Contains(options, name) {
			return i
		}
		if !strings.HasPrefix(w, "-") || w == "-m" {
			return -1
		}
	}
	return -1
}

// npxCode returns the index of the word that npx passes to a shell, or -1.
func npxCode(words []string) int {
	found, from := -1, 0
	if len(words) > 0 && (words[0] == "exec" || words[0] == "x") { // skip the npm command
		from = 1
	}
	npxOptions.read(words[from:], func(option, value string, at int) {
		if has(npxOptions.code, option) && value != "" {
			found = from + at
		}
	})
	return found
}
