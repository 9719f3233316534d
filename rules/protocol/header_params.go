package protocol

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// contradictions returns findings about headers of a call that contradict its arguments. The input
// schema of the tool declares these headers (x-mcp-header). A missing header is not a contradiction.
func contradictions(p *scanner.JudgePass, head *mcp.HTTPHead) (issues []scanner.JudgeIssue) {
	m := p.Message
	known := p.Server.Tools[m.Target]
	if len(head.Params) == 0 || m.Method != "tools/call" || known == nil || known.Definition.Foreign {
		return nil
	}
	report := func(name, pointer, evidence string, at int, format string, args ...any) {
		issues = append(issues, scanner.JudgeIssue{Severity: scanner.High, Subject: mcp.MessageSubject, Pointer: "/params" + pointer, Offset: at,
			Message:  "the header " + text.QuoteName("Mcp-Param-"+name) + fmt.Sprintf(format, args...),
			Evidence: evidence, Key: "Mcp-Param-" + strings.ToLower(name), Related: []scanner.Related{{Message: "the tool as its server listed it", Location: known.Location()}}})
	}
	headers := jsonschema.Headers(known.Definition.Input)
	if len(headers) > 0 && (len(head.Params) == mcp.MaxHeadParams || m.Partial) {
		report("*", "", "", m.Offset, " cannot be compared with the body: there are too many headers or arguments")
		return issues
	}
	for _, h := range headers {
		for _, sent := range head.Params {
			if sent.Name != strings.ToLower(h.Name) {
				continue
			}
			found := false
			for i := range m.Arguments {
				a := &m.Arguments[i]
				if a.Pointer != "/arguments"+h.Pointer {
					continue
				}
				if found = true; !sameValue(sent.Value, a.Text) {
					report(h.Name, a.Pointer, a.Text, a.Offset, " is %s, but the body has %s", text.QuoteName(mcp.HeadText(sent.Value)), text.QuoteName(a.Text))
				}
			}
			if !found {
				report(h.Name, "", sent.Value, m.Offset, " is %s, but the body has no such argument", text.QuoteName(mcp.HeadText(sent.Value)))
			}
		}
	}
	return issues
}

// sameValue reports whether a header has the value of an argument. It treats 1.0 as equal to 1.
// If the recording truncated the header, it compares only the recorded part.
func sameValue(header, argument string) bool {
	value := mcp.HeadText(header)
	if len(header) == mcp.HeadBytes {
		return strings.HasPrefix(argument, value)
	}
	return value == argument || whole(value) == whole(argument)
}

// whole removes a zero fraction from a number, so that 1.0 equals 1, and returns anything else
// unchanged.
func whole(s string) string {
	digits, zeros, ok := strings.Cut(s, ".")
	if ok && digits != "" && strings.Trim(digits, "-0123456789") == "" && zeros != "" && strings.Trim(zeros, "0") == "" {
		return digits
	}
	return s
}
