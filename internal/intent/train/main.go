// Command train measures what a model learns from sets of labelled texts: each set is
// scored by weights that were learned from the others.
//
//	go run ./internal/intent/train corpus/*.jsonl
//	go run ./internal/intent/train -servers ../shared/realservers/dumps corpus/*.jsonl
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/internal/intent/learn"
)

func main() {
	o := learn.Default
	servers := flag.String("servers", "", "Directory of dumps of real servers: half of the packages are honest texts to learn from, the others to measure with.")
	share := flag.Float64("share", 1, "Learn from this share of the pairs, for a learning curve.")
	flag.Parse()
	if err := run(o, *servers, *share, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o learn.Options, servers string, share float64, files []string) error {
	rows, err := learn.Load(files...)
	if err != nil {
		return err
	}
	var honest []*learn.Row
	if servers != "" {
		if honest, err = learn.LoadServers(servers); err != nil {
			return err
		}
	}
	if err := learn.Read(append(honest, rows...)); err != nil {
		return err
	}
	fmt.Print(learn.LeaveOneOut(rows, honest, share, o))
	return nil
}
