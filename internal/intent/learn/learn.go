// Package learn trains a linear classifier over the features of package intent and
// measures it on labelled texts. Nothing in it is part of the product.
package learn

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Row is a labelled definition or result, as its sentences' features.
type Row struct {
	ID, Pair, Type, Label, Kind, Lang string
	Set                               string
	Span                              string
	Tool                              json.RawMessage
	Text                              string
	Texts                             []Text `json:"-"`
}

// Attack reports whether the row is an attack.
func (r *Row) Attack() bool { return r.Label == "attack" }

// Text is one text of a row.
type Text struct {
	Kind      intent.PlaceKind
	Sentences []Sentence
}

// Sentence is one sentence of a text.
type Sentence struct {
	Features []uint32
	InSpan   bool // it shares words with what carries the attack
}

// Load reads sets of rows: a file is a set, named like it.
func Load(files ...string) ([]*Row, error) {
	var rows []*Row
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		in := bufio.NewReader(f)
		for line := 1; ; line++ {
			data, err := in.ReadBytes('\n')
			if len(strings.TrimSpace(string(data))) > 0 {
				r := &Row{Set: strings.TrimSuffix(filepath.Base(name), ".jsonl")}
				if err := json.Unmarshal(data, r); err != nil {
					return nil, fmt.Errorf("%s:%d: %w", name, line, err)
				}
				rows = append(rows, r)
			}
			if err == io.EOF {
				break
			} else if err != nil {
				return nil, err
			}
		}
		f.Close()
	}
	return rows, nil
}

// events is a recording of the rows, each in a session of its own.
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
	frame := func(line int, d scanner.Direction, v any) {
		data, _ := json.Marshal(v)
		e := &scanner.Event{Kind: scanner.FrameEvent, Session: c.ID, Server: "server-" + c.ID, Direction: d, Frame: data}
		e.Origin.File, e.Origin.Line = "rows", line
		yield(e)
	}
	if c.Type == "definition" {
		frame(1, scanner.ClientToServer, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
		frame(2, scanner.ServerToClient, map[string]any{"jsonrpc": "2.0", "id": 1, "result": map[string]any{"tools": []any{c.Tool}}})
		return
	}
	frame(1, scanner.ClientToServer, map[string]any{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": map[string]any{"name": "read_document", "arguments": map[string]any{}}})
	frame(2, scanner.ServerToClient, map[string]any{"jsonrpc": "2.0", "id": 7, "result": map[string]any{"content": []any{map[string]any{"type": "text", "text": c.Text}}}})
}

func (c chunk) Release() {}

// Read fills in the texts of rows: it runs them through the engine, as a user's are.
func Read(rows []*Row) error {
	var reader intent.Reader
	var folder text.Folder
	var sentences []intent.Sentence
	var r *Row
	capture := func(p *scanner.TextPass) {
		place, ok := placeOf(p, &folder)
		if !ok {
			return
		}
		sentences = intent.Sentences(sentences[:0], p.Folded)
		t := Text{Kind: place.Kind}
		from := strings.Index(string(p.Source), r.Span)
		for i, s := range sentences {
			sent := p.Sent(s.Start, s.End)
			at := cap(p.Source) - cap(sent)
			in := r.Span != "" && from >= 0 && at < from+len(r.Span) && from < at+len(sent) && min(from+len(r.Span), at+len(sent))-max(from, at) >= 8
			t.Sentences = append(t.Sentences, Sentence{slices.Clone(reader.Features(p.Folded, sentences, i, &place)), in})
		}
		r.Texts = append(r.Texts, t)
	}
	rule := scanner.Rule{ID: "inj-capture", Category: "hidden_instructions", Title: "-", Why: "-", Fix: "-", Basis: "-", Refs: []string{"CWE-1427"},
		Definition: capture, Result: capture}
	engine, err := scanner.New([]scanner.Rule{rule}, scanner.Options{Workers: 1})
	if err != nil {
		return err
	}
	for _, r = range rows {
		if _, err := engine.Run(context.Background(), &events{rows: []*Row{r}}); err != nil {
			return err
		}
	}
	return nil
}

// Options of the training.
type Options struct {
	Passes   int
	Rate     float64
	Decay    float64 // of the square of weights
	Positive float64 // how much a sentence that carries an attack counts
	Honest   float64 // how much a sentence of a real server counts
	Twin     float64 // how much a sentence of a twin counts
	Least    int     // rows that a feature must occur in
	Lengths  float64 // taken off a text for each doubling of its sentences
}

// Default are the options that the embedded weights are made with.
var Default = Options{Passes: 12, Rate: 0.5, Decay: 2e-9, Positive: 4, Twin: 1.5, Lengths: 0.3, Least: 2, Honest: 0.3}

// Model has a weight for each feature.
type Model struct {
	Weights map[uint32]float64
	Order   []uint32 // the features, in the order in which they were first seen
	Bias    float64
	Lengths float64
}

type example struct {
	features []int32
	label    float64
	weight   float64
}

// Train learns from rows.
func Train(rows []*Row, o Options) *Model {
	index := vocabulary(rows, o.Least)
	var all []example
	add := func(s *Sentence, label, weight float64) {
		e := example{label: label, weight: weight}
		for _, f := range s.Features {
			if i, ok := index[f]; ok {
				e.features = append(e.features, i)
			}
		}
		if len(e.features) > 0 {
			all = append(all, e)
		}
	}
	for _, r := range rows {
		for _, t := range r.Texts {
			for i := range t.Sentences {
				switch s := &t.Sentences[i]; {
				case r.Attack() && s.InSpan:
					add(s, 1, o.Positive)
				case r.Attack():
				case r.Pair != "":
					add(s, 0, o.Twin)
				default:
					weight := 1.0
					if r.Set == learned {
						weight = o.Honest
					}
					add(s, 0, weight)
				}
			}
		}
	}
	weights, sums, squares := make([]float64, len(index)), make([]float64, len(index)), make([]float64, len(index))
	bias, biasSum, biasSquare, steps := -2.0, 0.0, 0.0, 0.0
	state := uint64(1)
	decay := float64(o.Decay * float64(len(all)))
	for range o.Passes {
		for i := len(all) - 1; i > 0; i-- { // a shuffle that is the same everywhere
			state = state*6364136223846793005 + 1442695040888963407
			j := int((state >> 33) % uint64(i+1))
			all[i], all[j] = all[j], all[i]
		}
		for _, e := range all {
			norm := 1 / math.Sqrt(float64(len(e.features)))
			sum := 0.0
			for _, f := range e.features {
				sum += weights[f]
			}
			g := float64((1/(1+math.Exp(-bias-float64(sum*norm))) - e.label) * e.weight)
			biasSquare += float64(g * g)
			d := float64(o.Rate*g) / math.Sqrt(biasSquare+1)
			bias -= d
			biasSum += float64(d * steps)
			g = float64(g * norm)
			for _, f := range e.features {
				d := g + float64(decay*weights[f])
				squares[f] += float64(d * d)
				d = float64(o.Rate*d) / math.Sqrt(squares[f]+1e-4)
				weights[f] -= d
				sums[f] += float64(d * steps) // so that the average can be told at the end
			}
			steps++
		}
	}
	m := &Model{Weights: make(map[uint32]float64, len(index)), Bias: bias + biasSum/steps, Lengths: o.Lengths}
	m.Order = make([]uint32, len(index))
	for f, i := range index {
		m.Weights[f] = weights[i] + sums[i]/steps
		m.Order[i] = f
	}
	return m
}

// vocabulary numbers the features that occur in enough rows, in the order in which they
// are first seen. The texts of a pair are one row: most of their words are the same.
func vocabulary(rows []*Row, least int) map[uint32]int32 {
	count, last := map[uint32]int{}, map[uint32]string{}
	index := map[uint32]int32{}
	for _, r := range rows {
		name := r.ID
		if r.Pair != "" {
			name = r.Pair
		}
		for _, t := range r.Texts {
			for _, s := range t.Sentences {
				for _, f := range s.Features {
					if last[f] != name {
						last[f] = name
						if count[f]++; count[f] == least {
							index[f] = int32(len(index))
						}
					}
				}
			}
		}
	}
	return index
}

// Score is that of the worst text of a row.
func (m *Model) Score(r *Row) float64 {
	worst := -100.0
	for _, t := range r.Texts {
		for _, s := range t.Sentences {
			sum, known := 0.0, 0
			for _, f := range s.Features {
				if w, ok := m.Weights[f]; ok {
					sum += w
					known++
				}
			}
			score := m.Bias + sum/math.Sqrt(float64(max(1, known)))
			worst = max(worst, score-m.Lengths*float64(bits.Len(uint(len(t.Sentences)))-1))
		}
	}
	return worst
}
