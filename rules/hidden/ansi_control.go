package hidden

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var AnsiControl = scanner.Rule{
	ID:         "hid-ansi-control",
	Category:   "hidden_instructions",
	Title:      "Text contains terminal control characters",
	Why:        "Escape sequences, backspaces and carriage returns can hide or overwrite text on a terminal, so that the model reads text that the approver cannot see.",
	Fix:        "Make the control characters visible and read the text. Remove them from definitions, and remove the server if they hid anything.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Tool documentation needs no control characters. A result can be the output of a program: in results, colours and overstriking are not reported, progress bars are reported as a note, and only hidden text and writing to the clipboard are rated medium.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0068", "CWE-150", "CWE-451"},
	Unusual:    reportControls,
}

// effect is what a control sequence does to the displayed text.
type effect struct {
	result  scanner.Severity // severity in a result
	quiet   bool             // not reported in a result, because ordinary programs often print it
	message string
}

var (
	styleEffect     = &effect{scanner.Note, true, "the text contains terminal codes for colours or styles"}
	controlEffect   = &effect{scanner.Note, false, "the text contains control characters that no terminal displays"}
	overwriteEffect = &effect{scanner.Note, false, "part of the text is overwritten on a terminal"}
	moveEffect      = &effect{scanner.Low, false, "the text contains terminal codes that move the cursor, erase, or change the terminal"}
	commandEffect   = &effect{scanner.Low, false, "the text contains a terminal command, such as a link with a hidden target"}
	clipboardEffect = &effect{scanner.Medium, false, "the text contains a terminal command that replaces the clipboard"}
	swallowEffect   = &effect{scanner.Medium, false, "part of the text is not shown on a terminal"}
	concealEffect   = &effect{scanner.Medium, false, "the text contains terminal codes that make text invisible"}
)

// reportControls reports the first occurrence of the most severe effect.
func reportControls(p *scanner.TextPass) {
	var worst *effect
	start, end := 0, 0
	for i := 0; i < len(p.Source); {
		if b := p.Source[i]; b >= 0x20 && b != 0x7f && b != 0xC2 { // begins no control character
			i++
			continue
		}
		e, n := effectAt(p.Source, i)
		if e != nil && (worst == nil || worst.quiet && !e.quiet || e.result > worst.result) {
			worst, start, end = e, i, i+n
			if p.Source[i] == '\r' { // the overwritten text is the evidence
				start, end = bytes.LastIndexAny(p.Source[:i], "\r\n")+1, i
			}
		}
		i += n
	}
	reportEffect(worst, p, func(s scanner.Severity) {
		p.ReportSource(scanner.Issue{Start: start, End: end, Severity: s, Message: worst.message})
	})
}

// reportEffect reports e. The severity is High in documentation and in texts on which a person
// bases a decision; in possible program output, it is the effect's severity.
func reportEffect(e *effect, p *scanner.TextPass, report func(scanner.Severity)) {
	switch {
	case e == nil:
	case !clause.IsResult(p) || p.Subject == mcp.ElicitationSubject:
		report(scanner.High)
	case !e.quiet:
		report(e.result)
	}
}

// The control sequences of ECMA-48, introduced by ESC or a C1 character. Windows-1252 text read as
// Latin-1 also contains C1 characters, so sequences that start with one must be complete. A control
// string (such as OSC) ends at the next ESC or C1 character, if not before, which keeps the search
// linear.
var (
	styleSequence    = lazyregexp.New(`^(?:\x1b\[([0-9;:]*)m|\x{9b}([0-9;:]+)m|\x1b\[0?K|\x1b[()][0-9A-B])`) // grep and gcc erase the line after a colour
	colourParameters = lazyregexp.New(`(?:^|;)0*[345]8(?::[0-9:]*|;5;[0-9]*|;2;[0-9]*;[0-9]*;[0-9]*)`)
	concealParameter = lazyregexp.New(`(?:^|;)0*8(?:;|$)`)
	stringSequence   = lazyregexp.New(`^(?:\x1b[PX^_][^\x1b\x{80}-\x{9f}]*|[\x{90}\x{98}\x{9e}\x{9f}][^\x1b\x{80}-\x{9f}]*(?:\x1b\\|\x{9c}))`)
	clipboardCommand = lazyregexp.New(`^(?:\x1b\]|\x{9d})0*52;[^;]*;[^?\x00-\x1f\x{80}-\x{9f}]`) // with "?" instead of data, the command reads the clipboard
	commandSequence  = lazyregexp.New(`^(?:\x1b\]|\x{9d})[0-9]+;[^\x00-\x1f\x{80}-\x{9f}]*`)
	otherSequence    = lazyregexp.New(`^(?:\x1b\[[0-?]*[ -/]*[@-~]|\x{9b}[0-?]+[ -/]*[@-~]|\x1b[ -/]*[0-~])`)
)

// effectAt returns the effect of the text at s[i:], or nil, and its length.
func effectAt(s []byte, i int) (*effect, int) {
	switch b := s[i]; {
	case b == 0x1b, b == 0xC2 && i+1 < len(s) && s[i+1] >= 0x90 && s[i+1] <= 0x9f:
		return sequenceAt(s[i:])
	case b == '\b':
		before, _ := utf8.DecodeLastRune(s[:i])
		behind, _ := utf8.DecodeRune(s[i+1:])
		if before != '\b' && (before == behind || before == '_' && behind != '\b') { // bold or underlined text in nroff output
			return nil, 1
		}
		return overwriteEffect, 1
	case b == '\r' && i > 0 && i+1 < len(s) && s[i-1] != '\n' && s[i-1] != '\r' && s[i+1] != '\n' && s[i+1] != '\r':
		return overwriteEffect, 1
	case b == 0x7f, b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f':
		return controlEffect, 1
	}
	return nil, 1
}

func sequenceAt(s []byte) (*effect, int) {
	if m := styleSequence.FindSubmatch(s); m != nil {
		if concealParameter.Match(colourParameters.ReplaceAll(m[1], nil)) || concealParameter.Match(colourParameters.ReplaceAll(m[2], nil)) {
			return concealEffect, len(m[0])
		}
		return styleEffect, len(m[0])
	}
	for _, known := range [...]struct {
		form *lazyregexp.Regexp
		e    *effect
	}{{stringSequence, swallowEffect}, {clipboardCommand, clipboardEffect}, {commandSequence, commandEffect}, {otherSequence, moveEffect}} {
		if m := known.form.FindIndex(s); m != nil {
			return known.e, m[1]
		}
	}
	if s[0] == 0x1b {
		return controlEffect, 1
	}
	return nil, 2
}
