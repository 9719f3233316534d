package declaration

import (
	"bytes"
	"math"
	"strconv"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var OutputMismatch = scanner.Rule{
	ID:         "sch-output-mismatch",
	Category:   scanner.OutputPoisoning,
	Title:      "A structured result contradicts the tool's schema or its own text",
	Why:        "One client gives the model the text of a result; another gives it the structured content. If the two differ, the model acts on something other than what was reviewed or logged.",
	Fix:        "Return the same value in both forms, and make it conform to outputSchema. Make the client reject results that do not conform.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "One result gives two values for the same name, or violates the server's own schema. The contradiction is certain; the intent is not. Text that is not JSON, or omits part of the structured result, is not a contradiction. Numbers may be rounded.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM05", "CWE-345"},
	Message: func(p *scanner.MessagePass) {
		result := p.Doc.Get(p.Root, "result")
		compareForms(p, result)
		compareForms(p, p.Doc.Get(result, "result")) // the result of a call that runs as a task
	},
	On: mcp.OnResponse,
	Judge: func(p *scanner.JudgePass) {
		if p.Request == nil || p.Request.Method != "tools/call" && p.Request.Method != "tasks/get" {
			return
		}
		known := p.Server.Tools[p.Request.Target]
		if known == nil || known.Definition.Output == nil || p.Server.Relisted[p.Request.Target] {
			return
		}
		for i := range p.Message.Structured {
			content := &p.Message.Structured[i]
			if pointer, evidence, message := jsonschema.Violation(known.Definition.Output, content.JSON); message != "" {
				p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: mcp.ResultSubject, Name: p.Request.Target,
					Pointer: content.Pointer + pointer, Message: message, Evidence: evidence, Key: message, Offset: content.Offset,
					Related: []scanner.Related{{Message: "the schema that the server listed", Location: known.Location()}}})
			}
		}
	},
}

// compareForms compares the text of a result with its structured content.
func compareForms(p *scanner.MessagePass, result int) {
	structured := p.Doc.Get(result, "structuredContent")
	content := p.Doc.Get(result, "content")
	if p.Doc.Kind(structured) < wire.Array || p.Doc.Kind(content) != wire.Array {
		return
	}
	for c := p.Doc.First(content); c >= 0 && !p.Full(); c = p.Doc.Next(c) {
		text := p.Doc.Get(c, "text")
		if p.Doc.Kind(text) != wire.String {
			continue
		}
		var buf []byte
		said := &views{structured: p.Doc}
		if t := p.Doc.Text(text, &buf); !clause.IsJSON(t) || said.text.Parse(t) != nil {
			continue
		}
		if at := said.differ(0, said.wrapped(structured)); at >= 0 {
			p.Report(at, false, scanner.Medium, "the text of the result contains a different value at this location")
		}
	}
}

// views are the two forms of one result: its text, parsed as JSON, and its structured content.
type views struct {
	text       wire.Doc
	structured *wire.Doc
}

// wrapped returns the part of the structured content that corresponds to the text: its only member
// if the server wrapped the value in an object, otherwise all of it.
func (v *views) wrapped(structured int) int {
	first := v.structured.First(structured)
	if v.structured.Kind(structured) == wire.Object && v.structured.Nodes[structured].Len == 1 &&
		v.structured.Kind(first) == v.text.Kind(0) && v.text.Get(0, v.structured.KeyString(first)) < 0 {
		return first
	}
	return structured
}

// differ returns the first node of the structured content under s whose value differs from the
// text's, or -1 if there is none. A value missing from one of the two forms is not a difference.
func (v *views) differ(t, s int) int {
	switch v.text.Kind(t) {
	case wire.Object:
		if v.structured.Kind(s) != wire.Object {
			return -1
		}
		own := jsonschema.Members(v.structured, s)
		for c := v.text.First(t); c >= 0; c = v.text.Next(c) {
			if other, ok := own[v.text.KeyString(c)]; ok {
				if at := v.differ(c, other); at >= 0 {
					return at
				}
			}
		}
	case wire.Array:
		if v.structured.Kind(s) != wire.Array || v.text.Nodes[t].Len != v.structured.Nodes[s].Len {
			return -1
		}
		for c, d := v.text.First(t), v.structured.First(s); c >= 0; c, d = v.text.Next(c), v.structured.Next(d) {
			if at := v.differ(c, d); at >= 0 {
				return at
			}
		}
	default:
		if !v.same(t, s) {
			return s
		}
	}
	return -1
}

// same compares two values; the first one has no children. Values of different types count as
// equal, because they may represent the same value, such as null and an empty string.
func (v *views) same(t, s int) bool {
	if v.text.Kind(t) != v.structured.Kind(s) {
		return true
	}
	a, b := v.text.AppendCanonical(nil, t), v.structured.AppendCanonical(nil, s)
	if v.text.Kind(t) != wire.Number || bytes.Equal(a, b) {
		return bytes.Equal(a, b)
	}
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= rounded*max(math.Abs(x), math.Abs(y))
}

// rounded is the maximum difference between numbers that count as equal, as a share of
// the larger one.
const rounded = 0.01
