package scanner

import (
	"context"
	"io"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// listed is a source of events.
type listed struct{ events []*Event }

func (l *listed) Next() (Chunk, error) { return l, io.EOF }

func (l *listed) Events(yield func(*Event)) {
	for _, e := range l.events {
		yield(e)
	}
}

func (l *listed) Release() {}

// judgedAgainst compares an event with approved ones, and returns the names of the
// definitions that count as changed, and of those that were never approved.
func judgedAgainst(t *testing.T, approved []*Event, now *Event) (changed, unknown []string) {
	t.Helper()
	see := func(p *JudgePass) {
		p.Changed(func(d *mcp.Definition, _ *Offered) { changed = append(changed, d.Name) })
		p.Unapproved(func(d *mcp.Definition, _ *Offered) { unknown = append(unknown, d.Name) })
		p.Missing(func(o *Offered) { t.Errorf("%s counts as missing", o.Name) })
	}
	rule := Rule{ID: "observer", Category: "engine", Title: "x", Why: "x.", Fix: "x.", Basis: "x.", Refs: []string{"CWE-778"}, Judge: see}
	engine, err := New([]Rule{rule}, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	offers := NewSnapshot()
	if _, err := engine.Keeping().Run(context.Background(), &listed{approved}, offers); err != nil {
		t.Fatal(err)
	}
	changed, unknown = nil, nil
	if _, err := engine.Against(offers, nil).Run(context.Background(), &listed{[]*Event{now}}, NewSnapshot()); err != nil {
		t.Fatal(err)
	}
	return changed, unknown
}

// TestProjected checks that members that a client does not pass to a model do not count as changes,
// and that members that it passes in another form do.
func TestProjected(t *testing.T) {
	document := func(tools string, projected, rewritten bool) *Event {
		return &Event{Kind: DefinitionEvent, Session: "s", Server: "files", Direction: mcp.ServerToClient, Frame: []byte(`{"tools":[` + tools + `]}`), Projected: projected, Rewritten: rewritten}
	}
	approved := []*Event{document(`{"name":"read","title":"Read","description":"Reads.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"list"}`, false, false)}
	for _, tt := range []struct {
		name            string
		event           *Event
		changed, others int
	}{
		{"fewer members", document(`{"name":"read","description":"Reads.","inputSchema":{"type":"object"}}`, true, false), 0, 0},
		{"one member", document(`{"name":"read"}`, true, false), 0, 0},
		{"another text", document(`{"name":"read","description":"Reads all.","inputSchema":{"type":"object"}}`, true, false), 1, 0},
		{"another schema", document(`{"name":"read","description":"Reads.","inputSchema":{"type":"string"}}`, true, false), 1, 0},
		{"another hint", document(`{"name":"read","annotations":{"readOnlyHint":false}}`, true, false), 1, 0},
		{"a tool that is new", document(`{"name":"write"}`, true, false), 0, 1},
		{"a schema that the client has rewritten", document(`{"name":"read","inputSchema":{"type":"OBJECT"}}`, true, true), 0, 0},
		{"no object", document(`"read",{}`, true, false), 0, 1},
	} {
		changed, unknown := judgedAgainst(t, approved, tt.event)
		if len(changed) != tt.changed || len(unknown) != tt.others {
			t.Errorf("%s: changed %q, unknown %q", tt.name, changed, unknown)
		}
	}
}

// TestParts checks that a finding in an assembled frame is located at its part in the
// file.
func TestParts(t *testing.T) {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"one\ntwo"}]}}`)
	at := len(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":`)
	e := &Event{Frame: frame, Origin: Origin{File: "f", Line: 3, Column: 2, Pointer: "/messages/2"},
		Parts: []Part{{Start: at, End: len(frame) - len("}]}}"), Origin: Origin{File: "f", Line: 4, Column: 30, Exact: true, Pointer: "/messages/2/content"}}}}
	var places Places
	places.reset(e)
	for off, want := range map[int]Location{
		0: {"f", 3, 2, "/messages/2"}, at - 1: {"f", 3, 2, "/messages/2"}, at: {"f", 4, 30, "/messages/2/content"},
		at + 5: {"f", 4, 35, "/messages/2/content"}, len(frame) - 1: {"f", 3, 2, "/messages/2"},
	} {
		if got := places.At(off); got != want {
			t.Errorf("byte %d is at %v, want %v", off, got, want)
		}
	}
}
