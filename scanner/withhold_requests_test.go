package scanner_test

import (
	"fmt"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestReadsOfWithheldTemplates checks that a read is refused if a withheld template yields its URI, unless
// the server lists the resource itself.
func TestReadsOfWithheldTemplates(t *testing.T) {
	live := pinning(t, blocking()).Live()
	says := func(kind, list string) {
		live.Step(frame(1, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"`+kind+`":[`+list+`]}}`))
	}
	poisoned := `{"uriTemplate":"%s","name":"t","description":"zqmarker"}`
	says("resourceTemplates", fmt.Sprintf(poisoned, "x://notes/{id}")+`,`+fmt.Sprintf(poisoned, "y://{+path}/a b{.format}{?q*}")+`,`+fmt.Sprintf(poisoned, "z://plain")+
		`,{"uriTemplate":"w://{id}","name":"t"}`)
	says("resources", `{"uri":"x://notes/listed","name":"n"}`)
	for uri, refused := range map[string]bool{
		"x://notes/1": true, "X://Notes/a/b": true, "%78://notes/1": true, "%78://notes/100%": true, "x://notes/": true, "x://notes/listed": false, "x://note/1": false,
		"y://p/q/a%20b.txt?q=1": true, "y:///a b": true, "y://a b": false, "z://plain": true, "z://plain/1": false, "w://1": false, "": false,
	} {
		for _, method := range []string{"resources/read", "resources/subscribe"} {
			out := live.Step(frame(2, mcp.ClientToServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%q,"params":{"uri":%q}}`, method, uri)))
			if d := out.Decision; (d.Verdict == scanner.Block) != refused || refused && d.Rule != "tst-marker" {
				t.Errorf("%s of %q: %+v", method, uri, d)
			}
		}
	}
}

// TestUnlistedPrompts checks that a prompt that nobody has approved cannot be fetched before it is listed,
// if only approved definitions are trusted.
func TestUnlistedPrompts(t *testing.T) {
	trusting := scanner.Options{Pinning: &scanner.Pinning{OnChange: scanner.Block}}
	reviewed := scanner.Options{Pinning: &scanner.Pinning{OnChange: scanner.Block, Reviewed: true}}
	list := func() *scanner.Event {
		return frame(1, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"approved"}]}}`)
	}
	s := scanner.NewSnapshot()
	e := pinning(t, reviewed)
	if _, err := e.Keeping().Run(t.Context(), replay.Events([]*scanner.Event{list()}), s); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		engine  *scanner.Engine
		name    string
		refused bool
	}{{e.Against(s, nil), "approved", false}, {e.Against(s, nil), "other", true}, {e, "other", true}, {pinning(t, trusting), "other", false}} {
		fetch := func() *scanner.Event {
			return frame(2, mcp.ClientToServer, `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"`+c.name+`"}}`)
		}
		live := c.engine.Live()
		d := live.Step(fetch()).Decision
		if (d.Verdict == scanner.Block) != c.refused || c.refused && d.Reason != `nobody has approved the prompt "other" of server "srv"` {
			t.Errorf("%d: %+v", i, d)
		}
		live.Step(list())
		if again := live.Step(fetch()).Decision; again != d {
			t.Errorf("%d: %+v after a list, %+v before", i, again, d)
		}
	}
}

// TestRequestsByAnyName checks that a request for a withheld tool is refused if any parser may read its
// name in the request.
func TestRequestsByAnyName(t *testing.T) {
	many := ""
	for i := range 12 {
		many += fmt.Sprintf(`"name":"n%d",`, i)
	}
	for request, refused := range map[string]bool{
		`"method":"tools/call","params":{"name":"ok"}`:                                   false,
		`"method":"tools/call","params":{"name":"bad"}`:                                  true,
		`"method":"tools/call","params":{"name":"bad","name":"ok"}`:                      true,
		`"method":"tools/call","params":{"NAME":"bad","name":"ok"}`:                      true,
		`"method":"tools/call","params":{"Name":"bad"}`:                                  true,
		`"method":"tools/call","params":{"name":"bad"},"params":{"name":"ok"}`:           true,
		`"method":"tools/call","Params":{"Name":"bad"},"params":{"name":"ok"}`:           true,
		`"Method":"tools/call","Params":{"Name":"bad"}`:                                  true,
		`"method":"tools/call","params":{"name":"ok","arguments":{"name":"bad"}}`:        false,
		`"method":"tools/call","params":{` + many + `"name":"ok"}`:                       true,
		`"method":"prompts/get","params":{"name":"ok"},"params":{"name":"bad","x":"ok"}`: false,
	} {
		live := pinning(t, blocking()).Live()
		live.Step(listing(1, tool("ok", "Adds."), tool("bad", "Adds. zqmarker")))
		d := live.Step(frame(2, mcp.ClientToServer, `{"jsonrpc":"2.0","id":2,`+request+`}`)).Decision
		if (d.Verdict == scanner.Block) != refused {
			t.Errorf("%s: %+v", request, d)
		}
	}
}
