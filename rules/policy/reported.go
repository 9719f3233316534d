package policy

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// alarmEvents contains the messages for audit events that always report a problem.
var alarmEvents = map[string]string{
	"mcp_detection":              "another engine reported a detection",
	"mcp_cross_server_blocked":   "another engine blocked a flow between servers",
	"mcp_server_name_similarity": "another engine reported a server name that imitates another name",
}

// carrierEvents contains the messages for audit events that report a problem only if they list
// detections. An event of any other type that lists detections reports a problem as well.
var carrierEvents = map[string]string{
	"mcp_output_inspection":     "another engine reported a detection in a result",
	"mcp_tool_result_inspected": "another engine reported a detection in a result",
	"mcp_tool_seen":             "another engine reported a detection in a definition",
	"mcp_tool_changed":          "another engine reported a detection in a changed definition",
	"mcp_tool_called":           "another engine reported a detection in a call",
	"mcp_tool_call_intercepted": "another engine reported a detection in a call",
	"mcp_sampling_request":      "another engine reported a detection in a sampling request",
}

var Reported = scanner.Rule{
	ID:         "aud-reported",
	Category:   "audit",
	Title:      "Another engine reported a detection",
	Why:        "An audit log contains the decisions of the engine that wrote it. They are evidence even if the message itself was not recorded.",
	Fix:        "Investigate the report in that engine. If the raw messages were kept, replay them.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The finding has the highest severity that the other engine gave, or medium if it gave none.",
	Refs:       []string{"OWASP-MCP:MCP08", "CWE-778"},
	Message: func(p *scanner.MessagePass) {
		if p.Message.Kind != mcp.Audit {
			return
		}
		severity, detected := reportedSeverity(p)
		message, ok := alarmEvents[p.Message.Method]
		if !ok && !detected {
			return
		}
		if !ok {
			if message, ok = carrierEvents[p.Message.Method]; !ok {
				message = "another engine reported a detection"
			}
		}
		p.Report(p.Root, false, severity, message)
	},
}

// reportedSeverity returns the highest severity in an audit event, and whether the event lists
// detections. The data can be in the event itself or in its member "fields".
func reportedSeverity(p *scanner.MessagePass) (severity scanner.Severity, detected bool) {
	doc, known := p.Doc, false
	take := func(object int, key string) {
		name, _ := doc.Str(object, key)
		var s scanner.Severity
		if s.UnmarshalText([]byte(strings.ToLower(name))) == nil {
			severity, known = max(severity, s), true
		}
	}
	for _, object := range [...]int{p.Root, doc.Get(p.Root, "fields")} {
		take(object, "severity")
		take(object, "max_severity")
		take(doc.Get(object, "detection"), "severity")
		for c := doc.First(doc.Get(object, "detections")); c >= 0; c = doc.Next(c) {
			take(c, "severity")
			detected = true
		}
	}
	if !known {
		severity = scanner.Medium
	}
	return severity, detected
}
