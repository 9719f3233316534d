// Command recordtranscripts writes the runs of agents in a file that package score
// describes as one recording, for mcpscan replay:
//
//	go run ./internal/score/recordtranscripts TRANSCRIPTS.jsonl > events.jsonl
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/internal/score"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "recordtranscripts:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected one file of transcripts, got %q", args)
	}
	all, err := score.Transcripts(args[0])
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s has no rows: expected one transcript a line", args[0])
	}
	w := bufio.NewWriter(os.Stdout)
	if err := score.Record(w, all); err != nil {
		return err
	}
	return w.Flush()
}
