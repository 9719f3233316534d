// Package learn trains the classifier of package intent on labelled texts and measures it. It is
// not part of the product.
package learn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/rules/instructions"
	"github.com/mcpscan/mcpscan/scanner"
)

// Row is a labelled definition or result, with the features of its sentences.
type Row struct {
	ID, Pair, Type, Label, Kind, Lang string
	Set                               string // the file, a real server's package, or a public text's source
	Real                              bool   `json:"-"` // listed by a real server
	Public                            bool   `json:"-"` // from a public corpus
	Span                              string
	Tool                              json.RawMessage // the definition of a tool, or of the kind in Defines
	Text                              string          // the result or the instructions
	Defines                           mcp.SubjectKind `json:"-"`
	Texts                             []Text          `json:"-"`
	// Found is the highest severity of findings from rules other than the classifier; Remains is the
	// highest severity if the classifier considers the text benign; see [instructions.Doubted].
	Found   scanner.Severity `json:"-"`
	Remains scanner.Severity `json:"-"`
}

// Attack reports whether the row is an attack.
func (r *Row) Attack() bool { return r.Label == "attack" }

// group returns the name of the group of rows that share most of their words: a pair, a package, a
// source, or the row alone.
func (r *Row) group() string {
	switch {
	case r.Real || r.Public:
		return r.Set
	case r.Pair != "":
		return r.Pair
	}
	return r.ID
}

// Text is one string of a row.
type Text struct {
	Group     intent.Group
	Around    int // number of sentences around it; see [intent.Around]
	Sentences []Sentence
}

// Sentence is a sentence in a Text.
type Sentence struct {
	Features []uint32
	Input    intent.Input
	Verdicts []uint32 // of rules that report it
	InSpan   bool     // overlaps the attack or, if its position is unknown, is reported by a rule
}

// Load reads rows from files. Each file is a set, named after the file.
func Load(files ...string) ([]*Row, error) {
	var rows []*Row
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		number := 0
		for line := range bytes.Lines(data) {
			number++
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			r := &Row{Set: strings.TrimSuffix(filepath.Base(name), ".jsonl")}
			if err := json.Unmarshal(line, r); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, number, err)
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// events is a recording of the rows, each in its own session.
type events struct {
	rows []*Row
	at   int
}

func (e *events) Next() (scanner.Chunk, error) {
	if e.at == len(e.rows) {
		return nil, io.EOF
	}
	e.at++
	return chunk{e.rows[e.at-1]}, nil
}

type chunk struct{ *Row }

func (c chunk) Events(yield func(*scanner.Event)) {
	frame := func(line int, d mcp.Direction, v any) {
		data, _ := json.Marshal(v)
		e := &scanner.Event{Kind: scanner.FrameEvent, Session: c.ID, Server: "server-" + c.ID, Direction: d, Frame: data}
		e.Origin.File, e.Origin.Line = "rows", line
		yield(e)
	}
	exchange := func(method string, params, result map[string]any) {
		request := map[string]any{"jsonrpc": "2.0", "id": 1, "method": method}
		if params != nil {
			request["params"] = params
		}
		frame(1, mcp.ClientToServer, request)
		frame(2, mcp.ServerToClient, map[string]any{"jsonrpc": "2.0", "id": 1, "result": result})
	}
	definitions := []json.RawMessage{c.Tool}
	switch {
	case c.Type != "definition":
		exchange("tools/call", map[string]any{"name": "read_document", "arguments": map[string]any{}},
			map[string]any{"content": []any{map[string]any{"type": "text", "text": c.Text}}})
	case c.Defines == mcp.PromptSubject:
		exchange("prompts/list", nil, map[string]any{"prompts": definitions})
	case c.Defines == mcp.ResourceSubject:
		exchange("resources/list", nil, map[string]any{"resources": definitions})
	case c.Defines == mcp.TemplateSubject:
		exchange("resources/templates/list", nil, map[string]any{"resourceTemplates": definitions})
	case c.Defines == mcp.ServerSubject:
		exchange("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "client", "version": "1"}},
			map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "serverInfo": map[string]any{"name": c.Set, "version": "1"}, "instructions": c.Text})
	default:
		exchange("tools/list", nil, map[string]any{"tools": definitions})
	}
}

func (c chunk) Release() {}

// Read runs the rows through the engine like a user's recording and fills in their texts and the
// highest severities of the findings from all rules except the classifier.
func Read(rows []*Row) error {
	c := &capture{words: map[intent.SentenceID]intent.Words{}}
	table := slices.DeleteFunc(rules.All(), func(r scanner.Rule) bool { return r.ID == instructions.LearnedID })
	engine, err := scanner.New(append(table, scanner.Rule{ID: "inj-capture", Category: "hidden_instructions", Title: "-", Why: "-", Fix: "-", Basis: "-",
		Refs: []string{"CWE-1427"}, Definition: c.text, Result: c.text}), scanner.Options{Workers: 1})
	if err != nil {
		return err
	}
	for _, c.row = range rows {
		if _, err := engine.Run(context.Background(), &events{rows: []*Row{c.row}}, c); err != nil {
			return err
		}
	}
	return nil
}

// capture copies the texts that the engine reads, and the severity of its findings, into a row.
type capture struct {
	row       *Row
	reader    intent.Reader
	locator   intent.Locator
	sentences []intent.Sentence
	words     map[intent.SentenceID]intent.Words // of the text
}

func (c *capture) Event(*scanner.Event, *scanner.Outcome) error { return nil }

func (c *capture) Finding(f *scanner.Finding) error {
	c.row.Found = max(c.row.Found, f.Severity)
	c.row.Remains = max(c.row.Remains, instructions.Doubted(f.Rule, f.Severity, []byte(f.Evidence.Text), c.row.groupOf(), true))
	return nil
}

func (c *capture) text(p *scanner.TextPass) {
	if p.Part() && p.Via == "" {
		return // lines joined from a text that is also read as a whole
	}
	place, ok := c.locator.Place(p)
	if !ok {
		return
	}
	c.sentences = intent.Sentences(c.sentences[:0], p.Folded)
	clear(c.words)
	t := Text{Group: place.Kind.Group(), Around: intent.Around(p)}
	span := c.row.Span
	from := strings.Index(string(p.Source), span)
	for i, s := range c.sentences {
		sent := p.Sent(s.Start, s.End)
		at := cap(p.Source) - cap(sent)
		in := span != "" && from >= 0 && at < from+len(span) && from < at+len(sent) && min(from+len(span), at+len(sent))-max(from, at) >= 8
		verdicts := intent.Verdicts(nil, p, s, t.Group)
		t.Sentences = append(t.Sentences, Sentence{
			Features: slices.Clone(c.reader.Features(p.Folded, c.sentences, i, &place)),
			Input:    c.input(p.Folded, i, &place),
			Verdicts: verdicts,
			InSpan:   in || span == "" && len(verdicts) > 0,
		})
	}
	c.row.Texts = append(c.row.Texts, t)
}

// input returns the net's input for sentence i, the one last passed to Features.
func (c *capture) input(t []byte, i int, place *intent.Place) intent.Input {
	in := c.reader.Input(t, c.sentences, i, place)
	in.Sentence = c.keep(in.Sentence)
	in.About, in.Around = slices.Clone(in.About), slices.Clone(in.Around)
	for k, words := range in.Around {
		in.Around[k] = c.keep(words)
	}
	return in
}

// keep returns a copy of words. All inputs of a text share the same copy.
func (c *capture) keep(words intent.Words) intent.Words {
	kept, ok := c.words[words.ID]
	if !ok {
		kept = intent.Words{All: slices.Clone(words.All), ID: words.ID}
		c.words[words.ID] = kept
	}
	return kept
}
