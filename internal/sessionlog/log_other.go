//go:build !linux && !darwin

package sessionlog

import "time"

// Log is a session that this process takes part in: none, on this system.
type Log struct{}

// Join refuses: the system has no shared sessions.
func Join(base, name string) (*Log, error) { return nil, ErrUnsupported }

// Number is one that no other process of the session has.
func (l *Log) Number() int64 { return 0 }

// Take refuses.
func (l *Log) Take(time.Duration) (news [][]byte, lost int64, err error) {
	return nil, 0, ErrUnsupported
}

// Again refuses.
func (l *Log) Again(time.Duration) error { return ErrUnsupported }

// Write refuses.
func (l *Log) Write(...Entry) error { return ErrUnsupported }

// End does nothing, and neither does Close.
func (l *Log) End() {}

// Close does nothing.
func (l *Log) Close() {}

// BaseDir is where sessions of this user would be.
func BaseDir() (string, error) { return "", ErrUnsupported }
