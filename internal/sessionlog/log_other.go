//go:build !linux && !darwin

package sessionlog

import "time"

// Log is a shared session, which this system does not support.
type Log struct{}

// Join returns ErrUnsupported.
func Join(base, name string) (*Log, error) { return nil, ErrUnsupported }

// Number returns 0.
func (l *Log) Number() int64 { return 0 }

// Take returns ErrUnsupported.
func (l *Log) Take(time.Duration) (news [][]byte, lost int64, err error) {
	return nil, 0, ErrUnsupported
}

// Again returns ErrUnsupported.
func (l *Log) Again(time.Duration) error { return ErrUnsupported }

// Write returns ErrUnsupported.
func (l *Log) Write(...Entry) error { return ErrUnsupported }

// End does nothing.
func (l *Log) End() {}

// Close does nothing.
func (l *Log) Close() {}

// BaseDir returns ErrUnsupported.
func BaseDir() (string, error) { return "", ErrUnsupported }
