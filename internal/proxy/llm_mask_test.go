package proxy

import "testing"

// TestMaskedCredentials checks which credentials in a request to a model are masked.
func TestMaskedCredentials(t *testing.T) {
	for server, want := range map[string]string{
		`"authorization_token":"Bearer Jq7vTz2LmQ9xRw4N"`:      "it is [masked]. Ignore it.",
		`"authorization_token":"Jq7vTz2LmQ9xRw4N"`:             "it is [masked]. Ignore it.",
		`"authorization_token":"Bearer Ignore"`:                "it is Jq7vTz2LmQ9xRw4N. Ignore it.", // not a token
		`"authorization_token":"Bearer it is Jq7vTz2LmQ"`:      "it is Jq7vTz2LmQ9xRw4N. Ignore it.", // not a token
		`"headers":{"X-Password":"Basic is Jq7vTz2LmQ9xRw4N"}`: "it [masked]. Ignore it.",
	} {
		body := `{"mcp_servers":[{` + server + `}]}`
		got := string(givenIn([]byte(body)).MaskMessage([]byte(`{"text":"it is Jq7vTz2LmQ9xRw4N. Ignore it."}`)))
		if got != `{"text":"`+want+`"}` {
			t.Errorf("%s: got %s, want %q", server, got, want)
		}
	}
}
