package spool

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// disk is a fake file whose disk can be slow or full.
type disk struct {
	mu   sync.Mutex
	text strings.Builder
	full bool
	part int           // bytes that fit on a full disk
	gate chan struct{} // each write waits for it; nil for none
}

func (d *disk) Write(b []byte) (int, error) {
	if d.gate != nil {
		<-d.gate
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		n := min(d.part, len(b))
		d.part -= n
		d.text.Write(b[:n])
		return n, errors.New("no space left on device")
	}
	return d.text.Write(b)
}

func (d *disk) Close() error { return nil }

func (d *disk) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String()
}

func (d *disk) set(full bool, part int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full, d.part = full, part
}

func options(troubles *[]string, open func(string) (io.WriteCloser, error)) Options {
	return Options{Open: open, Trouble: func(err error) { *troubles = append(*troubles, fmt.Sprint(err)) },
		Lost: func(n int, why string) []byte { return fmt.Appendf(nil, "lost %d: %s\n", n, why) }}
}

func write(t *testing.T, s *Spool, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if n, err := s.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
}

// TestParts checks that lines reach their files in order.
func TestParts(t *testing.T) {
	files := map[string]*disk{"": {}, "b": {}, "c": {}}
	var troubles []string
	s := New(files[""], options(&troubles, func(name string) (io.WriteCloser, error) { return files[name], nil }))
	write(t, s, "1\n", "2\n")
	s.Next("b")
	write(t, s, "3\n")
	s.Next("c")
	write(t, s, "4\n")
	if err := s.Close(); err != nil || troubles != nil {
		t.Error(err, troubles)
	}
	for name, want := range map[string]string{"": "1\n2\n", "b": "3\n", "c": "4\n"} {
		if got := files[name].String(); got != want {
			t.Errorf("%q has %q, want %q", name, got, want)
		}
	}
}

// TestSlowDisk checks that a slow disk does not delay the caller, and that lost lines are counted
// and replaced by the same number of lines.
func TestSlowDisk(t *testing.T) {
	d := &disk{gate: make(chan struct{})}
	var troubles []string
	s := New(d, options(&troubles, nil))
	big := strings.Repeat("x", maxQueued-2) + "\n"
	write(t, s, big, "lost\n", "lost\n", "lost\n", "\n") // there is only room for the last one
	close(d.gate)
	if err := s.Close(); err == nil || err.Error() != "missing messages: 3" {
		t.Errorf("got %v", err)
	}
	if got, want := d.String(), big+"lost 3: the disk could not keep up\n\n\n\n"; got != want {
		t.Errorf("after the first line: %q", got[len(big):])
	}
}

// TestLongLine checks that a line longer than the queue is accepted if nothing else
// is waiting.
func TestLongLine(t *testing.T) {
	d := &disk{}
	var troubles []string
	s := New(d, options(&troubles, nil))
	long := strings.Repeat("x", 2*maxQueued) + "\n"
	write(t, s, long)
	if err := s.Close(); err != nil || d.String() != long {
		t.Error(err, len(d.String()))
	}
}

// TestFullDisk checks that a full disk does not delay the caller. Once there is space again, the
// incomplete line must be continued, without losing any line that the queue could hold.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		var troubles []string
		s := New(d, options(&troubles, nil))
		d.set(true, 3)
		write(t, s, "first\n")
		synctest.Wait()
		write(t, s, "second\n")
		synctest.Wait()
		if d.String() != "fir" {
			t.Errorf("got %q", d.String())
		}
		write(t, s, strings.Repeat("x", maxQueued)+"\n")
		d.set(false, 0)
		time.Sleep(2 * retryWait)
		write(t, s, "third\n")
		if err := s.Close(); err == nil || err.Error() != "missing messages: 1" {
			t.Errorf("got %v", err)
		}
		if want := "first\nsecond\nlost 1: no space left on device\nthird\n"; d.String() != want {
			t.Errorf("got %q, want %q", d.String(), want)
		}
		if want := "[no space left on device <nil>]"; fmt.Sprint(troubles) != want {
			t.Errorf("got %v", troubles)
		}
	})
}

// TestFullDiskAtTheEnd checks that if the disk is still full on Close, only unwritten lines are
// lost.
func TestFullDiskAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{full: true, part: 8}
		var troubles []string
		s := New(d, options(&troubles, func(string) (io.WriteCloser, error) { return nil, errors.New("no space for a file") }))
		write(t, s, "first\n", "second\n")
		s.Next("b")
		write(t, s, "third\n")
		if err := s.Close(); err == nil || !strings.HasPrefix(err.Error(), "missing messages: 2\n") {
			t.Errorf("got %v", err)
		}
		if d.String() != "first\nse" {
			t.Errorf("got %q", d.String())
		}
	})
}

// TestStuckDisk checks that Close returns even if the disk does not respond.
func TestStuckDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{gate: make(chan struct{})}
		var troubles []string
		s := New(d, options(&troubles, nil))
		write(t, s, "first\n")
		synctest.Wait()
		write(t, s, "second\n")
		if err := s.Close(); err == nil || err.Error() != "missing messages: 2" {
			t.Errorf("got %v", err)
		}
		close(d.gate)
	})
}
