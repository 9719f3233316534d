package scanner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestCapabilities checks the capabilities that names, parameters and hints imply: p for private
// data, u for untrusted content, o for an external sink.
func TestCapabilities(t *testing.T) {
	for tool, want := range map[string]string{
		`{"name":"read_file"}`:                "p",
		`{"name":"readFile"}`:                 "p",
		`{"name":"write_file"}`:               "",
		`{"name":"get_file_info"}`:            "",
		`{"name":"list_directory"}`:           "",
		`{"name":"directory_tree"}`:           "p",
		`{"name":"run_sql"}`:                  "p",
		`{"name":"chat_send_message"}`:        "o",
		`{"name":"chat_get_channel_history"}`: "pu",
		`{"name":"messages_list"}`:            "pu",
		`{"name":"list_message_templates"}`:   "",
		`{"name":"listIssues"}`:               "u",
		`{"name":"create_issue"}`:             "o",
		`{"name":"delete_issue"}`:             "",
		`{"name":"create_event"}`:             "",
		`{"name":"upload"}`:                   "o",
		`{"name":"news_search"}`:              "u",
		`{"name":"run_shell_command"}`:        "po",
		`{"name":"exec_in_pod"}`:              "po",
		`{"name":"start_process"}`:            "po",
		`{"name":"start_pod"}`:                "",
		`{"name":"start_email_campaign"}`:     "",
		`{"name":"bash"}`:                     "po",
		`{"name":"list_processes"}`:           "",
		`{"name":"fetch"}`:                    "uo",
		`{"name":"open_page","inputSchema":{"properties":{"url":{"type":"string"}}}}`:                                 "uo",
		`{"name":"git_fetch","inputSchema":{"properties":{"remote":{"type":"string"}}}}`:                              "",
		`{"name":"search","description":"Searches the web."}`:                                                         "u",
		`{"name":"search","description":"Searches your notes."}`:                                                      "p",
		`{"name":"list_issues","annotations":{"openWorldHint":false}}`:                                                "",
		`{"name":"read_file","annotations":{"openWorldHint":false}}`:                                                  "p",
		`{"name":"post_message","annotations":{"readOnlyHint":true}}`:                                                 "",
		`{"name":"fetch","annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"url":{"type":"string"}}}}`: "uo",
		`{"name":"plan_steps"}`: "",
		`{"name":""}`:           "",
	} {
		e, err := scanner.New(nil, scanner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := e.NewInspector().Inspect(&scanner.Event{Kind: scanner.DefinitionEvent, Frame: []byte(`{"tools":[` + tool + `]}`)})
		var got []byte
		for c, letter := range "puo" {
			if f.Messages[0].Definitions[0].Can.Has(capability.Capability(c)) {
				got = append(got, byte(letter))
			}
		}
		if string(got) != want {
			t.Errorf("%s: got %q, want %q", tool, got, want)
		}
	}
}

// TestNear checks which tools on other servers have names that are one edit away from a name.
func TestNear(t *testing.T) {
	var got []string
	rule := markerRule()
	rule.Text, rule.Patterns = nil, nil
	rule.Judge = func(p *scanner.JudgePass) {
		for _, k := range p.Session.Near("send_mail", "c") {
			got = append(got, k.Server+"/"+k.Definition.Name)
		}
	}
	list := func(server, names string) *scanner.Event {
		var tools []string
		for _, n := range strings.Fields(names) {
			tools = append(tools, fmt.Sprintf(`{"name":%q}`, n))
		}
		e := frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+strings.Join(tools, ",")+`]}}`)
		e.Server = server
		return e
	}
	run(t, []scanner.Rule{rule}, list("a", "send_mail sendMial send-mails send_mile"), list("b", "send_mai sendmall SEND_MAIL"), list("c", "send_maul"), list("d", "x"))
	want := []string{"a/sendMial", "a/send-mails", "b/send_mai", "b/sendmall"}
	if !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("got %q, want %q at the end", got, want)
	}
}
