package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/spool"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// recordFlags limits the size of the --record files.
type recordFlags struct {
	RecordSize int64 `help:"Start a new part of the recording (FILE.part2 and so on) when a part reaches this size; 0 means no limit." placeholder:"BYTES"`
	RecordKeep int   `help:"Delete the oldest parts of the recording so that at most this many remain; 0 keeps all." placeholder:"N"`
}

// check rejects invalid flags.
func (f *recordFlags) check(record string) error {
	switch {
	case f.RecordSize < 0 || f.RecordKeep < 0:
		return usage("--record-size and --record-keep must not be negative")
	case record == "" && (f.RecordSize > 0 || f.RecordKeep > 0):
		return usage("--record-size and --record-keep apply only to a recording; expected --record FILE with them")
	case f.RecordKeep > 0 && f.RecordSize == 0:
		return usage("--record-keep %d: the recording has only one part; expected --record-size BYTES with it", f.RecordKeep)
	}
	return nil
}

// traffic is the recording of a proxy. Writing it does not delay messages.
type traffic struct {
	recordFlags
	name  string
	part  int
	size  int64 // of the part
	to    *replay.Recorder
	spool *spool.Spool // nil if nothing is recorded
}

// openTraffic creates the --record file, accessible only to its owner, and deletes further parts
// of a recording that it replaces. tell writes a line to standard error.
func openTraffic(name string, f recordFlags, tell func(string, ...any)) (*traffic, error) {
	if name == "" {
		return &traffic{}, nil
	}
	create := func(name string) (io.WriteCloser, error) {
		return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	file, err := create(name)
	if err != nil {
		return nil, usage("creating the recording: %w", err)
	}
	for _, old := range partsOf(name) {
		if err := os.Remove(partName(name, old)); err != nil {
			file.Close()
			return nil, usage("replacing the recording: %w", err)
		}
	}
	t := &traffic{recordFlags: f, name: name, part: 1}
	t.spool = spool.New(file, spool.Options{
		Open: func(next string) (io.WriteCloser, error) {
			t.drop(next)
			return create(next)
		},
		Lost: lostLine,
		Trouble: func(err error) {
			if err == nil {
				tell("recording to %s again", text.Visible(name, 400))
				return
			}
			tell("recording failed: %s; messages still pass, and recording resumes when the file can be written again", text.Visible(err.Error(), 400))
		},
	})
	t.to = replay.NewRecorder(t, name)
	return t, nil
}

// lostLine returns a line that replaces missing messages in a recording, so that a replay is
// incomplete.
func lostLine(n int, why string) []byte {
	var b bytes.Buffer
	_ = replay.NewRecorder(&b, "").Record(&scanner.Event{Kind: scanner.SkippedEvent, Time: time.Now().UTC(), Session: proxySession,
		Reason: fmt.Sprintf("%s not recorded: %s", count(n, "message"), why)})
	return b.Bytes()
}

// Write writes a line of the recording.
func (t *traffic) Write(line []byte) (int, error) {
	t.size += int64(len(line))
	return t.spool.Write(line)
}

// record writes an event, and sets its location in the recording if it has one.
func (t *traffic) record(e *scanner.Event) {
	if t.spool == nil {
		return
	}
	if t.RecordSize > 0 && t.size >= t.RecordSize {
		t.next(e.Time)
	}
	_ = t.to.Record(e) // a spool never fails
}

// next starts another part.
func (t *traffic) next(at time.Time) {
	t.part++
	t.size = 0
	name := partName(t.name, t.part)
	t.spool.Next(name)
	t.to = replay.NewRecorder(t, name)
	if t.RecordKeep > 0 && t.part > t.RecordKeep {
		_ = t.to.Record(&scanner.Event{Kind: scanner.SkippedEvent, Time: at, Session: proxySession,
			Reason: fmt.Sprintf("the oldest parts of the recording were deleted: --record-keep %d", t.RecordKeep)})
	}
}

// drop deletes the part that exceeds --record-keep once the next one exists.
func (t *traffic) drop(next string) {
	_, number, _ := strings.Cut(next[len(t.name):], partMark)
	n, err := strconv.Atoi(number)
	if err != nil || t.RecordKeep == 0 || n <= t.RecordKeep {
		return
	}
	_ = os.Remove(partName(t.name, n-t.RecordKeep)) // it may be gone already
}

// close writes all pending data and returns an error if something is missing.
func (t *traffic) close() error {
	if t.spool == nil {
		return nil
	}
	if err := t.spool.Close(); err != nil {
		return fmt.Errorf("recording to %s: %w; the recording is incomplete", t.name, err)
	}
	return nil
}
