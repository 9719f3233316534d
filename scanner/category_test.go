package scanner_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// categoryOf returns the category of the tool in a definition.
func categoryOf(t *testing.T, definition string) capability.Category {
	t.Helper()
	e, err := scanner.New(nil, scanner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	facts := e.NewInspector().Inspect(frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+definition+`]}}`))
	if len(facts.Messages) != 1 || len(facts.Messages[0].Definitions) != 1 {
		t.Fatalf("%s: %+v", definition, facts)
	}
	return facts.Messages[0].Definitions[0].Category
}

// TestCategoryOfName covers names of published servers in all naming conventions.
func TestCategoryOfName(t *testing.T) {
	for want, names := range map[capability.Category][]string{
		capability.Read: {"read_file", "getUser", "readFile", "read-file", "READ_FILE", "github_get_file", "fetch", "browser_navigate",
			"search", "list_directory", "mcp__fs__read_text_file", "email_search", "get_post", "list_comments", "notes.search", "API-get-users",
			"browser_snapshot", "resolve-library-id-lookup", "describeTable", "get_forwarding_address", "directory/list", "get_sms"},
		capability.Send: {"send_email", "sendEmail", "slack_send_message", "post_message", "upload_file", "http_post", "http_request", "email_user",
			"s\u0435nd_email", "se\u200bnd_email", "notify", "publish_package", "push_files", "webhook", "mcp__mail__send_email", "forward_message", "reply_to_thread"},
		capability.Write: {"write_file", "create_issue", "edit_file", "updateRecord", "delete_post", "remove_user", "put_object", "insert_row",
			"move_file", "create_post", "set_value"},
		capability.Compute: {"run_query", "execute_command", "exec", "eval_js", "invoke_lambda", "call_function", "convert", "calculateTax", "compute",
			"Bash", "terminal"},
		capability.Unknown: {"sequentialthinking", "drawio", "", "töröl", "the_tool", "step"},
	} {
		for _, name := range names {
			quoted, err := json.Marshal(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := categoryOf(t, `{"name":`+string(quoted)+`}`); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
	}
}

// TestCategoryOfDefinition checks that if the name is inconclusive, the
// description, the parameters and the hints determine the category, in this order.
func TestCategoryOfDefinition(t *testing.T) {
	for _, c := range []struct {
		definition string
		want       capability.Category
	}{
		{`{"name":"gmail","description":"Sends a mail to somebody."}`, capability.Send},
		{`{"name":"kb","description":"Searches the index."}`, capability.Read},
		{`{"name":"kb","description":"Queries the index."}`, capability.Read},
		{`{"name":"kb","description":"A tool to read the index."}`, capability.Read},
		{`{"name":"kb","description":"Knows a lot. Sends mail."}`, capability.Unknown},
		{`{"name":"kb","description":"Sends it.","annotations":{"readOnlyHint":true}}`, capability.Send},
		{`{"name":"send_email","description":"Reads.","annotations":{"readOnlyHint":true}}`, capability.Send},
		{`{"name":"x","inputSchema":{"properties":{"to":{},"body":{}}}}`, capability.Send},
		{`{"name":"x","inputSchema":{"properties":{"path":{},"content":{}}}}`, capability.Write},
		{`{"name":"x","inputSchema":{"properties":{"command":{}}}}`, capability.Compute},
		{`{"name":"x","inputSchema":{"properties":{"url":{}}}}`, capability.Read},
		{`{"name":"x","inputSchema":{"properties":["url"]}}`, capability.Unknown},
		{`{"name":"fetch","inputSchema":{"properties":{"url":{},"body":{}}}}`, capability.Send},
		{`{"name":"search_mail","inputSchema":{"properties":{"to":{},"subject":{}}}}`, capability.Read},
		{`{"name":"x","annotations":{"readOnlyHint":true}}`, capability.Read},
		{`{"name":"x","annotations":{"readOnlyHint":false}}`, capability.Write},
		{`{"name":"x","annotations":{"destructiveHint":true}}`, capability.Write},
		{`{"name":"x","annotations":{"destructiveHint":"true"}}`, capability.Unknown},
	} {
		if got := categoryOf(t, c.definition); got != c.want {
			t.Errorf("%s is %s, want %s", c.definition, got, c.want)
		}
	}
}
