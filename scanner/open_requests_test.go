package scanner_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestOpenRequests checks that a request remains open until it has been answered as often as it was
// sent, however many others are open.
func TestOpenRequests(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var r scanner.Requests
		want := map[string][]string{} // the targets of the open requests
		for n := range rapid.IntRange(1, 200).Draw(rt, "steps") {
			id := fmt.Sprint(rapid.IntRange(0, 30).Draw(rt, "id"))
			if rapid.IntRange(0, 2).Draw(rt, "put") > 0 {
				c := scanner.PendingCall{Method: "tools/call", Target: fmt.Sprint(n)}
				want[id] = append(want[id], c.Target)
				if !r.Put(id, c) {
					rt.Fatalf("no place for request %s beside %d", id, len(want))
				}
			} else {
				open := len(want[id]) > 0
				if taken := r.Take(id); taken != open {
					rt.Fatalf("request %s was open: %t, want %t", id, taken, open)
				}
				if want[id] = want[id][min(1, len(want[id])):]; len(want[id]) == 0 {
					delete(want, id)
				}
			}
			if r.Len() != len(want) {
				rt.Fatalf("%d open requests, want %d", r.Len(), len(want))
			}
			for i := range 31 {
				id := fmt.Sprint(i)
				if c, open := r.Get(id); open != (len(want[id]) > 0) || open && c.Target != want[id][len(want[id])-1] {
					rt.Fatalf("request %s is %+v, want the last of %q", id, c, want[id])
				}
			}
		}
	})
}

// TestAnswersInOtherForms checks that a response answers the request whose id is the same number for a client
// that compares ids as numbers.
func TestAnswersInOtherForms(t *testing.T) {
	for id, same := range map[string]bool{`1`: true, `"1"`: true, `1.0`: true, `10e-1`: true, `" 1 "`: true, `"\u0031"`: true, `"0x1"`: true,
		`"x"`: false, `1.5`: false, `"2"`: false, `""`: false, ``: false, `[1]`: false, `true`: false, `"Infinity"`: false, `1e400`: false} {
		var r scanner.Requests
		if r.Put("1", scanner.PendingCall{}); r.Take(id) != same {
			t.Errorf("the response to %s answers the request 1: %t", id, !same)
		}
	}
	var r scanner.Requests
	r.Put("1", scanner.PendingCall{})
	r.Put(`"1"`, scanner.PendingCall{})
	if !r.Take(`"1"`) || !r.Take(`1`) {
		t.Error("a response with the id of one request answers another one")
	}
}

// TestMostOpenRequests checks that no request beyond the bound is remembered, and that a repeated
// ID does not count as another request.
func TestMostOpenRequests(t *testing.T) {
	var r scanner.Requests
	for i := range scanner.MostPending {
		if !r.Put(fmt.Sprint(i), scanner.PendingCall{}) {
			t.Fatalf("no place for request %d", i)
		}
	}
	if r.Put("one more", scanner.PendingCall{}) || r.Len() != scanner.MostPending {
		t.Errorf("%d open requests, want %d", r.Len(), scanner.MostPending)
	}
	if !r.Put("7", scanner.PendingCall{Method: "ping"}) {
		t.Error("no place for a request that is open already")
	}
	if c, _ := r.Get("7"); c.Method != "ping" {
		t.Errorf("the request is %+v", c)
	}
	if !r.Take("0") || !r.Put("one more", scanner.PendingCall{}) {
		t.Error("an answer makes no place")
	}
}

// TestRefusedRequests checks that refused requests, which are never answered, leave room for others, and
// that one is not taken for an open request with the same ID.
func TestRefusedRequests(t *testing.T) {
	var r scanner.Requests
	for i := range 2 * scanner.MostPending {
		id := fmt.Sprint(i)
		if !r.Put(id, scanner.PendingCall{}) {
			t.Fatalf("no place for request %d after refused ones", i)
		}
		r.Refuse(id)
	}
	if _, open := r.Get(fmt.Sprint(2*scanner.MostPending - 1)); !open {
		t.Error("the last refused request is not known")
	}
	for _, refuse := range []int{0, 1} {
		var r scanner.Requests
		for i := range 2 {
			if r.Put("7", scanner.PendingCall{}); i == refuse {
				r.Refuse("7")
			}
		}
		if !r.Take("7") || r.Take("7") {
			t.Errorf("two requests with an ID, of which number %d was refused, are not answered once", refuse)
		}
	}
}
