package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// unit is what a progress display counts: listed servers or bytes read.
type unit int

const (
	listedServers unit = iota
	bytesRead
)

// progress shows on a terminal how much a run has done, its speed and the remaining time. A nil
// progress shows nothing.
type progress struct {
	to    io.Writer
	what  string
	total int64 // 0 if unknown
	unit  unit
	began time.Time

	done atomic.Int64

	ending sync.Once
	ended  chan struct{}
	drawn  sync.WaitGroup
}

// progressInterval is the interval between updates of the line. Shorter runs show no progress.
const progressInterval = 250 * time.Millisecond

// newProgress starts a progress display if standard error is a terminal that can erase a line.
func newProgress(std streams, what string, total int64, of unit, quiet bool) *progress {
	if quiet || !terminal(std.err) || os.Getenv("TERM") == "dumb" || of == listedServers && total == 0 {
		return nil
	}
	p := &progress{to: std.err, what: what, total: total, unit: of, began: time.Now(), ended: make(chan struct{})}
	p.drawn.Go(func() {
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprint(p.to, "\r\x1b[K"+progressLine(p.what, p.unit, p.done.Load(), p.total, time.Since(p.began)))
			case <-p.ended:
				fmt.Fprint(p.to, "\r\x1b[K")
				return
			}
		}
	})
	return p
}

// add records that n more units are done.
func (p *progress) add(n int) {
	if p != nil {
		p.done.Add(int64(n))
	}
}

// end stops the display and erases the line.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.ending.Do(func() { close(p.ended) })
	p.drawn.Wait()
}

// counting returns a reader that counts the bytes read from r.
func (p *progress) counting(r io.Reader) io.Reader {
	if p == nil {
		return r
	}
	return &countedReader{r, p}
}

type countedReader struct {
	io.Reader
	progress *progress
}

func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.add(n)
	return n, err
}

// progressLine formats the progress line. It includes the remaining time if that can be estimated.
func progressLine(what string, of unit, done, total int64, elapsed time.Duration) string {
	amount, rate := of.amount(done), ""
	if total > 0 {
		amount += " of " + of.amount(total)
	}
	if done > 0 && elapsed > 0 {
		perSecond := float64(done) / elapsed.Seconds()
		rate = ", " + of.rate(perSecond)
		if total > done {
			left := time.Duration(float64(total-done) / perSecond * float64(time.Second))
			rate += ", " + max(left, time.Second).Round(time.Second).String() + " left"
		}
	}
	return fmt.Sprintf("%s: %s%s, %s", what, amount, rate, elapsed.Round(time.Second))
}

func (u unit) amount(n int64) string {
	if u == listedServers {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func (u unit) rate(perSecond float64) string {
	switch {
	case u == bytesRead:
		return fmt.Sprintf("%.1f MB/s", perSecond/1e6)
	case perSecond < 1:
		return fmt.Sprintf("%.1f/min", perSecond*60)
	}
	return fmt.Sprintf("%.1f/s", perSecond)
}

// bytesOf returns the total size of the files, or 0 if any size is unknown.
func bytesOf(files []string) int64 {
	var total int64
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}
