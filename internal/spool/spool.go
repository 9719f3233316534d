// Package spool writes lines to files through a bounded queue.
//
// Write must never wait for a disk. A line in the file must say how many lines were lost because the
// queue was full.
package spool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	maxQueued  = 16 << 20        // bytes waiting to be written
	spareBytes = 1 << 20         // largest buffer kept for the next lines
	retryWait  = time.Second     // wait between two attempts to write
	closeWait  = 5 * time.Second // time to write what is left in the queue
)

// Options configures a Spool.
type Options struct {
	// Open creates a file.
	Open func(name string) (io.WriteCloser, error)
	// Lost returns the line, including its line feed, that replaces n lost lines.
	Lost func(n int, why string) []byte
	// Trouble is called with an error when writing begins to fail, and with nil when it works again.
	Trouble func(error)
}

// Spool writes lines to a file; Next switches to another one. Its methods must be called by one
// goroutine at a time.
//
// Lines are lost if the queue is full. In the file, they are replaced by a line that gives their number,
// followed by empty lines so that later lines keep their line numbers. Failed writes to a file are
// retried until the spool is closed.
type Spool struct {
	o Options

	mu      sync.Mutex
	parts   []part // at least one; new lines go to the last
	writing []byte // being written
	queued  int    // bytes in parts and writing
	lost    int    // lines lost after the last part
	why     string // reason for the loss
	total   int    // lines lost in all
	failed  error  // why writing fails; nil if it works
	ending  bool

	wake chan struct{}
	done chan struct{}
}

// part is data waiting to be written to one file.
type part struct {
	name string // name of a new file, or "" to continue the current one
	data []byte
}

// New returns a spool that writes to file, which is already open.
func New(file io.WriteCloser, o Options) *Spool {
	s := &Spool{o: o, parts: make([]part, 1), wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.run(file)
	return s
}

// Write queues one line, including its line feed. It returns no error; lost lines are counted.
func (s *Spool) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queued > 0 && s.queued+len(line) > maxQueued {
		s.lost++
		s.total++
		if s.why = "the disk could not keep up"; s.failed != nil {
			s.why = s.failed.Error()
		}
		return len(line), nil
	}
	s.tellLost()
	s.add(line)
	return len(line), nil
}

// Next switches to another file for the lines that follow.
func (s *Spool) Next(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellLost()
	s.parts = append(s.parts, part{name: name})
	s.signal()
}

// tellLost queues the replacement for lost lines.
func (s *Spool) tellLost() {
	if s.lost == 0 {
		return
	}
	s.add(s.o.Lost(s.lost, s.why))
	s.add(bytes.Repeat([]byte("\n"), s.lost-1))
	s.lost = 0
}

func (s *Spool) add(data []byte) {
	last := &s.parts[len(s.parts)-1]
	last.data = append(last.data, data...)
	s.queued += len(data)
	s.signal()
}

func (s *Spool) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close writes what is queued, and returns an error if lines were lost or writing still fails. It waits
// a few seconds for a disk that does not respond.
func (s *Spool) Close() error {
	s.mu.Lock()
	s.ending = true
	s.tellLost()
	s.signal()
	s.mu.Unlock()
	timer := time.NewTimer(closeWait)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range append(s.parts, part{data: s.writing}) { // data that was not written
		s.total += bytes.Count(p.data, []byte("\n"))
	}
	if s.total == 0 {
		return s.failed
	}
	return errors.Join(fmt.Errorf("missing messages: %d", s.total), s.failed)
}

// run writes queued lines until the spool is closed.
func (s *Spool) run(file io.WriteCloser) {
	defer close(s.done)
	var spare []byte
	for {
		p, ok := s.take(spare)
		if !ok {
			break
		}
		if p.name != "" {
			file = s.open(file, p.name)
		}
		rest := s.put(file, p.data)
		s.mu.Lock()
		s.queued -= len(p.data)
		s.writing = nil
		s.total += bytes.Count(rest, []byte("\n"))
		s.mu.Unlock()
		if spare = p.data; cap(spare) > spareBytes {
			spare = nil
		}
	}
	if file != nil {
		if err := file.Close(); err != nil {
			s.trouble(err)
		}
	}
}

// take waits for a part to write, and returns false once the spool is closed and nothing is queued.
// spare becomes the buffer for new lines.
func (s *Spool) take(spare []byte) (part, bool) {
	for {
		s.mu.Lock()
		p, more, ending := s.parts[0], len(s.parts) > 1, s.ending
		if more {
			s.parts = s.parts[1:]
		} else if len(p.data) > 0 || p.name != "" {
			s.parts[0] = part{data: spare[:0]}
			more = true
		}
		if more {
			s.writing = p.data
		}
		s.mu.Unlock()
		switch {
		case more:
			return p, true
		case ending:
			return part{}, false
		}
		<-s.wake
	}
}

// open closes a file and opens the next one, retrying if that fails. It returns nil if the spool is
// closed first.
func (s *Spool) open(file io.WriteCloser, name string) io.WriteCloser {
	if file != nil {
		if err := file.Close(); err != nil {
			s.trouble(err)
		}
	}
	for {
		next, err := s.o.Open(name)
		if err == nil {
			return next
		}
		s.trouble(err)
		if !s.again() {
			return nil
		}
	}
}

// put writes data, and returns what could not be written before the spool was closed.
func (s *Spool) put(file io.WriteCloser, data []byte) (rest []byte) {
	if file == nil {
		return data
	}
	for len(data) > 0 {
		n, err := file.Write(data)
		data = data[n:]
		if err == nil {
			s.trouble(nil)
			continue
		}
		s.trouble(err)
		if !s.again() {
			return data
		}
	}
	return nil
}

// trouble records a write error, or nil once writing works again, and reports when writing begins or
// ceases to fail.
func (s *Spool) trouble(err error) {
	s.mu.Lock()
	news := (err == nil) != (s.failed == nil)
	s.failed = err
	s.mu.Unlock()
	if news {
		s.o.Trouble(err)
	}
}

// again waits until the next attempt is due, and returns false if the spool is being closed.
func (s *Spool) again() bool {
	timer := time.NewTimer(retryWait)
	defer timer.Stop()
	for {
		s.mu.Lock()
		ending := s.ending
		s.mu.Unlock()
		if ending {
			return false
		}
		select {
		case <-timer.C:
			return true
		case <-s.wake:
		}
	}
}
