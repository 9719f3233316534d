package proxy_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

const (
	soakSessions = 8
	soakWorkers  = 2  // of a session, which send one request after the other
	soakAsks     = 50 // every so many requests, the server sends one
)

// soaked is a session under load whose messages are counted on both sides.
type soaked struct {
	t *testing.T
	*hosted
	server *played
	id     string

	sent, served, answered  atomic.Int64 // requests
	noted, seen             atomic.Int64 // numbered notifications of the server
	notedSum, seenSum       atomic.Int64 // their numbers in total
	asked, heard, completed atomic.Int64 // requests of the server, and their answers
	reordered               atomic.Int64
	stopped                 sync.WaitGroup
}

func numbered(n int64) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line %d"}}`, n)
}

// serve implements the server: for each request, it reports progress, sends a notification that
// belongs to no request, and answers.
func (s *soaked) serve() {
	last := [soakWorkers]int64{}
	for line := range s.server.lines {
		if strings.Contains(line, `"result"`) {
			s.completed.Add(1)
			continue
		}
		var id int64
		if _, err := fmt.Sscanf(line, `{"jsonrpc":"2.0","id":%d,`, &id); err != nil {
			s.t.Errorf("the server got %q", line)
			continue
		}
		if worker := id % soakWorkers; id <= last[worker] {
			s.reordered.Add(1)
		} else {
			last[worker] = id
		}
		s.served.Add(1)
		n := s.noted.Add(1)
		s.notedSum.Add(n)
		s.server.says(progress(fmt.Sprint(id)), numbered(n))
		if id%soakAsks == 0 {
			s.asked.Add(1)
			s.server.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":"r%d","method":"roots/list"}`, id))
		}
		s.server.says(result(fmt.Sprint(id), int(id)))
	}
}

// take counts a numbered notification, or counts and answers a server request, and reports whether
// the message was either.
func (s *soaked) take(message string, last *int64) (known bool) {
	if text, ok := strings.CutPrefix(message, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line `); ok {
		n, _ := strconv.ParseInt(strings.TrimSuffix(text, `"}}`), 10, 64)
		s.seen.Add(1)
		s.seenSum.Add(n)
		if n <= *last {
			s.reordered.Add(1)
		}
		*last = n
		return true
	}
	if id, ok := strings.CutPrefix(message, `{"jsonrpc":"2.0","id":"r`); ok {
		id, _, _ = strings.Cut(id, `"`)
		s.heard.Add(1)
		s.post(`{"jsonrpc":"2.0","id":"r`+id+`","result":{"roots":[]}}`, http.StatusAccepted, "", s.id)
		return true
	}
	return false
}

// work sends requests one after another, each answered by a stream with its progress and answer.
func (s *soaked) work(worker int64, more func(n int) bool) {
	defer s.stopped.Done()
	for n := 0; more(n) && !s.t.Failed(); n++ {
		id := int64(n+1)*soakWorkers + worker
		token := fmt.Sprint(id)
		s.sent.Add(1)
		o := s.begun(http.MethodPost, tracked(token, token), s.id)
		last, want := int64(0), []string{progress(token), result(token, int(id)), "EOF"}
		for len(want) > 0 {
			switch got := o.next(); {
			case got == want[0]:
				want = want[1:]
			case !s.take(got, &last):
				s.t.Errorf("request %d: got %.300s, want %.300s", id, got, want[0])
				return
			}
		}
		s.answered.Add(1)
		o.close()
	}
}

// read counts what arrives over the session's GET stream.
func (s *soaked) read() {
	o := s.open(http.MethodGet, "", s.id)
	s.stopped.Add(1)
	go func() {
		defer s.stopped.Done()
		for last := int64(0); ; {
			got := o.next()
			if !s.take(got, &last) {
				return
			}
		}
	}()
}

// TestSoakHTTP checks that no message over event streams between HTTP clients and servers started
// by the proxy is lost or reordered, in either direction, and that memory does not grow.
func TestSoakHTTP(t *testing.T) {
	h := host(t, scanner.Options{}, func(o *proxy.Options, c *proxy.Command) {
		o.Decided = func(*scanner.Event, *scanner.Outcome, scanner.Action) {}
		c.MaxSessions = soakSessions
	})
	begin := time.Now()
	m := &flat{t: t, begun: begin}
	var all []*soaked
	var workers sync.WaitGroup
	for range soakSessions {
		p, id := h.begin("{}")
		s := &soaked{t: t, hosted: h, server: p, id: id}
		all = append(all, s)
		go s.serve()
		s.read()
		s.stopped.Add(soakWorkers)
		for worker := range int64(soakWorkers) {
			workers.Go(func() { s.work(worker, func(n int) bool { return long(begin, n, 40) }) })
		}
	}
	total := func(count func(*soaked) int64) (n int) {
		for _, s := range all {
			n += int(count(s))
		}
		return n
	}
	messages := func() int {
		return total(func(s *soaked) int64 {
			return s.sent.Load() + 2*s.served.Load() + s.noted.Load() + s.asked.Load() + s.completed.Load()
		})
	}
	ended := make(chan struct{})
	go func() { workers.Wait(); close(ended) }()
	for tick := time.NewTicker(100 * time.Millisecond); ; {
		select {
		case <-tick.C:
			if m.first == 0 && total(func(s *soaked) int64 { return s.served.Load() }) > 3000 {
				m.first = heap()
			}
			m.look(messages())
			continue
		case <-ended:
			tick.Stop()
		}
		break
	}
	for _, s := range all { // what is still on its way over the other stream
		for n := 0; n < 3000 && (s.seen.Load() < s.noted.Load() || s.completed.Load() < s.asked.Load()); n++ {
			time.Sleep(10 * time.Millisecond)
		}
	}
	lost := total(func(s *soaked) int64 {
		return s.sent.Load() - s.served.Load() + s.served.Load() - s.answered.Load() + s.noted.Load() - s.seen.Load() + s.notedSum.Load() - s.seenSum.Load() + s.asked.Load() - s.completed.Load()
	})
	reordered := total(func(s *soaked) int64 { return s.reordered.Load() })
	if t.Logf("%d messages, %d lost, %d reordered", messages(), lost, reordered); lost != 0 || reordered != 0 {
		t.Errorf("lost or reordered messages")
	}
	if m.first == 0 {
		m.first = heap()
	}
	m.end(messages())
	for _, s := range all {
		h.ask(http.MethodDelete, h.url, "", s.id)
		s.stopped.Wait()
	}
}
