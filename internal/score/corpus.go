// Package score measures detection: it runs all rules over labelled texts and formats the tables of
// docs/detection.md, which its tests write. It is not part of the product.
//
// A corpus is a directory with tooldefs.jsonl, outputs.jsonl or both, with one JSON
// object per line:
//
//	id                     unique ID of the row
//	label                  attack or benign
//	source                 origin of the text: OWNER/NAME of a public repository
//	part                   part of the source that the row comes from, if the source has parts
//	attack_kind            kind of attack
//	subtle                 true for an attack that overrides no instructions and asks for no secret
//	hard_negative          true, or a word, for a benign text that is about attacks
//	tool                   in tooldefs: the definition
//	server                 in tooldefs: the name of its server
//	peers                  in tooldefs: [{server, tool}] of other servers, listed before the tool
//	visible_in_definition  in tooldefs: false if only the implementation of the tool is malicious;
//	                       such an attack is skipped, unless it has peers
//	text                   in outputs: the result of a tool
//	context                in outputs: {tool}, the name of that tool
package score

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// row is one labelled text. Tool and Text remain JSON, to be copied into a frame; Context can have
// any form.
type row struct {
	ID      string `json:"id"`
	Label   string `json:"label"`
	Source  string `json:"source"`
	Part    string `json:"part"`
	Kind    string `json:"attack_kind"`
	Subtle  bool   `json:"subtle"`
	Hard    any    `json:"hard_negative"`
	Visible *bool  `json:"visible_in_definition"`

	listed
	Peers []listed `json:"peers"`

	Text    json.RawMessage `json:"text"`
	Context json.RawMessage `json:"context"`
}

// listed is a definition with the server that lists it.
type listed struct {
	Server string          `json:"server"`
	Tool   json.RawMessage `json:"tool"`
}

// class determines how a flagged row is counted.
type class int

const (
	attack class = iota
	subtleAttack
	honest
	honestAboutAttacks
	classes
)

func (r *row) class() class {
	switch {
	case r.Label == "attack" && r.Subtle:
		return subtleAttack
	case r.Label == "attack":
		return attack
	case r.Hard != nil && r.Hard != false && r.Hard != "":
		return honestAboutAttacks
	}
	return honest
}

// cell identifies a group of rows that a macro average counts once.
func (r *row) cell() string {
	return cmp.Or(r.Part, r.Source) + "\x00" + r.Kind
}

// openCorpus opens a corpus file. It returns nil if the file does not exist.
func openCorpus(path string) (*os.File, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// rows reads a corpus file, skipping attacks that are not visible in a definition, unless they have
// peers. A file that does not exist has no rows.
func rows(path string) ([]*row, error) {
	f, err := openCorpus(path)
	if f == nil {
		return nil, err
	}
	defer f.Close()
	var all []*row
	br := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			r, bad := parseRow(line)
			if bad != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n, bad)
			}
			if r.Label == "benign" || r.Visible == nil || *r.Visible || len(r.Peers) > 0 {
				all = append(all, r)
			}
		}
		if err != nil {
			return all, nil
		}
	}
}

func parseRow(line []byte) (*row, error) {
	r := &row{}
	if err := json.Unmarshal(line, r); err != nil {
		return nil, err
	}
	switch {
	case r.ID == "" || r.Source == "" || r.Label != "attack" && r.Label != "benign":
		return nil, errors.New("expected id, source, and attack or benign as the label")
	case r.Tool == nil && r.Text == nil:
		return nil, errors.New("expected tool or text")
	}
	return r, nil
}

// start is the time of a frame at second 0.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (r *row) frame(server string, d mcp.Direction, second int, format string, args ...any) *scanner.Event {
	return &scanner.Event{Time: start.Add(time.Duration(second) * time.Second), Session: r.ID, Server: server, Transport: "stdio",
		Type: "mcp_message", Direction: d, Frame: fmt.Appendf(nil, format, args...)}
}

// definitionEvents returns a session in which every server lists one tool, the peers first. Each
// row has its own servers, because tools of the same server would be compared with each other.
func definitionEvents(r *row) []*scanner.Event {
	tag := "-" + r.ID[max(0, len(r.ID)-6):]
	var events []*scanner.Event
	list := func(l listed, otherwise string, second, id int) {
		l.Server = cmp.Or(l.Server, otherwise)
		events = append(events,
			r.frame(l.Server+tag, mcp.ClientToServer, second, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id),
			r.frame(l.Server+tag, mcp.ServerToClient, second+1, `{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, id, withSchema(l.Tool)))
	}
	for i, peer := range r.Peers {
		list(peer, fmt.Sprintf("peer%d", i), 2*i, i+1)
	}
	list(r.listed, "server", 40, 90)
	return events
}

// withSchema adds the schema that the protocol requires if the source omits it.
func withSchema(tool json.RawMessage) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(tool, &members) != nil || len(members) == 0 || members["inputSchema"] != nil {
		return tool
	}
	return append(bytes.TrimSuffix(bytes.TrimSpace(tool), []byte("}")), `,"inputSchema":{"type":"object"}}`...)
}

// resultEvents returns a session with a single call that returns the text.
func resultEvents(r *row) []*scanner.Event {
	var context struct{ Tool string }
	_ = json.Unmarshal(r.Context, &context) // a context in another form does not name a tool
	name, _ := json.Marshal(cmp.Or(context.Tool, "read_document"))
	return []*scanner.Event{
		r.frame("server-"+r.ID, mcp.ClientToServer, 0, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%s,"arguments":{}}}`, name),
		r.frame("server-"+r.ID, mcp.ServerToClient, 1, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":%s}]}}`, r.Text),
	}
}
