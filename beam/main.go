// Command beam inspects recordings on Apache Beam. One step replays the input for each shard of its
// sessions, and another merges the results. Except in the cases listed in docs/scale.md, the report
// equals that of a single run of mcpscan replay without settings over the whole input.
//
//	go run . --input=events.jsonl --shards=16 --output=json=report.json --runner=universal --endpoint=HOST:PORT
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/mcpscan/mcpscan/report"
)

func main() {
	input := flag.String("input", "", "comma-separated recordings, in chronological order")
	output := flag.String("output", "", "comma-separated list of FORMAT=FILE; formats: "+strings.Join(report.Formats(), ", "))
	shards := flag.Int("shards", 16, "number of shards")
	lowest := flag.String("min-severity", "low", "list findings of this severity or higher")
	workers := flag.Int("jobs", 1, "number of goroutines per shard")
	maxMessage := flag.Int64("max-message", 32<<20, "maximum size of a message in bytes")
	runner := flag.String("runner", "universal", "Beam runner: universal (Flink, Spark or Prism at --endpoint) or dataflow")
	flag.Parse()
	beam.Init()
	job := Job{Inputs: split(*input), Shards: *shards, Outputs: map[string]string{}, Lowest: *lowest, MaxMessage: *maxMessage, Workers: *workers, Version: version()}
	if err := run(context.Background(), *runner, job, split(*output)); err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(1)
	}
}

// run builds the pipeline and passes it to the runner.
func run(ctx context.Context, runner string, job Job, outputs []string) error {
	for _, o := range outputs {
		format, file, ok := strings.Cut(o, "=")
		if !ok || file == "" || !slices.Contains(report.Formats(), format) {
			return fmt.Errorf("--output %s: expected FORMAT=FILE, where FORMAT is one of %s", o, strings.Join(report.Formats(), ", "))
		}
		job.Outputs[format] = file
	}
	if len(job.Inputs) == 0 || len(outputs) == 0 {
		return fmt.Errorf("expected --input and --output")
	}
	p, s := beam.NewPipelineWithRoot()
	if err := Build(s, job); err != nil {
		return err
	}
	_, err := beam.Run(ctx, runner, p)
	return err
}

// split returns the non-empty elements of a comma-separated list.
func split(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(s string) bool { return s == "" })
}

// version returns the version of the mcpscan module in this build.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/mcpscan/mcpscan" && dep.Version != "" {
				return dep.Version
			}
		}
	}
	return "devel"
}
