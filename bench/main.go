//go:build unix

// Command bench compares mcpscan with well-known tools on the same files, and writes
// docs/performance.md:
//
//	go run ./bench -bytes 60000000 -rounds 5 -shared ../shared -write docs/performance.md
//
// It compares CPU time, which depends little on the load of the machine, and takes the median of
// runs that alternate between the programs. Absolute figures depend on the machine, so compare the
// ratios. The command measures speed; to measure detection, use internal/score/scorecorpus.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/replace"
)

// options are the command-line flags.
type options struct {
	bytes  int64
	rounds int
	shared string
	write  string
	binary string
	dir    string
}

func main() {
	var o options
	flag.Int64Var(&o.bytes, "bytes", 60_000_000, "size of each data set, in bytes")
	flag.IntVar(&o.rounds, "rounds", 5, "number of runs of each program on each data set")
	flag.StringVar(&o.shared, "shared", "", "directory with realservers/recordings and corpus; without it, only generated data is measured")
	flag.StringVar(&o.write, "write", "", "document to write, such as docs/performance.md; without it, the tables are printed")
	flag.StringVar(&o.binary, "mcpscan", "", "mcpscan program to measure; by default, it is built from the source code")
	decode := flag.String("decode", "", "only decode each line of a file with encoding/json")
	flag.Parse()
	var err error
	if *decode != "" {
		err = eachLine(*decode, func(any) error { return nil })
	} else {
		err = bench(context.Background(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench creates the data, runs all measurements, and writes the tables.
func bench(ctx context.Context, o options) (err error) {
	if o.rounds < 1 || o.bytes < 1 {
		return fmt.Errorf("-bytes and -rounds must be at least 1")
	}
	if o.dir, err = os.MkdirTemp("", "mcpscan-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir)
	if o.binary == "" {
		o.binary = filepath.Join(o.dir, "mcpscan")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "./cmd/mcpscan").CombinedOutput(); err != nil {
			return fmt.Errorf("building mcpscan: %w\n%s", err, out)
		}
	}
	data, err := dataSets(o)
	if err != nil {
		return err
	}
	patterns, err := writePatterns(ctx, o.dir)
	if err != nil {
		return err
	}
	var out strings.Builder
	missing := writeMachine(ctx, &out, o, patterns)
	for _, d := range data {
		fmt.Fprintf(os.Stderr, "bench: %s, %d MB\n", d.name, d.size/1e6)
		if err := writeData(ctx, &out, o, d, patterns); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr, "bench: one message")
	if err := writeStep(ctx, &out); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "bench: start")
	if err := writeStart(ctx, &out, o); err != nil {
		return err
	}
	if len(missing) > 0 {
		fmt.Fprintf(&out, "\nNot installed, and therefore not measured: %s.\n", strings.Join(missing, ", "))
	}
	if runtime.GOOS == "linux" {
		fmt.Fprintf(&out, "\nThe kernel reports at least the peak of the measuring program, %.0f MB. Lower peaks are sampled every millisecond.\n", ownPeak()/1e6)
	}
	if o.write == "" {
		_, err := os.Stdout.WriteString(out.String())
		return err
	}
	return document(o.write, out.String())
}

// writeMachine describes the machine and the program versions, and returns the peers that are not
// installed.
func writeMachine(ctx context.Context, out *strings.Builder, o options, p patterns) (missing []string) {
	fmt.Fprintf(out, "%s, %d cores, %s. Medians of %d interleaved runs of each program.\n", processor(), runtime.NumCPU(), runtime.Version(), o.rounds)
	var found []string
	for _, peer := range peers {
		version, err := exec.CommandContext(ctx, peer[0], peer[1:]...).CombinedOutput()
		if err != nil {
			missing = append(missing, peer[0])
			continue
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(version)), "\n")
		if !strings.Contains(first, peer[0]) {
			first = peer[0] + " " + first
		}
		found = append(found, first)
	}
	fmt.Fprintf(out, "Peers: %s. rg and yara search for the %d ASCII literals among the %d literals in\nmcpscan's rules.\n", strings.Join(found, ", "), p.literals, p.all)
	return missing
}

// processor returns the name of the processor.
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}

// writeData measures all programs on one data set.
func writeData(ctx context.Context, out *strings.Builder, o options, d dataSet, p patterns) error {
	programs := programsFor(o, d.file, p)
	measured, err := interleaved(ctx, o.rounds, programs)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n### %s\n\n%s %.1f MB, %d lines.\n\n", d.name, d.what, float64(d.size)/1e6, d.lines)
	fmt.Fprint(out, "| program | CPU s | MB per CPU-second | CPU time relative to mcpscan | peak memory, MB |\n| --- | ---: | ---: | ---: | ---: |\n")
	base := measured[0].cpu
	for i, m := range measured {
		fmt.Fprintf(out, "| %s | %.2f | %.1f | %s | %.0f |\n", programs[i].name, m.cpu, float64(d.size)/1e6/m.cpu, ratio(m.cpu/base), m.memory/1e6)
	}
	fmt.Fprintf(out, "\nWith 2 workers, mcpscan takes %.2f times as much wall time as with 1. Identical reports: %t.\n", measured[1].wall/measured[0].wall, sameReports(o.dir))
	return nil
}

func ratio(r float64) string {
	if r < 0.1 {
		return fmt.Sprintf("%.3f", r)
	}
	return fmt.Sprintf("%.2f", r)
}

// writeStart measures the startup time, with commands that do little work.
func writeStart(ctx context.Context, out *strings.Builder, o options) error {
	programs, err := startPrograms(o)
	if err != nil {
		return err
	}
	measured, err := interleaved(ctx, max(15, o.rounds), programs)
	if err != nil {
		return err
	}
	node := slices.IndexFunc(programs, func(p program) bool { return p.name == nodeStart })
	fmt.Fprint(out, "\n### Start\n\n| command | CPU ms | relative to `node` | peak memory, MB |\n| --- | ---: | ---: | ---: |\n")
	for i, m := range measured {
		against := "–"
		if node >= 0 {
			against = fmt.Sprintf("%.2f", m.cpu/measured[node].cpu)
		}
		fmt.Fprintf(out, "| %s | %.1f | %s | %.0f |\n", programs[i].name, m.cpu*1000, against, m.memory/1e6)
	}
	return nil
}

// The lines that delimit the figures in a document.
const (
	begin = "<!-- figures: go run ./bench -write -->\n"
	end   = "<!-- end of figures -->"
)

// document replaces the figures in a document.
func document(name, figures string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	out, err := replace.Between(string(data), begin, end, figures)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name, []byte(out), 0o644)
}
