package deliver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiver accepts bodies and responds with the given statuses, and then with 200.
type receiver struct {
	mu       sync.Mutex
	statuses []int
	got      []string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, req.Header.Get("Authorization")+" "+string(body))
	status := http.StatusOK
	if len(r.statuses) > 0 {
		status, r.statuses = r.statuses[0], r.statuses[1:]
	}
	if status/100 == 3 {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(status)
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

// TestDelivery checks that bodies arrive in order, and are sent again only after an
// error that may be temporary.
func TestDelivery(t *testing.T) {
	r := &receiver{statuses: []int{200, 503, 200, 400, 302}}
	server := httptest.NewServer(r)
	defer server.Close()
	var told []error
	s := New(server.URL+"/secret-path", http.Header{"Authorization": {"Bearer t"}}, func(err error) { told = append(told, err) })
	for _, body := range []string{"1", "2", "3", "4", "5"} {
		s.Send([]byte(body))
	}
	s.Send(make([]byte, maxBody+1))
	for range 600 { // Close would give up before the second attempt
		if r.count() == 6 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	err := s.Close()
	if err == nil || err.Error() != "requests not delivered: 3; last error: status 302" {
		t.Errorf("got %v", err)
	}
	if want := []string{"Bearer t 1", "Bearer t 2", "Bearer t 2", "Bearer t 3", "Bearer t 4", "Bearer t 5"}; !slices.Equal(r.got, want) {
		t.Errorf("got %q, want %q", r.got, want)
	}
	s.Send([]byte("late"))
	if len(told) == 0 || told[0] == nil || told[0].Error() != "status 400" {
		t.Errorf("told: %v", told)
	}
}

// TestTrouble checks that failures are reported when they begin and when they end.
func TestTrouble(t *testing.T) {
	r := &receiver{statuses: []int{200, 403, 404, 200, 200}}
	server := httptest.NewServer(r)
	defer server.Close()
	told := make(chan error, 8)
	s := New(server.URL, nil, func(err error) { told <- err })
	for range 5 {
		s.Send([]byte("{}"))
	}
	if begin, end := <-told, <-told; begin == nil || begin.Error() != "status 403" || end != nil {
		t.Errorf("told: %v, %v", begin, end)
	}
	if err := s.Close(); err == nil || len(told) > 0 {
		t.Errorf("got %v, %d more reports", err, len(told))
	}
}

// TestFullQueue checks that a receiver that does not respond delays neither the caller nor
// the exit, and that the error does not contain its URL.
func TestFullQueue(t *testing.T) {
	stuck := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stuck }))
	s := New(server.URL+"/secret-path", nil, func(error) {})
	for range 2 * maxQueued {
		s.Send([]byte("{}"))
	}
	s.cancel() // as Close does at the end
	err := s.Close()
	if err == nil || !strings.Contains(err.Error(), "not delivered") || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("got %v", err)
	}
	close(stuck)
	server.Close()
}
