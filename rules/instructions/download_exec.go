package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/scanner"
)

var DownloadExec = scanner.Rule{
	ID:         "inj-download-exec",
	Category:   "shell_injection",
	Title:      "Text tells the model to download and run code",
	Why:        "Code from an address that the author chose runs with the user's permissions, and can be replaced at any time.",
	Fix:        "Do not run the command. Remove the server, or install its dependencies yourself from a source that you have checked.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The text pipes a download or decoded text into an interpreter, or installs a package from an IP address, and is neither a warning nor an example of what a tool examines. Installation guides are a known source of false positives, so a finding in a result is rated medium, or high if the text is short or addresses the reader.",
	Refs:       []string{"OWASP-MCP:MCP05", "OWASP-LLM:LLM05", "ATLAS:AML.T0050", "CWE-494"},
	Patterns: []scanner.Pattern{
		{
			Name:    "pipe_to_shell",
			Expr:    clause.PipeToShell,
			Anchors: []string{"curl", "wget", "iwr", "irm ", "invoke-webrequest", "invoke-restmethod"},
		},
		{
			Name:    "decode_to_shell",
			Expr:    `\bbase64\s+(-d|--decode)[^\n|]{0,80}\|\s*(sudo\s+)?(ba|z)?(sh|python[0-9.]*)\b|\bdecode\s+(the\s+|this\s+)?(\w+\s+){0,3}base64\s+(\w+\s+){0,3}and\s+(execute|run)\b`,
			Anchors: []string{"base64"},
		},
		{
			Name:    "powershell_download",
			Expr:    `\biex\s*\(?\s*(\(?new-object|\(?irm|\(?iwr)|\.downloadstring\(\s*["']https?://|\bpowershell(\.exe)?\s+(-\w+\s+(\w+\s+)?)*-e(nc|ncodedcommand)?\s+[a-z0-9+/=]{16,}`,
			Anchors: []string{"iex", "downloadstring", "powershell"},
		},
		{
			Name:    "install_from_address",
			Expr:    `\b(pip3?|npm|npx|uvx?)\s+(install\s+)?(-\S+\s+)*(git\+)?https?://\d`,
			Anchors: []string{"pip install", "pip3 install", "npm install", "npx ", "uvx "},
		},
	},
	Definition: sense.Check(sense.FetchesAndRuns.Except(clause.ShowsSpecimen)),
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			if clause.CommandNegatedOrQuoted(p.Folded, m.Start, m.End) {
				continue
			}
			severity := scanner.Critical
			if clause.IsResult(p) {
				from, to := clause.Around(p.Folded, m.Start, m.End)
				severity = scanner.Medium
				if clause.AddressesReader(p.Folded[from:to]) || len(p.Folded) <= shortText {
					severity = clause.InData(p, m.Start, m.End, scanner.High)
				}
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity,
				Message: "downloads or decodes code and runs it",
				Signals: []string{"a download or a decoder", "an interpreter that receives the output"}})
		}
	},
}
