// Package sessionlog lets the processes that serve one client share a session: an append-only
// file in a directory of the user alone, and a lock by which they take turns. No process holds
// the session, so none has to be started, found or replaced: when one is killed, the kernel
// gives its lock back, and what it had written stays for the others.
//
// It knows nothing of what is written, and trusts none of it: any process of the user can write
// there. It must never wait longer than it was told to.
package sessionlog

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"
)

// The bounds of a log.
const (
	MaxEntry = 1 << 20 // bytes of an entry
	maxLog   = 8 << 20 // of the file; what is kept of a longer one is half of it at most
	maxSweep = 256     // sessions without processes that are looked for at once
	maxGap   = 1 << 20 // entries between two: a number further on is no number of ours
	maxJoins = 16      // tries to join a session that others leave at the same time
)

// Wait is how long a process waits for its turn. One that holds it does so for the time that a
// message takes to be judged.
const Wait = 500 * time.Millisecond

// ErrBusy says that another process did not give back its turn in time.
var ErrBusy = fmt.Errorf("another proxy of the session did not answer within %s", Wait)

// ErrLost says that the log is not what it was: somebody has removed or changed it.
var ErrLost = errors.New("the log of the session was removed or damaged")

// ErrUnsupported says that the system has no shared sessions.
var ErrUnsupported = errors.New("proxies share no session on this system")

// Entry is what a process writes for the others. It has no line feed.
type Entry struct {
	Data []byte
	Keep bool // it is to outlast others when the log is shortened
}

// entry is a line of the log: its number, who wrote it and a checksum, ahead of an Entry.
type entry struct {
	number, by int64
	Entry
}

var table = crc32.MakeTable(crc32.Castagnoli)

// appendTo appends the line of an entry. The payload has no line feed.
func (e *entry) appendTo(b []byte) []byte {
	mark := "-"
	if e.Keep {
		mark = "+"
	}
	b = fmt.Appendf(b, "%d %d %08x %s ", e.number, e.by, crc32.Checksum(e.Data, table), mark)
	return append(append(b, e.Data...), '\n')
}

// parse reads a line without its end. A line that was cut off, or that nobody wrote with
// appendTo, is not ok.
func parse(line []byte) (e entry, ok bool) {
	parts := bytes.SplitN(line, []byte(" "), 5)
	if len(parts) != 5 || len(parts[3]) != 1 || len(parts[4]) > MaxEntry {
		return entry{}, false
	}
	data := parts[4]
	number, err1 := strconv.ParseInt(string(parts[0]), 10, 64)
	by, err2 := strconv.ParseInt(string(parts[1]), 10, 64)
	if err1 != nil || err2 != nil || number <= 0 || by <= 0 || fmt.Sprintf("%08x", crc32.Checksum(data, table)) != string(parts[2]) {
		return entry{}, false
	}
	return entry{number, by, Entry{data, parts[3][0] == '+'}}, true
}

// reader follows the numbers of entries.
type reader struct {
	last int64 // the number of the newest entry that was read or written
	lost int64 // entries that were not there to be read
}

// read visits the entries of whole lines that are new.
func (r *reader) read(text []byte, visit func(entry)) {
	for line := range bytes.Lines(text) {
		e, ok := parse(bytes.TrimSuffix(line, []byte("\n")))
		if !ok || e.number <= r.last || e.number > r.last+maxGap {
			continue // a gap tells of what was damaged
		}
		r.lost += e.number - r.last - 1
		r.last = e.number
		visit(e)
	}
}

// shorten returns the text of a log without its older entries: those that are to be kept may
// take a quarter of maxLog, the newest of all others another quarter. Each process has the
// same share of both, so that none can push out what others have written.
func shorten(text []byte) []byte {
	type share struct {
		by   int64
		keep bool
	}
	var lines [][]byte
	var entries []entry
	writers := map[int64]bool{}
	for line := range bytes.Lines(text) {
		if e, ok := parse(bytes.TrimSuffix(line, []byte("\n"))); ok && line[len(line)-1] == '\n' {
			lines, entries = append(lines, line), append(entries, e)
			writers[e.by] = true
		}
	}
	taken, kept := map[share]int{}, make([]bool, len(lines))
	for i := len(lines) - 1; i >= 0; i-- {
		of := share{entries[i].by, entries[i].Keep}
		taken[of] += len(lines[i])
		kept[i] = taken[of] <= maxLog/4/len(writers)
	}
	var short []byte
	for i, line := range lines {
		if kept[i] {
			short = append(short, line...)
		}
	}
	return short
}
