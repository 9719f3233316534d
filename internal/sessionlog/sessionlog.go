// Package sessionlog lets the processes that serve one client share a session, with an append-only
// file in a directory that only the user can access, and a lock for taking turns. No process owns
// the session, so none has to be started, found or replaced. If a process is killed, the kernel
// releases its lock, and its entries stay in the log.
//
// The package neither interprets nor trusts the entries, because any process that runs as the user
// can write to the log. Take and Again must never wait longer than the caller allows, and Join and
// Close must never wait longer than Wait.
package sessionlog

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"
)

// The limits on a log.
const (
	MaxEntry = 1 << 20 // bytes of an entry
	maxLog   = 8 << 20 // bytes of the file; a longer one is shortened to at most half of that
	maxSweep = 256     // sessions examined at a time to find those without processes
	maxGap   = 1 << 20 // maximum gap between the numbers of two entries; a line after a larger gap is ignored
	maxJoins = 16      // attempts to join a session that others are leaving
)

// Wait is how long a process waits for its turn. A turn normally lasts as long as judging one
// message.
const Wait = 500 * time.Millisecond

// ErrBusy reports that another process did not end its turn in time.
var ErrBusy = errors.New("another proxy in the session did not end its turn in time")

// ErrLost reports that the log was removed or changed.
var ErrLost = errors.New("the session log was removed or damaged")

// ErrUnsupported reports that the system does not support shared sessions.
var ErrUnsupported = errors.New("proxies cannot share a session on this system")

// Entry is written by one process for the others. It must not contain a line feed.
type Entry struct {
	Data []byte
	Keep bool // prefer to keep it when the log is shortened
}

// entry is a line of the log: a number, the writer and a checksum, followed by an Entry.
type entry struct {
	number, by int64
	Entry
}

var table = crc32.MakeTable(crc32.Castagnoli)

// appendTo appends the entry as a line. The payload must not contain a line feed.
func (e *entry) appendTo(b []byte) []byte {
	mark := "-"
	if e.Keep {
		mark = "+"
	}
	b = fmt.Appendf(b, "%d %d %08x %s ", e.number, e.by, crc32.Checksum(e.Data, table), mark)
	return append(append(b, e.Data...), '\n')
}

// parse parses a line without its line feed. ok is false if the line is malformed or its checksum is
// wrong.
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

// reader tracks the numbers of entries.
type reader struct {
	last int64 // the number of the newest entry read or written
	lost int64 // number of missing entries
}

// read visits the new entries in text. It skips lines that are incomplete or damaged.
func (r *reader) read(text []byte, visit func(entry)) {
	for line := range bytes.Lines(text) {
		e, ok := parse(bytes.TrimSuffix(line, []byte("\n")))
		if !ok || e.number <= r.last || e.number > r.last+maxGap {
			continue // a damaged line appears as a gap
		}
		r.lost += e.number - r.last - 1
		r.last = e.number
		visit(e)
	}
}

// shorten returns a log without its older entries. Entries to keep get a quarter of maxLog, and all
// other entries get another quarter; the newest ones stay. All processes get equal shares of both
// quarters, so that none can displace others' entries.
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
