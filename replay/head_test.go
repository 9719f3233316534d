package replay

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestHeads checks that the protocol's header fields reach the events of both sides, and that only
// the presence of credentials is recorded.
func TestHeads(t *testing.T) {
	const (
		request  = `{"name":"MCP-METHOD","value":"tools/call"},{"name":"Mcp-Name","value":"sum"},{"name":"mcp-protocol-version","value":"2026-07-28"},{"name":"authorization","value":"Bearer s3cret"},{"name":"Mcp-Session-Id","value":"theirs"},{"name":"MCP-Param-Region","value":"eu"}`
		response = `{"name":"Mcp-Session-Id","value":"s9"},{"name":"Mcp-Method","value":"none"}`
	)
	want := mcp.HTTPHead{Method: "tools/call", Name: "sum", Version: "2026-07-28", Session: "s9", Authorized: true, Params: []mcp.HeadParam{{Name: "region", Value: "eu"}}}
	want.Field(true, "Mcp-Session-Id", "theirs")
	for name, in := range map[string]string{
		"HAR": archive(exchange(request, post(ping), response, body("application/json", pong))),
		"text": lines(fromClient, postHead, "MCP-METHOD: tools/call", "Mcp-Name:sum", "mcp-protocol-version: 2026-07-28", "authorization: Bearer s3cret", "Mcp-Session-Id: theirs", "mcp-param-REGION: eu", "", ping,
			fromServer, okHead, "Mcp-Session-Id: s9", "Mcp-Method: none", "", pong),
	} {
		src, err := Open("cap", strings.NewReader(in), Options{MaxMessage: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for {
			c, err := src.Next()
			if c != nil {
				c.Events(func(e *scanner.Event) {
					n++
					if e.HTTP == nil || !reflect.DeepEqual(*e.HTTP, want) {
						t.Errorf("%s: %+v", name, e.HTTP)
					}
					if strings.Contains(fmt.Sprintf("%+v", e.HTTP), "s3cret") {
						t.Errorf("%s: the credentials are kept", name)
					}
				})
			}
			if err != nil {
				break
			}
		}
		if n != 2 {
			t.Errorf("%s: %d events", name, n)
		}
	}
}
