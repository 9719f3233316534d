package app

import (
	"bytes"
	"cmp"
	"fmt"
	"os"

	"github.com/mcpscan/mcpscan/internal/text"
)

// maxAuditLines is the maximum number of bytes kept in memory while the file cannot be written. The
// oldest events are kept.
const maxAuditLines = 4 << 20

// auditLines appends lines to a file in one operation, so that several processes can append to it, and
// tries again later if that fails.
type auditLines struct {
	file    *os.File
	waiting bytes.Buffer
	failed  error
	lost    int
	tell    func(string, ...any)
}

func (l *auditLines) write() {
	if l.waiting.Len() == 0 {
		return
	}
	err := l.follow()
	if err == nil {
		var n int
		n, err = l.file.Write(l.waiting.Bytes())
		l.waiting.Next(n)
	}
	switch name := text.Visible(l.file.Name(), 400); {
	case err != nil && l.failed == nil:
		l.tell("writing the audit events failed: %s; messages still pass, and writing resumes when the file can be written again", text.Visible(err.Error(), 400))
	case err == nil && l.failed != nil:
		l.tell("writing the audit events to %s again", name)
	}
	l.failed = err
	if all := l.waiting.Bytes(); len(all) > maxAuditLines {
		keep := bytes.LastIndexByte(all[:maxAuditLines], '\n') + 1
		l.lost += bytes.Count(all[keep:], []byte("\n"))
		l.waiting.Truncate(keep)
	}
}

// follow opens the file again if it was renamed or removed, for example by logrotate.
func (l *auditLines) follow() error {
	name := l.file.Name()
	own, err := l.file.Stat()
	if now, missing := os.Stat(name); err == nil && missing == nil && os.SameFile(own, now) {
		return nil
	}
	file, err := openAuditLog(name, os.O_APPEND)
	if err != nil {
		return err
	}
	_ = l.file.Close()
	l.file = file
	return nil
}

// close writes the remaining lines, closes the file, and returns an error if any are missing from it.
func (l *auditLines) close() error {
	l.write()
	err := l.file.Close()
	lost := l.lost + bytes.Count(l.waiting.Bytes(), []byte("\n"))
	switch err = cmp.Or(l.failed, err); {
	case lost == 0:
		return err
	case err == nil:
		return fmt.Errorf("missing audit events: %d", lost)
	}
	return fmt.Errorf("missing audit events: %d; last error: %w", lost, err)
}
