// Command scorecorpus runs the rules over a corpus, in the format that package score describes, and
// prints the tables of docs/detection.md for it:
//
//	go run ./internal/score/scorecorpus -servers DUMPS CORPUS
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpscan/mcpscan/internal/score"
)

func main() {
	servers := flag.String("servers", "", "directory of published servers' definitions, one file each: {package, version, tools, …}")
	flag.Parse()
	if err := run(flag.Args(), *servers); err != nil {
		fmt.Fprintln(os.Stderr, "scorecorpus:", err)
		os.Exit(1)
	}
}

func run(args []string, servers string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected the directory of one corpus, got %q", args)
	}
	res, err := score.Run(args[0], servers)
	if err != nil {
		return err
	}
	fmt.Print(res.Markdown())
	sessions, err := score.RunSessions(filepath.Join(args[0], "transcripts.jsonl"))
	if err == nil && len(sessions) > 0 {
		fmt.Print("\n## Sessions\n\n", sessions.Markdown())
	}
	return err
}
