// Command genrecording writes a generated recording to standard output, for measurements on files
// of any size:
//
//	go run ./internal/recgen/genrecording -bytes 200000000 > /tmp/large.events.jsonl
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/internal/recgen"
)

func main() {
	seed := flag.Uint64("seed", 1, "the same seed gives the same bytes")
	size := flag.Int64("bytes", 10_000_000, "size of the recording, in bytes")
	honest := flag.Bool("honest", false, "plant no attacks, and do not change servers")
	flag.Parse()
	if err := recgen.Write(os.Stdout, recgen.Options{Seed: *seed, Bytes: *size, Honest: *honest}); err != nil {
		fmt.Fprintln(os.Stderr, "genrecording:", err)
		os.Exit(1)
	}
}
