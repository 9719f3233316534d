//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/recgen"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

var (
	gate   = flag.Bool("gate", false, "measure CPU time, and fail where it has grown")
	update = flag.Bool("update", false, "write what was measured instead of comparing with it")
)

const (
	gateFile   = "gate.txt"
	gatePieces = 4
	gateRounds = 21
	gateTries  = 8
	mostGrowth = 1.15
)

// TestGate checks that inspecting a recording takes no more CPU time per byte, and no more
// allocations per line, than before. It alternates with a reference loop over the same bytes and
// compares the CPU times of the fastest rounds, so the machine and its load matter little. .ci/run
// runs it by itself:
//
//	go test ./bench -run TestGate -gate
func TestGate(t *testing.T) {
	if !*gate {
		t.Skip("measures CPU time; run it alone, with -gate")
	}
	was, err := readGate()
	if err != nil && !*update {
		t.Fatal(err)
	}
	now := map[string]float64{}
	for name, honest := range map[string]bool{"honest": true, "sessions": false} {
		for range gateTries { // a machine that is busy for a moment is not a regression
			cpu, allocs := measure(t, honest)
			if before, again := now[name+" cpu"]; !again || cpu < before {
				now[name+" cpu"] = cpu
			}
			now[name+" allocs"] = allocs
			if !*update && now[name+" cpu"] <= mostGrowth*was[name+" cpu"] {
				break
			}
		}
	}
	if *update {
		var out strings.Builder
		out.WriteString("# CPU time relative to the reference loop, and allocations per line: go test ./bench -run TestGate -gate -update\n")
		for _, name := range []string{"honest cpu", "honest allocs", "sessions cpu", "sessions allocs"} {
			fmt.Fprintf(&out, "%s %.3f\n", name, now[name])
		}
		if err := os.WriteFile(gateFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, value := range now {
		switch growth := value / was[name]; {
		case growth > mostGrowth:
			t.Errorf("%s: %.3f, was %.3f: %.0f %% more, %.0f %% are allowed. If that is intended, say why in the commit, with -update", name, value, was[name], 100*(growth-1), 100*(mostGrowth-1))
		case growth < 1/mostGrowth:
			t.Logf("%s: %.3f, was %.3f: keep the gain with -update", name, value, was[name])
		default:
			t.Logf("%s: %.3f, was %.3f", name, value, was[name])
		}
	}
}

// measure returns the CPU time of a replay relative to the reference loop, and its allocations per
// line. For each piece of the input, only the fastest round counts.
func measure(t *testing.T, honest bool) (cpu, allocs float64) {
	engine, err := scanner.New(rules.All(), scanner.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	inspect := func(rec []byte) {
		src, err := replay.Open("r", bytes.NewReader(rec), replay.Options{MaxMessage: 1 << 25})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Run(t.Context(), src); err != nil {
			t.Fatal(err)
		}
	}
	var inspected, referred float64
	for seed := range uint64(gatePieces) {
		rec := recording(t, seed, 128<<10, honest)
		inspect(rec) // builds the tables that are built only once
		least, leastReference := math.Inf(1), math.Inf(1)
		for range gateRounds {
			least = min(least, cpuOf(func() { inspect(rec) }))
			leastReference = min(leastReference, cpuOf(func() { reference(rec) }))
		}
		inspected, referred = inspected+least, referred+leastReference
	}
	// The difference of two lengths excludes what each run allocates at its start.
	short, long := recording(t, gatePieces, 1<<20, honest), recording(t, gatePieces, 4<<20, honest)
	more := mallocs(func() { inspect(long) }) - mallocs(func() { inspect(short) })
	return inspected / referred, more / float64(bytes.Count(long, []byte("\n"))-bytes.Count(short, []byte("\n")))
}

func recording(t *testing.T, seed uint64, size int, honest bool) []byte {
	t.Helper()
	var rec bytes.Buffer
	if err := recgen.Write(&rec, recgen.Options{Seed: seed, Bytes: int64(size), Honest: honest}); err != nil {
		t.Fatal(err)
	}
	return rec.Bytes()
}

// reference decodes each line, as every reader must, and looks up each byte in a table, as a
// matching automaton does.
func reference(data []byte) (sum uint32) {
	var table [256]uint32
	for i := range table {
		table[i] = uint32(i) * 2654435761
	}
	for line := range bytes.Lines(data) {
		var v any
		if json.Unmarshal(line, &v) != nil {
			panic("the recording is not JSON")
		}
		for range 4 {
			for _, b := range line {
				sum = sum>>3 ^ table[byte(sum)^b]
			}
		}
	}
	return sum
}

// cpuOf returns the CPU time of a function in seconds, without garbage collection.
func cpuOf(f func()) float64 {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := cpuTime()
	f()
	return (cpuTime() - before).Seconds()
}

// cpuTime returns the CPU time of the process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func mallocs(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

// readGate reads the last accepted figures.
func readGate() (map[string]float64, error) {
	data, err := os.ReadFile(gateFile)
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if at := strings.LastIndexByte(line, ' '); at > 0 && line[0] != '#' {
			if out[line[:at]], err = strconv.ParseFloat(line[at+1:], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", gateFile, err)
			}
		}
	}
	return out, nil
}
