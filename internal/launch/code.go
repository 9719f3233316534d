package launch

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
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

// Addresses of code, at the start of a word or after an option.
const (
	codeURL   = `(?:https?|ftp)://`
	codeShare = `(?:\\\\|//)[^\\/.?][^\\/]*[\\/]` // a network share, not a device path such as \\?\C:
)

// scriptHosts contains the Windows programs that run code from an address, with patterns for the
// words that name one.
var scriptHosts = map[string]*lazyregexp.Regexp{
	"mshta":    lazyregexp.New(`(?i)^(?:` + codeURL + `|` + codeShare + `|(?:java|vb)script:)`),
	"regsvr32": lazyregexp.New(`(?i)^(?:[/-]i:)?(?:` + codeURL + `|` + codeShare + `)`),
	"rundll32": lazyregexp.New(`(?i)^(?:` + codeURL + `|` + codeShare + `|(?:java|vb)script:)`),
	"msiexec":  lazyregexp.New(`(?i)^(?:[/-](?:i|p|update|package)[ :]?)?(?:` + codeURL + `|` + codeShare + `)`),
	"wscript":  lazyregexp.New(`^` + codeShare),
	"cscript":  lazyregexp.New(`^` + codeShare),
}

// RunsAddress reports whether a word tells a program to run code from an address.
func RunsAddress(name, word string) bool {
	host := scriptHosts[name]
	return host != nil && host.MatchString(word)
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
