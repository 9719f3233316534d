package app

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/spool"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// ProxySession is the session name for a connection through a proxy.
const ProxySession = "proxy"

// Traffic is a proxy's recording. Writing to the recording does not delay messages.
type Traffic struct {
	name  string
	limit int64 // size in bytes at which a new part starts; 0 for no limit
	keep  int   // maximum number of parts; 0 for no limit
	part  int
	size  int64 // of the current part
	to    *replay.Recorder
	spool *spool.Spool // nil if nothing is recorded
	claim *os.File     // kept open to reserve the recording's name
}

// OpenTraffic creates the --record file, accessible only to its owner, and deletes the other parts
// of the recording that it replaces. A new part starts when the current one reaches the given size in
// bytes, and keep is the maximum number of parts; 0 means no limit. OpenTraffic calls tell to report
// problems with the file.
func OpenTraffic(name string, size int64, keep int, tell func(string, ...any)) (*Traffic, error) {
	if name == "" {
		return &Traffic{}, nil
	}
	if name == "-" {
		return nil, errRecordStdout
	}
	create := func(name string) (io.WriteCloser, error) { return openPrivate(name, os.O_TRUNC) }
	wanted := name
	name, claim, err := claimed(wanted)
	if err != nil {
		return nil, fmt.Errorf("creating the recording: %w", err)
	}
	if name != wanted {
		tell("recording to %s: another proxy is recording to %s", text.Visible(name, 400), text.Visible(wanted, 400))
	}
	file, err := create(name)
	if err != nil {
		claim.Close()
		return nil, fmt.Errorf("creating the recording: %w", err)
	}
	for _, old := range make(directories).parts(name) {
		if err := os.Remove(partName(name, old)); err != nil {
			file.Close()
			claim.Close()
			return nil, fmt.Errorf("replacing the recording: %w", err)
		}
	}
	t := &Traffic{name: name, limit: size, keep: keep, part: 1, claim: claim}
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

// maxClaims is the maximum number of proxies that record to the same name at a time.
const maxClaims = 64

// claimed returns the first name to which no other proxy is recording: FILE, FILE-2, FILE-3 and so
// on, with the number before the extension. Closing the returned file releases the name.
func claimed(name string) (free string, claim *os.File, err error) {
	extension := filepath.Ext(name)
	free = name
	for n := 2; n <= maxClaims+1; n++ {
		if claim, err = os.OpenFile(free, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return "", nil, err
		}
		if is, err := claim.Stat(); err != nil || !is.Mode().IsRegular() || exclusive(claim) {
			return free, claim, nil
		}
		claim.Close()
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, extension), n, extension)
	}
	return "", nil, fmt.Errorf("%d proxies are already recording to %s and its numbered variants", maxClaims, name)
}

// lostLine returns a recording line that reports n missing messages and makes a replay incomplete.
func lostLine(n int, why string) []byte {
	var b bytes.Buffer
	_ = replay.NewRecorder(&b, "").Record(&scanner.Event{Kind: scanner.SkippedEvent, Time: time.Now().UTC(), Session: ProxySession,
		Reason: fmt.Sprintf("%s not recorded: %s", report.Count(n, "message"), why)})
	return b.Bytes()
}

// Write writes a line to the recording.
func (t *Traffic) Write(line []byte) (int, error) {
	t.size += int64(len(line))
	return t.spool.Write(line)
}

// Record writes an event, and sets its location to the line written, if any.
func (t *Traffic) Record(e *scanner.Event) {
	if t.spool == nil {
		return
	}
	if t.limit > 0 && t.size >= t.limit {
		t.next(e.Time)
	}
	_ = t.to.Record(e) // a spool never fails
}

// next starts a new part.
func (t *Traffic) next(at time.Time) {
	t.part++
	t.size = 0
	name := partName(t.name, t.part)
	t.spool.Next(name)
	t.to = replay.NewRecorder(t, name)
	if t.keep > 0 && t.part > t.keep {
		_ = t.to.Record(&scanner.Event{Kind: scanner.SkippedEvent, Time: at, Session: ProxySession,
			Reason: fmt.Sprintf("the oldest parts of the recording were deleted: --record-keep %d", t.keep)})
	}
}

// drop deletes the oldest part if creating the part named next would exceed --record-keep.
func (t *Traffic) drop(next string) {
	_, number, _ := strings.Cut(next[len(t.name):], partMark)
	n, err := strconv.Atoi(number)
	if err != nil || t.keep == 0 || n <= t.keep {
		return
	}
	_ = os.Remove(partName(t.name, n-t.keep)) // it may be gone already
}

// Close writes all pending data and returns an error if the recording is incomplete.
func (t *Traffic) Close() error {
	if t.spool == nil {
		return nil
	}
	defer t.claim.Close()
	if err := t.spool.Close(); err != nil {
		return fmt.Errorf("recording to %s: %w; the recording is incomplete", t.name, err)
	}
	return nil
}
