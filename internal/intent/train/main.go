// Command train trains the classifier of package intent and measures it: it trains on all
// sets of labelled texts but one, scores that one, and repeats this for each set. The
// thresholds are chosen by these scores, and the weights trained on all sets.
//
//	go run ./internal/intent/train -servers ../shared/realservers/dumps corpus/*.jsonl
//	go run ./internal/intent/train -servers ../shared/realservers/dumps -public ../shared/corpus -o internal/intent/weights.bin corpus/*.jsonl
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/internal/intent/learn"
)

func main() {
	servers := flag.String("servers", "", "Directory of dumps of real servers: honest definitions, left out package by package.")
	public := flag.String("public", "", "Directory of a labelled corpus: half of its honest texts, left out source by source.")
	share := flag.Float64("share", 1, "Train on this share of the pairs, for a learning curve.")
	output := flag.String("o", "", "Write the model, trained on all texts, to this file.")
	flag.Parse()
	rows, err := load(*servers, *public, flag.Args())
	if err == nil {
		err = run(rows, learn.Default, *share, *output)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func load(servers, public string, files []string) ([]*learn.Row, error) {
	rows, err := learn.Load(files...)
	if err == nil && servers != "" {
		var honest []*learn.Row
		honest, err = learn.LoadServers(servers)
		rows = append(rows, honest...)
	}
	if err == nil && public != "" {
		var honest []*learn.Row
		honest, err = learn.LoadPublic(public)
		rows = append(rows, honest...)
	}
	if err != nil {
		return nil, err
	}
	return rows, learn.Read(rows)
}

func run(rows []*learn.Row, o learn.Options, share float64, output string) error {
	all := learn.LeaveOneOut(rows, share, o)
	supports := learn.Supports(all, o)
	m := learn.Train(rows, supports, o)
	learn.Apply(all, m)
	p := m.Parameters()
	for g := range intent.Groups {
		p.Medium[g] = learn.Threshold(all, g, learn.Budgets[g].Medium)
		p.High[g] = learn.Threshold(all, g, learn.Budgets[g].High)
	}
	fmt.Print(learn.Table(all, p))
	if output == "" {
		return nil
	}
	m = m.With(p)
	if err := os.WriteFile(output, m.Bytes(), 0o644); err != nil {
		return err
	}
	return publish("docs/detection.md", learn.Table(all, p), m)
}

// The marks around the figures in docs/detection.md.
const (
	begin = "<!-- classifier: begin; written by go run ./internal/intent/train -->\n"
	end   = "<!-- classifier: end -->\n"
)

// publish writes the figures of a model into a document.
func publish(path, table string, m intent.Model) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(doc), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s: expected figures between %q and %q", path, begin, end)
	}
	figures := fmt.Sprintf("\n%s\nThe embedded model has %d bytes and the SHA-256 digest\n`%x`.\n\n", table, len(m.Bytes()), sha256.Sum256(m.Bytes()))
	return os.WriteFile(path, []byte(head+begin+figures+end+tail), 0o644)
}
