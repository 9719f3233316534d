package rules

import (
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// reports are the audit events that say by themselves that something was wrong.
var reports = map[string]string{
	"mcp_detection":              "another engine reported a detection",
	"mcp_cross_server_blocked":   "another engine blocked a flow between servers",
	"mcp_server_name_similarity": "another engine reported a server name that imitates another",
	"mcp_server_binary_mismatch": "another engine reported that a server's executable changed",
	"mcp_output_inspection":      "another engine reported a detection in a result",
	"mcp_tool_result_inspected":  "another engine reported a detection in a result",
	"mcp_tool_seen":              "another engine reported a detection in a definition",
}

var audReported = scanner.Rule{
	ID:         "aud-reported",
	Category:   "audit",
	Title:      "Another engine reported this",
	Why:        "An audit log holds decisions of the engine that wrote it. They are evidence, even where the message itself was not recorded.",
	Fix:        "Follow the report in the system that made it; replay the raw messages, if they were kept, for a judgement of our own.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The severity is the one that the other engine gave, and medium where it gave none.",
	Refs:       []string{"OWASP-MCP:MCP08", "CWE-778"},
	Message: func(p *scanner.MessagePass) {
		message, ok := reports[p.Message.Method]
		if !ok || p.Message.Kind != scanner.Audit {
			return
		}
		doc, root := p.Doc, p.Root
		detections := doc.Get(root, "detections")
		if detections < 0 {
			detections = doc.Get(doc.Get(root, "fields"), "detections")
		}
		if strings.HasSuffix(message, "result") || strings.HasSuffix(message, "definition") {
			if doc.First(detections) < 0 {
				return
			}
		}
		p.Report(root, false, reportedSeverity(p), message)
	},
}

func reportedSeverity(p *scanner.MessagePass) scanner.Severity {
	severity := scanner.Medium
	detection := p.Doc.Get(p.Root, "detection")
	nested, _ := p.Doc.Str(detection, "severity")
	for _, name := range []string{scanner.AuditField(p.Doc, p.Root, "severity"), scanner.AuditField(p.Doc, p.Root, "max_severity"), nested} {
		var s scanner.Severity
		if name != "" && s.UnmarshalText([]byte(strings.ToLower(name))) == nil {
			severity = s
		}
	}
	return severity
}
