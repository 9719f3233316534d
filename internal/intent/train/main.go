// Command train trains the classifier of package intent and measures it by cross-validation: it
// trains on most sets of labelled texts, scores the others, and repeats this until each set is
// scored. The thresholds are chosen based on these scores; the weights are trained on all sets.
//
//	go run ./internal/intent/train -servers ../shared/realservers/dumps corpus/*.jsonl
//	go run ./internal/intent/train -servers ../shared/realservers/dumps -public ../shared/corpus -o internal/intent/weights.bin -net internal/intent/net.bin corpus/*.jsonl
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/internal/intent/learn"
	"github.com/mcpscan/mcpscan/internal/replace"
)

func main() {
	servers := flag.String("servers", "", "Directory of dumps of real servers: benign definitions; those of one package are held out together.")
	public := flag.String("public", "", "Directory of a labelled corpus, half of which is used; texts from one source are held out together.")
	share := flag.Float64("share", 1, "Train on this share of the pairs and singles, for a learning curve.")
	words := flag.String("vectors", "corpus/vectors.bin", "File of published word vectors.")
	netOutput := flag.String("net", "", "Write the nets, trained on all texts, to this file.")
	output := flag.String("o", "", "Write the model, trained on all texts, to this file.")
	flag.Parse()
	if (*output == "") != (*netOutput == "") {
		fmt.Fprintln(os.Stderr, "-o and -net write the two stages of one classifier: use both or neither")
		os.Exit(2)
	}
	rows, err := load(*servers, *public, flag.Args())
	if err == nil {
		err = run(rows, *words, learn.Default, learn.DefaultNet, *share, *output, *netOutput)
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

func run(rows []*learn.Row, words string, o learn.Options, of learn.NetOptions, share float64, output, netOutput string) error {
	vectors, err := learn.LoadVectors(words)
	if err != nil {
		return err
	}
	all := learn.CrossValidate(rows, share, o)
	linear := learn.Linear(all, o)
	nets, pass := learn.Second(all, vectors, of)
	supports := learn.Supports(all, o)
	m := learn.Train(rows, supports, o)
	learn.Apply(all, m)
	p := learn.Thresholds(all, m.Parameters())
	p.Pass, p.Floor = pass, of.FloorGain()
	figures := "Both stages:\n\n" + learn.Table(all, p) + "\nThe linear model alone, at its own thresholds:\n\n" + linear
	fmt.Print(figures)
	if output == "" {
		return nil
	}
	m = m.With(p)
	if err := os.WriteFile(output, m.Bytes(), 0o644); err != nil {
		return err
	}
	var both []byte
	for _, n := range nets {
		both = append(both, n.Bytes()...)
	}
	if err := os.WriteFile(netOutput, both, 0o644); err != nil {
		return err
	}
	return publish("docs/detection.md", figures, m.Bytes(), both)
}

// The markers around the figures in docs/detection.md.
const (
	begin = "<!-- classifier: begin; written by go run ./internal/intent/train -->\n"
	end   = "<!-- classifier: end -->\n"
)

// publish writes the figures for the encoded model and nets into a document.
func publish(path, table string, model, nets []byte) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	figures := fmt.Sprintf("\n%s\nThe embedded model is %d bytes long, with the SHA-256 digest\n`%x`;\nthe nets are %d bytes long, with\n`%x`.\n\n", table, len(model), sha256.Sum256(model),
		len(nets), sha256.Sum256(nets))
	out, err := replace.Between(string(doc), begin, end, figures)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(out), 0o644)
}
