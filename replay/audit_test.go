package replay

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// auditCases contains, for each type of event, the members of the flat shape, the
// fields of agentsh's envelope, and the direction.
var auditCases = map[string]struct{ direction, flat, fields string }{
	"mcp_tool_seen":                {"<", `"server_id":"fs","server_type":"stdio","tool_name":"read","tool_hash":"ab","status":"new"`, `"tool_hash":"ab","status":"new"`},
	"mcp_tool_changed":             {"<", `"server_id":"fs","tool_name":"read","previous_hash":"a","new_hash":"b","changes":[{"field":"description","previous":"x","new":"y"}]`, `"previous_hash":"a","new_hash":"b"`},
	"mcp_tool_called":              {">", `"server_id":"fs","tool_name":"read","jsonrpc_id":1,"input":{"path":"/"}`, `"jsonrpc_id":1`},
	"mcp_tool_call_intercepted":    {">", `"request_id":"r","dialect":"anthropic","tool_name":"read","tool_call_id":"c","input":{},"server_id":"fs","server_type":"stdio","action":"block"`, `"request_id":"r","dialect":"anthropic","tool_name":"read","tool_call_id":"c","server_id":"fs","server_type":"stdio","server_addr":"","tool_hash":"","action":"block","reason":"no"`},
	"mcp_cross_server_blocked":     {"<", `"rule":"read_then_send","severity":"critical","blocked_server_id":"fs","blocked_tool_name":"send","related_calls":[],"reason":"x"`, `"rule":"read_then_send","severity":"critical","blocked_server_id":"fs","blocked_tool_name":"send","reason":"x","related_calls":[]`},
	"mcp_network_connection":       {"<", `"server_id":"fs","server_addr":"127.0.0.1:1","protocol":"tcp"`, `"server_id":"fs"`},
	"mcp_detection":                {"<", `"server_id":"fs","tool_name":"read","detection":{"pattern":"p"},"action":"alert"`, `"detection":{"pattern":"p"}`},
	"mcp_server_name_similarity":   {"<", `"new_server_id":"fs","similar_server_id":"fs2","similarity_score":0.9,"severity":"warning"`, `"new_server_id":"fs","similar_server_id":"fs2"`},
	"mcp_output_inspection":        {"<", `"server_id":"fs","tool_name":"read","action":"block","detections":[]`, `"detections":[]`},
	"mcp_tool_result_inspected":    {"<", `"server_id":"fs","tool_name":"read","jsonrpc_id":1,"content_length":9,"action":"allow"`, `"content_length":9`},
	"mcp_server_binary_mismatch":   {"<", `"server_id":"fs","pinned_hash":"a","current_hash":"b","binary_path":"/x","action":"alert"`, `"pinned_hash":"a","current_hash":"b"`},
	"mcp_server_binary_not_pinned": {"<", `"server_id":"fs","binary_hash":"a","binary_path":"/x","action":"alert"`, `"binary_hash":"a"`},
	"mcp_server_env_filtered":      {"<", `"server_id":"fs","stripped_vars":["A"],"passed_count":2`, `"stripped_vars":["A"]`},
	"mcp_tools_list_changed":       {"<", `"server_id":"fs"`, `"server_id":"fs"`},
	"mcp_approval":                 {"<", `"server_id":"fs","tool_name":"read","jsonrpc_id":1,"description":"tools/call","action":"allow","reason":"mcpscan held"`, `"action":"allow"`},
	"mcp_sampling_request":         {"<", `"server_id":"fs","max_tokens":5,"message_count":1,"action":"alert"`, `"max_tokens":5`},
}

func TestAuditEvents(t *testing.T) {
	if !slices.Equal(slices.Sorted(maps.Keys(auditCases)), slices.Sorted(maps.Keys(auditTypes))) {
		t.Fatal("the cases of this test are not the types that are read")
	}
	for kind, tt := range auditCases {
		t.Run(kind, func(t *testing.T) {
			flat := fmt.Sprintf(`{"type":%q,"timestamp":"2026-01-06T10:30:00.5Z","session_id":"s1",%s}`, kind, tt.flat)
			envelope := fmt.Sprintf(`{"id":"e1","timestamp":"2026-01-06T10:30:00.5Z","type":%q,"session_id":"s1","source":"llm_proxy","policy":{"decision":"deny","rule":"mcp-block"},"path":"read","domain":"fs","effective_action":"blocked","fields":{%s},"integrity":{"format_version":2,"sequence":1}}`, kind, tt.fields)
			bare := fmt.Sprintf(`{"type":%q,%s}`, kind, tt.flat)
			in := flat + "\n" + envelope + "\n" + bare
			events := read(t, "audit.jsonl", in)
			for i := range events {
				events[i].Transport = "" // some types have no transport
			}
			head := "! audit=" + kind + " " + tt.direction
			diff(t, events, "1"+head+" s1/fs/- 2026-01-06T10:30:00.5Z "+flat,
				"2"+head+" s1/fs/- 2026-01-06T10:30:00.5Z "+envelope, "3"+head+" audit/fs/- - "+bare)
		})
	}
}

// TestAuditReference checks that the members have the names of agentsh's event reference as well.
func TestAuditReference(t *testing.T) {
	in := `{"type":"mcp_server_name_similarity","session_id":"s1","serverID":"fs","similarTo":"fs2","score":0.9}`
	diff(t, read(t, "audit.jsonl", in), "1! audit=mcp_server_name_similarity < s1/fs/- - "+in)
}

func TestAuditTransport(t *testing.T) {
	events := read(t, "a", `{"type":"mcp_tool_seen","server_id":"fs","server_type":"sse"}`)
	if len(events) != 1 || events[0].Transport != "sse" {
		t.Errorf("got %s", shown(events))
	}
}
