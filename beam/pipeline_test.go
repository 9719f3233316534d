package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/mcpscan/mcpscan/internal/recgen"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

var (
	size   = flag.Int64("recording-bytes", 2_000_000, "size of the recording, in bytes")
	shards = flag.Int("recording-shards", 8, "how many parts its sessions are split into")
)

func TestMain(m *testing.M) {
	beam.Init()
	os.Exit(m.Run())
}

// TestPipeline checks that the pipeline writes the same bytes as a single run, in every
// format.
//
//	go test . -recording-bytes 200000000 -timeout 2h
func TestPipeline(t *testing.T) {
	dir := t.TempDir()
	recording := filepath.Join(dir, "events.jsonl")
	write(t, recording)
	job := Job{Inputs: []string{recording}, Shards: *shards, Outputs: map[string]string{}, Lowest: "low", MaxMessage: 32 << 20, Workers: 1, Version: "test"}
	want := map[string][]byte{}
	one(t, job, want)
	for _, format := range report.Formats() {
		job.Outputs[format] = filepath.Join(dir, format)
	}
	p, s := beam.NewPipelineWithRoot()
	if err := Build(s, job); err != nil {
		t.Fatal(err)
	}
	if _, err := prism.Execute(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	for format := range maps.Keys(want) {
		got, err := os.ReadFile(job.Outputs[format])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want[format]) {
			t.Errorf("%s: %d bytes differ from the %d of one run", format, len(got), len(want[format]))
		}
	}
}

// one renders the report of a single run in every format.
func one(t *testing.T, job Job, out map[string][]byte) {
	t.Helper()
	c, res, err := job.replay(t.Context(), scanner.Shard{})
	if err != nil {
		t.Fatal(err)
	}
	r := c.Report(job.inputs(), job.Version, res)
	if len(r.Findings) == 0 || r.Summary.Sessions < 2 {
		t.Fatalf("%d findings in %d sessions: the test says little", len(r.Findings), r.Summary.Sessions)
	}
	for _, format := range report.Formats() {
		var b bytes.Buffer
		if err := report.Write(&b, format, r, report.Options{Rules: allRules()}); err != nil {
			t.Fatal(err)
		}
		out[format] = b.Bytes()
	}
}

func write(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	b := bufio.NewWriter(f)
	if err := recgen.Write(b, recgen.Options{Seed: 1, Bytes: *size}); err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
