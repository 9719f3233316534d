package configuration

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var InlineInterpreter = scanner.Rule{
	ID:         "cfg-inline-interpreter",
	Category:   "configuration",
	Title:      "The configuration contains the server's code",
	Why:        "sh -c, python -c and similar commands run whatever the next argument contains. A reader sees just another server entry, and the client shows only the server's name when it asks for consent.",
	Fix:        "Move the code into a file in the repository, where it is reviewed, or start the server directly.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Servers are usually programs of their own, not code in an argument. A script that only prepares a directory or the environment for a single program is rated medium, as is code that runs in a container.",
	Refs:       []string{"OWASP-MCP:MCP05", "ATLAS:AML.T0050", "CWE-78"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachCommand(p, func(e *configfile.Entry, l *launch.Command) {
			for i, arg := range e.Args {
				if codeAddress.MatchString(arg) {
					p.Report(e, fmt.Sprintf("/args/%d", i), scanner.High, "the argument is a URL that contains code, and "+l.Program+" loads it", arg)
				}
			}
			whole := map[int]bool{} // arguments that are code; code in them is not reported again
			l.Each(func(c *launch.Command) {
				if c.Code == launch.NoCode || whole[c.Code] {
					return
				}
				whole[c.Code] = c.TextWords == nil
				pointer, _ := entries.Argument(e, c.Code)
				severity, message := scanner.High, "the argument is code that "+c.Interpreter+" runs"
				if c.TextWords != nil {
					message = "the argument contains code that " + c.Interpreter + " runs"
				}
				if c.Contained {
					severity, message = scanner.Medium, message+" in a container"
				}
				if preparation(c) {
					severity, message = scanner.Medium, "the argument is a script for "+c.Interpreter+" that starts one program"
				}
				p.Report(e, pointer, severity, message, c.CodeText)
			})
		})
		entries.EachNested(p, func(_ *configfile.Entry, c *launch.Command, report entries.Reporter) {
			message := "the argument is the address of code that " + c.Program + " runs"
			if c.First == launch.InText {
				message = "the argument contains the address of code that " + c.Program + " runs"
			}
			for i, word := range c.Words {
				if launch.RunsAddress(c.Program, word) {
					report(c.ArgOf(i), scanner.High, message, word)
				}
			}
		})
	},
}

// preparation reports whether shell code only sets up a directory or environment for a single
// program, or Python code only calls a module's main function.
func preparation(l *launch.Command) bool {
	code := l.CodeText
	if strings.HasPrefix(l.Interpreter, "py") {
		return pythonMain.MatchString(code)
	}
	switch l.Interpreter {
	case "powershell", "pwsh": // PowerShell's own commands are not programs
		return l.Program != l.Interpreter && len(code) <= longestPreparation && plainShell.MatchString(strings.TrimPrefix(code, "& "))
	case "sh", "bash", "zsh", "dash", "ksh", "fish", "cmd":
		return len(code) <= longestPreparation && plainShell.MatchString(asking.ReplaceAllString(silencing.ReplaceAllString(code, ""), "x"))
	}
	return false
}

// longestPreparation is the maximum length, in bytes, of shell code that is recognised as preparation.
const longestPreparation = 400

// codeAddress matches a URL that contains code.
var codeAddress = lazyregexp.New(`(?i)^(?:--?[\w-]+=)?data:(?:text|application)/(?:java|ecma|type)script`)

var (
	// plainShell matches setup commands followed by a single command without redirection,
	// substitution or another program.
	plainShell = lazyregexp.New(`^\s*(?:(?:cd|source|\.|export|\[|nvm|fnm|pyenv|conda|set|eval "\$\((?:/[\w/.-]+/)?(?:brew|fnm|mise|direnv|pyenv) [\w -]+\)")(?: [^;&|<>` +
		"`" + `$()\n]*(?:\$\{?[A-Z_]+\}?[^;&|<>` + "`" + `$()\n]*)*)?\s*(?:&&|;|\n)\s*)*` +
		`(?:exec )?[^;&|<>` + "`" + `$()\n]*(?:\$\{?[A-Za-z_]+\}?[^;&|<>` + "`" + `$()\n]*)*$`)
	// silencing detects redirections of output to /dev/null or to another stream.
	silencing = lazyregexp.New(`\s*(?:[012&]?>>?\s*/dev/null|[12]?>&[12])\b`)
	// asking detects command substitutions that only print a path.
	asking = lazyregexp.New(`\$\((?:git rev-parse --show-toplevel|pwd(?: -P)?|dirname "?\$0"?|(?:which|command -v) [\w.-]+|brew --prefix(?: [\w@.-]+)?|npm (?:root|prefix|bin) -g)\)`)
	// pythonMain matches the code of a package entry point.
	pythonMain = lazyregexp.New(`^\s*(?:(?:import [\w.]+|from [\w.]+ import \w+(?: as \w+)?)\s*;\s*)+(?:sys\.exit\()?(?:asyncio\.run\()?[\w.]+\(\)\)*;?\s*$`)
)
