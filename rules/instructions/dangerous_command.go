package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var DangerousCommand = scanner.Rule{
	ID:         "inj-dangerous-command",
	Category:   "shell_injection",
	Title:      "Text contains a command that destroys a machine or opens it to an attacker",
	Why:        "An agent with a shell may run a command that it reads. These commands serve only to destroy something or to let someone in.",
	Fix:        "Do not let an agent with a shell read the text. Remove the server, or find out who wrote the text.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Legitimate definitions rarely contain a reverse shell or a command that deletes a whole directory tree, except in warnings. Command manuals are a known source of false positives, so findings in data are rated medium unless the text is short.",
	Refs:       []string{"OWASP-MCP:MCP05", "OWASP-LLM:LLM05", "ATLAS:AML.T0050", "CWE-78"},
	Patterns: []scanner.Pattern{
		{
			Name: "reverse_shell",
			Expr: `(>&|<>?|exec)\s*\S{0,4}/dev/(tcp|udp)/[\w.-]+/\d+|\bnc(at)?\s+[^\n|;]{0,60}(-[a-z]*e[a-z]*|--exec)\s+/?(bin/)?(ba|z)?sh\b|` +
				`\bsh\s+-i\s+2>&1\s*\|\s*nc\b|\bsocat\s+[^\n]{0,60}exec:|\bbash\s+-i\s+>&|\bsocket\.socket\([^\n]{0,160}(subprocess|os\.dup2|pty\.spawn)`,
			Anchors: []string{"/dev/tcp", "/dev/udp", "nc ", "ncat ", "socat ", "bash -i", "socket.socket("},
		},
		{
			Name: "destroys",
			Expr: `\brm\s+(-[\w-]+\s+)*(-\w*(rf|fr)\w*|-r\s+-f|-f\s+-r|--recursive\s+--force)\s+(-[\w-]*\s+)*(/|~/?|\$\{?home\}?/?|/home|/\*|~/\*|\*|` +
				`~?/?(documents|\.ssh)/?\*?)([\s"'` + "`" + `;&|.,]|$)|\bchmod\s+(-r\s+)?0?777\s+(-r\s+)?(/|~|\$\{?home\}?)([\s"'` + "`" + `;&|.,]|$)|\bmkfs(\.\w+)?\s+` +
				`(-\w+\s+)*/dev/|\bdd\s+if=/dev/(zero|u?random)\s+of=/dev/|\bfind\s+/\s+-delete\b|\bformat\s+c:\s+/|\b(rd|rmdir)\s+/s\s+/q\s+c:\\|` +
				`\bremove-item\s+-recurse\s+-force\s+c:\\|:\(\)\s*\{\s*:\s*\|\s*:|\bdel\s+/[fsq]\s[^\n]{0,20}c:\\|--no-preserve-root|` +
				`['"]?;\s*drop\s+(table|database)\s+\w+\s*;?\s*--`,
			Anchors: []string{"rm -", "chmod ", "mkfs", "of=/dev/", ":(){", ":() {", "del /", "find / -d", "format c:", "rd /s", "rmdir /s", "remove-item", "drop table", "drop database", "--no-preserve-root"},
		},
		{
			Name: "drop_and_run",
			Expr: `\bchmod\s+(\+x|[0-7]*7[0-7]*)\s+(/tmp|/var/tmp|/dev/shm)/[^\s]+\s*(&&|;)\s*(/tmp|/var/tmp|/dev/shm)/|` +
				`\b(os\.system|subprocess\.\w+|exec|popen)\(\s*["'][^"'\n]{0,80}(curl|wget)[^"'\n]{0,120}\|\s*(ba|z)?sh`,
			Anchors: []string{"chmod", "os.system", "subprocess", "exec(", "popen("},
		},
		encodedCode: {
			Name:    "encoded_code",
			Expr:    `\bos\.system\(|\bsubprocess\.\w+\(|\b(exec|eval)\(|\bchild_process\b|\binvoke-expression\b`,
			Anchors: []string{"os.system(", "subprocess.", "exec(", "eval(", "child_process", "invoke-expression"},
		},
	},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			if m.Pattern == encodedCode && p.Via == "" {
				continue
			}
			if clause.NegatedOrQuoted(p.Folded, m.Start, m.End) && len(p.Folded) > shortText || keptFromRunning(p.Folded, m.Start, m.End) {
				continue
			}
			severity := scanner.High
			if clause.IsResult(p) && len(p.Folded) > shortText {
				severity = scanner.Medium
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: []string{"a command whose only use is to destroy a machine or open it to an attacker"},
				Message: "contains a command that destroys a machine or opens it to an attacker"})
		}
	},
}

// encodedCode is the index of the pattern for code that is suspicious only if the text was encoded.
const encodedCode = 3

// keptFromRunning reports whether the text says that the command [start, end) is not executed: in its
// own clause, or in the one that introduces that clause with a colon.
func keptFromRunning(t []byte, start, end int) bool {
	from, to := clause.Around(t, start, end)
	if keepsFromRunning.Match(t[from:start]) || clause.RefusedBehind.Match(t[end:to]) {
		return true
	}
	before, _ := clause.Around(t, max(from-1, 0), max(from-1, 0))
	return from > 1 && t[from-1] == ':' && keepsFromRunning.Match(t[before:from])
}

// keepsFromRunning matches wording for preventing the execution of a command.
var keepsFromRunning = lazyregexp.New(`\b(never|not|refuses?|block(s|ed)?|reject(s|ed)?|den(y|ies|ied)|prevents?|prohibits?|forbid(s|den)?|detects?)\b`)

// shortText is the maximum length, in bytes, of a text that counts as little more than the command
// that it contains.
const shortText = 300
