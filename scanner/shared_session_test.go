package scanner_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// apart judges each server's messages with a separate engine, which receives as JSON what the other
// servers' messages add to the session.
type apart struct {
	t      *testing.T
	engine *scanner.Engine
	lives  map[string]*scanner.Live
	order  []string
	news   map[string][]string // additions to a session, by the server that has not received them
}

func (a *apart) step(e *scanner.Event) []scanner.Finding {
	a.t.Helper()
	live := a.lives[e.Server]
	if live == nil {
		live = a.engine.Live().Sharing()
		a.lives[e.Server] = live
		a.order = append(a.order, e.Server)
		a.news[e.Server] = append([]string(nil), a.news[""]...)
	}
	for _, news := range a.news[e.Server] {
		var doc wire.Doc
		if err := doc.Parse([]byte(news)); err != nil {
			a.t.Fatal(err, news)
		}
		s, err := scanner.ParseShared(&doc, 0)
		if err != nil {
			a.t.Fatal(err, news)
		}
		if again := string(s.AppendJSON(nil)); again != news {
			a.t.Fatalf("%s is read as %s", news, again)
		}
		live.Step(&scanner.Event{Kind: scanner.SharedEvent, Session: s.Session, Server: s.Server, Time: e.Time, Shared: s})
	}
	a.news[e.Server] = nil
	out := live.Step(e)
	for i := range out.Shared {
		text := string(out.Shared[i].AppendJSON(nil))
		a.news[""] = append(a.news[""], text)
		for _, other := range a.order {
			if other != e.Server {
				a.news[other] = append(a.news[other], text)
			}
		}
	}
	return out.Findings
}

// TestSharedIsEnough checks that engines that each judge one server and share their
// additions have the same findings as one engine for all servers.
func TestSharedIsEnough(t *testing.T) {
	engine, err := everyRule()
	if err != nil {
		t.Fatal(err)
	}
	all := recordings(t)
	scripted(t, all)
	found := map[string]int{}
	for name, data := range all {
		events := stamped(eventsOf(t, name, data))
		if !onConnections(events) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			together := engine.Live()
			a := &apart{t, engine, map[string]*scanner.Live{}, nil, map[string][]string{}}
			for i, e := range stamped(eventsOf(t, name, data)) {
				want := together.Step(e).Findings
				got := a.step(events[i])
				for _, f := range append(want, got...) {
					found[f.Rule.ID]++
					for k := range f.Related {
						f.Related[k].Call = nil // its ID belongs to another connection
					}
				}
				if (len(got) > 0 || len(want) > 0) && !reflect.DeepEqual(got, want) {
					t.Fatalf("event %d: apart %+v\ntogether %+v", i+1, got, want)
				}
			}
		})
	}
	for _, rule := range []string{"shadow-tool", "value-flow", "read-then-send", "cross-server-flow", "burst", "xs-name-lookalike", "xs-server-lookalike", "xs-toxic-flow"} {
		if found[rule] == 0 {
			t.Errorf("no recording with several servers has a finding of %s", rule)
		}
	}
}

// scripted adds the recordings that the test scripts about sessions contain.
func scripted(t *testing.T, all map[string][]byte) {
	files, err := filepath.Glob("../testdata/scripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("the scripts are absent", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if name := filepath.Base(file); strings.HasSuffix(f.Name, ".jsonl") && (strings.HasPrefix(name, "attack_") || strings.HasPrefix(name, "session_")) {
				all[name+" "+f.Name] = f.Data
			}
		}
	}
}

// stamped adds a time to events without one, as a proxy does.
func stamped(events []*scanner.Event) []*scanner.Event {
	for i, e := range events {
		if e.Time.IsZero() {
			e.Time = time.Date(2026, 1, 6, 10, 30, 0, i, time.UTC)
		}
	}
	return events
}

// onConnections reports whether the events are from connections to several servers.
func onConnections(events []*scanner.Event) bool {
	servers := map[string]bool{}
	for _, e := range events {
		if e.Kind != scanner.FrameEvent || e.Direction == mcp.Unknown || e.Request != "" {
			return false
		}
		servers[e.Server] = true
	}
	return len(servers) > 1
}

// TestParseShared checks that ParseShared rejects members and types that AppendJSON does not write.
func TestParseShared(t *testing.T) {
	whole := `{"session":"a","server":"s","time":"2026-01-06T10:30:00Z","call":{"tool":"t","id":"1","time":"2026-01-06T10:30:00Z","category":1,"counts":true,"at":{"file":"f","line":1,"column":2}}}`
	parse := func(text string) error {
		var doc wire.Doc
		if err := doc.Parse([]byte(text)); err != nil {
			return err
		}
		_, err := scanner.ParseShared(&doc, 0)
		return err
	}
	tool := `{"name":"t","description":"d","digest":"","parts":["","","","",""],"can":0,"category":0,"foreign":false,"time":"2026-01-06T10:30:00Z","at":{"file":"f","line":1,"column":2,"pointer":"/x"}}`
	for _, text := range []string{whole, strings.Replace(whole, `"call"`, `"tools":[`+tool+`],"call"`, 1)} {
		if err := parse(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	for _, edit := range [][2]string{
		{`"session":"a",`, ``}, {`"server":"s"`, `"server":1`}, {`2026-01-06T10:30:00Z","call"`, `yesterday","call"`}, {`"category":1`, `"category":99`}, {`"category":1`, `"category":-1`},
		{`"category":1`, `"category":1.5`}, {`"counts":true`, `"counts":"true"`}, {`"call":{`, `"call":[`}, {`"line":1`, `"line":99999999999`}, {`"at":{`, `"where":{`},
		{`"server":"s"`, `"server":"s","server":"x"`}, {`"server":"s"`, `"server":"s","Server":"x"`}, {`"session":"a"`, `"session":"a","tools":{}`},
		{`"session":"a"`, `"session":"a","tools":[{}]`}, {`"session":"a"`, `"session":"a","values":[["00",1]],"from":{"tool":"","orders":"","at":{"file":"f","line":1,"column":1}}`},
		{`"session":"a"`, `"session":"a","values":[]`}, {`"session":"a"`, `"session":"a","suspect":true`},
		{`"session":"a"`, `"session":"a","prompts":[]`}, {`"session":"a"`, `"session":"a","Tools":[]`}, {`"tool":"t"`, `"tool":"t","server":"x"`},
		{`"line":1`, `"line":1,"offset":1`}, {`"line":1`, `"line":1,"pointer":1`}, {`"session":"a"`, `"session":"a","from":{"tool":"","orders":"","at":{"file":"f","line":1,"column":1}}`},
		{`"session":"a"`, `"session":"a","tools":[` + strings.Replace(tool, `,"",""]`, `,""]`, 1) + `]`}, {`"session":"a"`, `"session":"a","tools":[` + strings.Replace(tool, `"can"`, `"title":"x","can"`, 1) + `]`},
	} {
		text := strings.Replace(whole, edit[0], edit[1], 1)
		if text == whole {
			t.Fatalf("%s is not in the text", edit[0])
		}
		if parse(text) == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
