// Command train measures the classifier of package learn: it trains on all sets of labelled
// texts but one, scores that one, and repeats this for each set.
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
	servers := flag.String("servers", "", "Directory of dumps of real servers: train on half of the packages, measure on the others.")
	share := flag.Float64("share", 1, "Train on this share of the pairs, for a learning curve.")
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
