package app

import (
	"bytes"
	"errors"
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
	n, err := l.file.Write(l.waiting.Bytes())
	l.waiting.Next(n)
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

// close writes the remaining lines, and returns an error if any are missing from the file.
func (l *auditLines) close() error {
	if l.waiting.Len() > 0 {
		l.write()
	}
	if lost := l.lost + bytes.Count(l.waiting.Bytes(), []byte("\n")); lost > 0 {
		return errors.Join(fmt.Errorf("missing audit events: %d", lost), l.failed)
	}
	return nil
}
