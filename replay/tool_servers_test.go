package replay

import (
	"testing"

	"github.com/mcpscan/mcpscan/internal/llm"
)

// TestAttribution checks which server a tool name is attributed to, based on client naming
// conventions and the known servers.
func TestAttribution(t *testing.T) {
	g := newRegistry(map[string][]string{
		"github": {"get_issue"}, "my server": nil, "a": {"b__c"}, "a__b": {"c", "d"}, "mail": nil, "mail_room": {"send_letter"},
		"left": {"shared"}, "right": {"shared", "own"}, "x-y": {"z"}, "": {"nameless"}, "Microsoft/playwright-mcp": nil,
	})
	for _, tt := range []struct {
		item         llm.Item
		server, tool string
	}{
		{llm.Item{Name: "mcp__github__get_issue"}, "github", "get_issue"},
		{llm.Item{Name: "mcp__new__get__it"}, "new", "get__it"},           // nothing is known, so it splits at the first separator
		{llm.Item{Name: "mcp__a__b__c"}, "a__b", "c"},                     // both servers have the tool, so the longer name counts
		{llm.Item{Name: "mcp__a__b__d"}, "a__b", "d"},                     // only this server has the tool
		{llm.Item{Name: "mcp__a__x"}, "a", "x"},                           // a known server
		{llm.Item{Name: "mcp__my_server__run"}, "my server", "run"},       // the name as clients write it
		{llm.Item{Name: "mcp__plugin_office_mail__send"}, "mail", "send"}, // a plugin's server
		{llm.Item{Name: "mcp__plugin:office:mail__send"}, "mail", "send"},
		{llm.Item{Name: "mcp__plugin_office_fax__send"}, "plugin_office_fax", "send"},
		{llm.Item{Name: "mcp____x"}, "client", "mcp____x"},
		{llm.Item{Name: "mcp__only"}, "client", "mcp__only"},
		{llm.Item{Name: "mcp_mail_room_send_letter", Style: llm.Underlined}, "mail_room", "send_letter"},
		{llm.Item{Name: "mcp_mail_send", Style: llm.Underlined}, "mail", "send"},
		{llm.Item{Name: "mcp_new_send_it", Style: llm.Underlined}, "new", "send_it"},
		{llm.Item{Name: "new__send", Style: llm.Underlined}, "new", "send"},
		{llm.Item{Name: "mcp_new_send_it"}, "client", "mcp_new_send_it"},
		{llm.Item{Name: "github_get_issue"}, "github", "get_issue"},           // opencode
		{llm.Item{Name: "x-y-z"}, "x-y", "z"},                                 // LiteLLM
		{llm.Item{Name: "mail_room-send_letter"}, "mail_room", "send_letter"}, // not mail, although _ comes first
		{llm.Item{Name: "x-y_run"}, "client", "x-y_run"},                      // a known server that does not have the tool
		{llm.Item{Name: "my_server-run"}, "my server", "run"},
		{llm.Item{Name: "own"}, "right", "own"},        // a tool that one server has
		{llm.Item{Name: "shared"}, "client", "shared"}, // a tool that two servers have
		{llm.Item{Name: "Bash"}, "client", "Bash"},
		{llm.Item{Name: "nameless"}, "client", "nameless"}, // a lockfile may contain a server without a name
		{llm.Item{Name: "", Server: "wiki"}, "wiki", ""},
		{llm.Item{Name: "read", Server: "wiki"}, "wiki", "read"},
		{llm.Item{Name: "mcp__wiki__read", Server: "wiki"}, "wiki", "read"},
		{llm.Item{Name: "mcp_my_server_run", Server: "my server"}, "my server", "run"},
		{llm.Item{Name: "mcp_microsoft_pla_click_it", Style: llm.Underlined}, "Microsoft/playwright-mcp", "click_it"}, // VS Code
		{llm.Item{Name: "mcp_post_office_track", Server: "Post Office", Style: llm.Underlined}, "Post Office", "track"},
		{llm.Item{Name: "mcp__microsoft_pla__click"}, "microsoft_pla", "click"},
		{llm.Item{Name: "send_email", Suite: true}, "mail", "send_email"},
		{llm.Item{Name: "send_email"}, "client", "send_email"},
	} {
		if server, tool := g.of(&tt.item); server != tt.server || tool != tt.tool {
			t.Errorf("%+v: %q of %q, want %q of %q", tt.item.Name, tool, server, tt.tool, tt.server)
		}
	}
}
