package proxy_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestApprovals checks that approvals apply as soon as they change, and that the client is told of
// definitions that are no longer withheld: while there are no messages, once for each list, and only if
// the server declared that it announces changes of that list.
func TestApprovals(t *testing.T) {
	type change struct {
		approvals *scanner.Engine
		err       error
	}
	const all = `"result":{"tools":[{"name":"a"},{"name":"b"}],"prompts":[{"name":"p"}],"resources":[{"uri":"r:1","name":"r"}],"resourceTemplates":[{"uriTemplate":"r:{x}","name":"t"}]}}`
	engine := engineOf(t, scanner.Options{Pinning: &scanner.Pinning{OnChange: scanner.Block, Reviewed: true}})
	approved := scanner.NewSnapshot()
	if _, err := engine.Keeping().Run(t.Context(), replay.Events([]*scanner.Event{{Kind: scanner.FrameEvent, Server: "srv", Direction: mcp.ServerToClient, Frame: []byte(`{"jsonrpc":"2.0","id":1,` + all)}}), approved); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		declared string
		observe  bool
		told     []string
	}{
		"all":     {`"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true}`, false, []string{"prompts", "resources", "tools"}},
		"one":     {`"tools":{"listChanged":false},"prompts":{},"resources":{"listChanged":true}`, false, []string{"resources"}},
		"none":    {`"tools":{"listChanged":"true"}`, false, nil},
		"observe": {`"tools":{"listChanged":true}`, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				changes := make(chan change, 1)
				to := connect(t, engine, func(o *proxy.Options) {
					o.Observe = c.observe
					o.Approvals = func() (*scanner.Engine, error) {
						select {
						case c := <-changes:
							return c.approvals, c.err
						default:
							return nil, nil
						}
					}
				})
				lines := make(chan string, 10)
				go func() {
					defer close(lines)
					for from := bufio.NewScanner(to.fromProxy); from.Scan(); {
						lines <- from.Text()
					}
				}()
				to.ask(`"method":"initialize","params":{}}`, `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":{`+c.declared+`}}}`)
				<-lines
				to.ask(`"method":"tools/list"}`, all)
				if list := <-lines; strings.Contains(list, `"name":"a"`) != c.observe {
					t.Errorf("before: %s", list)
				}
				for _, c := range []change{{err: errors.New("it is \x1b[31mdamaged")}, {approvals: engine.Against(approved, nil)}} {
					changes <- c
					time.Sleep(2 * time.Second)
				}
				synctest.Wait()
				var told []string
				for len(lines) > 0 {
					told = append(told, strings.TrimSuffix(strings.TrimPrefix(<-lines, `{"jsonrpc":"2.0","method":"notifications/`), `/list_changed"}`))
				}
				if slices.Sort(told); !slices.Equal(told, c.told) {
					t.Errorf("the client is told %q, want %q", told, c.told)
				}
				to.ask(`"method":"tools/list"}`, all)
				if list := <-lines; !strings.Contains(list, `"name":"a"`) {
					t.Errorf("after: %s", list)
				}
				if err := to.close(); err != nil {
					t.Error(err)
				}
				if got := strings.Join(to.decided, "\n"); strings.Count(got, "the lockfile changed: ") != 1 || strings.Count(got, `still apply: it is <U+001B>[31mdamaged`) != 1 {
					t.Errorf("decided: %s", got)
				}
			})
		})
	}
}

// TestApprovalsOverHTTP checks that a client with an open event stream is told of definitions that
// are no longer withheld while there are no messages, and only if its server declared that it
// announces them.
func TestApprovalsOverHTTP(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}]}}`
	declares := func(capabilities string) string {
		return `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":` + capabilities + `}}`
	}
	engine := engineOf(t, scanner.Options{Pinning: &scanner.Pinning{OnChange: scanner.Block, Reviewed: true}})
	approved := scanner.NewSnapshot()
	if _, err := engine.Keeping().Run(t.Context(), replay.Events([]*scanner.Event{{Kind: scanner.FrameEvent, Server: "srv", Direction: mcp.ServerToClient, Frame: []byte(list)}}), approved); err != nil {
		t.Fatal(err)
	}
	changes, half := make(chan *scanner.Engine, 1), make(chan string)
	f := inFront(t, engine, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Mcp-Session-Id") == "s":
			w.Header().Set("Content-Type", stream)
			for part := range half {
				_, _ = io.WriteString(w, part)
				_ = http.NewResponseController(w).Flush()
			}
		case r.Method == http.MethodGet:
			say(w, stream, "data: "+roots+"\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case bytes.Contains(body, []byte("listChanged")): // the client's name says what the server declares
			w.Header().Set("Mcp-Session-Id", "s")
			say(w, inJSON, declares(`{"tools":{"listChanged":true}}`))
		case bytes.Contains(body, []byte("initialize")):
			w.Header().Set("Mcp-Session-Id", "other")
			say(w, inJSON, declares(`{"tools":{}}`))
		default:
			say(w, inJSON, list)
		}
	}, func(o *proxy.Options, _ *proxy.Access, _ *proxy.Upstream) {
		o.Approvals = func() (*scanner.Engine, error) {
			select {
			case e := <-changes:
				return e, nil
			default:
				return nil, nil
			}
		}
	})
	client := &hosted{front: f}
	for _, name := range []string{"listChanged", "other"} {
		f.post(strings.TrimSpace(initialize(`{"experimental":{"`+name+`":{}}}`)), http.StatusOK, declares(map[bool]string{true: `{"tools":{"listChanged":true}}`, false: `{"tools":{}}`}[name == "listChanged"]))
	}
	f.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, http.StatusOK, strings.Replace(list, `{"name":"a"}`, "", 1), "Mcp-Session-Id: s")
	go func() { half <- "data: " + roots + "\n" }()
	one := client.open(http.MethodGet, "", "Mcp-Session-Id: s")
	other := client.open(http.MethodGet, "", "Mcp-Session-Id: other")
	other.want(roots)
	changes <- engine.Against(approved, nil)
	one.want(changed)
	half <- "\n"
	one.want(roots)
	close(half)
	one.want("EOF")
	go other.close()
	if got := other.next(); got == changed {
		t.Errorf("the other client is told %s", got)
	}
}

// ask lets the client send a request, and the server answer it.
func (c *connection) ask(request, answer string) {
	c.t.Helper()
	const begin = `{"jsonrpc":"2.0","id":1,`
	c.say(c.toProxy, begin+request+"\n")
	c.expect(c.serverIn, begin+request+"\n")
	c.say(c.serverOut, begin+answer+"\n")
}
