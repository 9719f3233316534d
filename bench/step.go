//go:build unix

package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// messages describes the sub-benchmarks of BenchmarkStep: name, description, and maximum p99 in
// nanoseconds.
var messages = [...]struct {
	name, what string
	budget     float64
}{
	{"call", "a call", 100_000},
	{"result=4KB", "a result of 4 KB", 500_000},
	{"result=64KB", "a result of 64 KB", 1_000_000},
	{"tools=60/new", "a list of 60 tools", 2_000_000},
	{"tools=60/known", "the same list again", 2_000_000},
	{"judge", "a call, judging only", 100_000},
	{"judge/tools=60", "a list of 60 tools, judging only", 100_000},
}

// stepRuns is the number of runs per sub-benchmark. Only the run with the lowest p99 is used, because
// other load on the machine can only slow a run down.
const stepRuns = 3

// writeStep measures how long a proxy delays one message.
func writeStep(ctx context.Context, out *strings.Builder) error {
	printed, err := exec.CommandContext(ctx, "go", "test", "./scanner", "-run", "^$", "-bench", "^BenchmarkStep$", "-benchtime", "200x", "-count", strconv.Itoa(stepRuns)).Output()
	if err != nil {
		return fmt.Errorf("running BenchmarkStep: %w", err)
	}
	fmt.Fprintf(out, "\n### One message in a proxy\n\nWall time to inspect and judge one message (`BenchmarkStep` of `scanner`), in the run with the lowest p99 of %d runs of 200 messages.\n\n", stepRuns)
	fmt.Fprint(out, "| message | median, µs | p99, µs | budget, µs |\n| --- | ---: | ---: | ---: |\n")
	for _, m := range messages {
		median, p99, err := bestRun(string(printed), m.name)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %.0f | %.0f | %.0f |\n", m.what, median/1000, p99/1000, m.budget/1000)
	}
	return nil
}

// bestRun returns the figures from a sub-benchmark's run with the lowest p99.
func bestRun(printed, name string) (median, p99 float64, err error) {
	type run struct{ median, p99 float64 }
	var runs []run
	for line := range strings.Lines(printed) {
		fields := strings.Fields(line)
		if len(fields) == 0 || bare(fields[0]) != "BenchmarkStep/"+name {
			continue
		}
		var r run
		for i := 1; i < len(fields); i++ {
			switch fields[i] {
			case "p50-ns":
				r.median, err = strconv.ParseFloat(fields[i-1], 64)
			case "p99-ns":
				r.p99, err = strconv.ParseFloat(fields[i-1], 64)
			}
			if err != nil {
				return 0, 0, err
			}
		}
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return 0, 0, fmt.Errorf("BenchmarkStep has no %s", name)
	}
	best := slices.MinFunc(runs, func(a, b run) int { return cmp.Compare(a.p99, b.p99) })
	return best.median, best.p99, nil
}

// bare returns a benchmark's name without the number of processors that follows it.
func bare(name string) string {
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			return name[:i]
		}
	}
	return name
}
