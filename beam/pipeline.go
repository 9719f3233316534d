package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// Job describes what a pipeline does. It is sent to the workers, so all fields are exported.
type Job struct {
	Inputs     []string          // recordings in chronological order, as paths in any file system that Beam supports
	Shards     int               // number of shards into which the sessions are split
	Outputs    map[string]string // file names by format
	Lowest     string            // lowest severity that is listed
	MaxMessage int64             // in bytes
	Workers    int               // goroutines per shard
	Version    string
}

func init() {
	beam.RegisterType(reflect.TypeOf((*Job)(nil)).Elem())
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&inspect{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&merge{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// Build adds a job's steps to a pipeline: one inspects the shards, which are spread over the
// workers, and one merges the results.
func Build(s beam.Scope, job Job) error {
	if job.Shards < 1 || job.Shards > report.MaxShards {
		return fmt.Errorf("%d shards: expected 1 to %d", job.Shards, report.MaxShards)
	}
	indices := make([]int, job.Shards)
	for i := range indices {
		indices[i] = i + 1
	}
	shards := beam.Reshuffle(s, beam.CreateList(s, indices))
	parts := beam.ParDo(s.Scope("Inspect"), &inspect{Job: job}, shards)
	beam.ParDo0(s.Scope("Merge"), &merge{Job: job}, beam.GroupByKey(s, parts))
	return nil
}

// inspect replays the input for one shard of its sessions.
type inspect struct{ Job Job }

// ProcessElement emits the partial report of a shard, with the same key for all
// shards.
func (f *inspect) ProcessElement(ctx context.Context, index int, emit func(int, []byte)) error {
	c, res, err := f.Job.replay(ctx, scanner.Shard{Index: index, Of: f.Job.Shards})
	if err != nil {
		return err
	}
	p := c.Partial(f.Job.inputs(), f.Job.Version, res)
	p.Shard, p.Of = index, f.Job.Shards
	p.SetRules(allRules())
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	emit(0, b.Bytes())
	return nil
}

// merge writes one report for all shards.
type merge struct{ Job Job }

// ProcessElement merges the partial reports and writes each format to its file.
func (f *merge) ProcessElement(ctx context.Context, _ int, parts func(*[]byte) bool) error {
	var all []*report.Partial
	for data := []byte(nil); parts(&data); {
		p, err := report.ReadPartial(bytes.NewReader(data))
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	r, bounds, err := report.Merge(all)
	if err != nil {
		return err
	}
	for _, b := range bounds {
		log.Warnf(ctx, "a single run over all sessions may reach a limit that the shards did not, and its report would then differ: %s", b)
	}
	for format, file := range f.Job.Outputs {
		if err := writeFile(ctx, file, func(w io.Writer) error {
			return report.Write(w, format, r, report.Options{Rules: allRules()})
		}); err != nil {
			return fmt.Errorf("writing %s: %w", file, err)
		}
	}
	return nil
}

// replay runs all rules over the inputs, for one shard of the sessions.
func (j Job) replay(ctx context.Context, shard scanner.Shard) (c *report.Collector, res scanner.Result, err error) {
	rules := slices.DeleteFunc(rules.All(), func(r scanner.Rule) bool { return r.OptIn })
	engine, err := scanner.New(rules, scanner.Options{Workers: j.Workers})
	if err != nil {
		return nil, res, err
	}
	var lowest scanner.Severity
	if err := lowest.UnmarshalText([]byte(j.Lowest)); err != nil {
		return nil, res, err
	}
	c = report.NewCollector(lowest)
	c.ListChanges()
	if shard.Of > 0 {
		c.KeepForMerge()
	}
	var sources []scanner.Source
	o := replay.Options{MaxMessage: j.MaxMessage, Memory: replay.NewMemory()}
	for _, name := range j.Inputs {
		file, err := openFile(ctx, name)
		if err != nil {
			return nil, res, err
		}
		defer file.Close()
		src, err := replay.Open(name, file, o)
		if err != nil {
			return nil, res, err
		}
		sources = append(sources, src)
	}
	res, err = engine.Over(shard).Run(ctx, replay.Join(sources...), c)
	return c, res, err
}

func (j Job) inputs() (in []report.Input) {
	for _, name := range j.Inputs {
		in = append(in, report.Input{Kind: "recording", Name: name})
	}
	return in
}

func allRules() []scanner.Rule { return append(rules.All(), scanner.EngineRules()...) }

func openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	return fs.OpenRead(ctx, name)
}

func writeFile(ctx context.Context, name string, write func(io.Writer) error) (err error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	w, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}()
	return write(w)
}
