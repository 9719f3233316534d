package launch

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// runs records that a program runs a word as code.
func (l *Command) runs(name string, word int) {
	if l.Code == NoCode {
		l.Code, l.CodeText, l.Interpreter = l.ArgOf(word), l.Words[word], name
	}
}

// interprets records the code of an interpreter that a launcher starts, as in uv run python -c CODE
// or npx tsx -e CODE. Word i names the interpreter.
func (l *Command) interprets(i int) {
	name := program(l.Words[i])
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	if interpreter.MatchString(name) {
		if at, _ := codeWord(name, l.Words[i+1:]); at >= 0 {
			l.runs(name, i+1+at)
		}
	}
}

// codeSyntax describes how an interpreter takes code.
type codeSyntax struct {
	code    string // options that take code
	values  string // other options that take the next word
	letters string // options of one letter that take code, in the same word or the next one
	flags   string // options of one letter that may precede them in a group
}

// codeSyntaxOf returns the options of an interpreter, including fish but no other shell, according to
// its help.
func codeSyntaxOf(name string) codeSyntax {
	switch {
	case strings.HasPrefix(name, "py"):
		return codeSyntax{letters: "c", flags: "bBdEhiIOPqRsStuvVx", values: " -W -X --check-hash-based-pycs "}
	case name == "node", name == "nodejs", name == "tsx", strings.HasPrefix(name, "ts-node"):
		return codeSyntax{code: " -e --eval -p --print -pe ", values: " -r --require --import --loader --experimental-loader --env-file --env-file-if-exists -C --conditions " +
			"--input-type --experimental-default-type --title --disable-warning --unhandled-rejections --dns-result-order --inspect-port --debug-port --icu-data-dir " +
			"--openssl-config --redirect-warnings --stack-trace-limit --max-http-header-size --watch-path --diagnostic-dir --localstorage-file --tls-cipher-list " +
			"--trace-event-categories --tsconfig -P --project -O --compiler-options --compilerOptions -I --ignore -D --ignore-diagnostics --cwd "}
	case name == "bun":
		return codeSyntax{code: " -e --eval -p --print ", values: " --cwd -c --config --env-file -r --preload --import "}
	case name == "perl":
		return codeSyntax{letters: "eE", flags: "acfilnpstuvwWXTU0123456789", values: " -I "}
	case name == "ruby":
		return codeSyntax{letters: "e", flags: "acdlnpsSvwWy0123456789", values: " -r -I -C -E "}
	case name == "php":
		return codeSyntax{letters: "rBRE", flags: "nqae", code: " --run --process-begin --process-code --process-end ", values: " -d --define -c --php-ini -z --zend-extension "}
	case name == "julia":
		return codeSyntax{letters: "eE", flags: "qi", code: " --eval --print ", values: " -p --procs -t --threads -J --sysimage -L --load -H --home -C --cpu-target --machine-file "}
	case name == "fish":
		return codeSyntax{letters: "cC", flags: "ilnNPhv", code: " --command --init-command ", values: " -d --debug -o --debug-output -f --features -D --profile "}
	case name == "osascript", name == "lua", name == "rscript", name == "swift":
		return codeSyntax{letters: "e", flags: "iEv", values: " -l -s "}
	}
	return codeSyntax{}
}

// find returns the index of the word that contains code, and the code, or -1.
func (s codeSyntax) find(words []string) (at int, code string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, assigned := strings.Cut(w, "=")
		letter := s.letter(w)
		switch {
		case !strings.HasPrefix(w, "-") || w == "-" || w == "--" || s.letters == "c" && strings.HasPrefix(w, "-m"):
			return -1, ""
		case assigned && strings.HasPrefix(w, "--") && has(s.code, name):
			return i, value
		case has(s.code, w), letter == len(w)-1:
			return word(words, i+1)
		case has(s.values, w):
			i++
		case letter > 0:
			return i, w[letter+1:]
		}
	}
	return -1, ""
}

// letter returns the index of the letter that takes code in a group of options such as -Ic, or -1.
func (s codeSyntax) letter(w string) int {
	for i := 1; i < len(w) && w[0] == '-'; i++ {
		switch {
		case strings.IndexByte(s.letters, w[i]) >= 0:
			return i
		case strings.IndexByte(s.flags, w[i]) < 0:
			return -1
		}
	}
	return -1
}

// word returns i and the word at that index, or -1 if there is none.
func word(words []string, i int) (int, string) {
	if i < 0 || i >= len(words) {
		return -1, ""
	}
	return i, words[i]
}

// codeWord returns the index of the word that a program runs as code, and the code, or -1.
// Examples are python -c CODE, deno eval CODE, node -e CODE, and the command string of a shell.
func codeWord(name string, words []string) (at int, code string) {
	switch {
	case name == "npx" || name == "npm":
		return word(words, npxCode(words))
	case name == "deno":
		if from := denoOptions.verb(words, " eval "); from > 0 {
			return word(words, denoOptions.first(words, from))
		}
		return -1, ""
	case name == "cmd":
		return cmdText(words)
	case name == "powershell" || name == "pwsh":
		return powershellText(name, words)
	case shell(name) && name != "fish":
		return shellText(words)
	}
	if name == "bun" || interpreter.MatchString(name) {
		return codeSyntaxOf(name).find(words)
	}
	return -1, ""
}

// Patterns for the beginning of an address from which code is loaded.
const (
	codeURL   = `(?:https?|ftp)://`
	codeShare = `(?:\\\\|//)[^\\/.?][^\\/]*[\\/]` // a network share, not a device path such as \\?\C:
)

// scriptHosts contains the Windows programs that run code from an address, with patterns for the
// words that contain such an address.
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
