package proxy_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestHeldAtEnd checks that held messages are refused when the client closes its output, because it is ending the
// connection, and that the server's input is closed then.
func TestHeldAtEnd(t *testing.T) {
	for _, capabilities := range []string{`{}`, `{"elicitation":{}}`} {
		a := newAsked()
		c := connect(t, engineOf(t, scanner.Options{Policy: prompting{}}), func(o *proxy.Options) { o.Asking = a.asking(time.Hour) })
		c.say(c.toProxy, initialize(capabilities))
		c.expect(c.serverIn, initialize(capabilities))
		client := bufio.NewReader(c.fromProxy)
		c.say(c.toProxy, call("1", "asked")+"\n")
		c.say(c.serverOut, sampling("7")+"\n")
		for range 2 {
			if capabilities == `{}` {
				<-a.heard
			} else if got := line(t, client); !strings.Contains(got, "elicitation/create") {
				t.Errorf("got %s", got)
			}
		}
		c.toProxy.Close()
		if rest, err := io.ReadAll(c.serverIn); string(rest) != unapproved("7", "the connection ended")+"\n" || err != nil {
			t.Errorf("%s: the server read %q (%v)", capabilities, rest, err)
		}
		got := line(t, client)
		for strings.Contains(got, "notifications/cancelled") { // of a question
			got = line(t, client)
		}
		if want := unapproved("1", "the connection ended") + "\n"; got != want {
			t.Errorf("%s: the client got %q, want %q", capabilities, got, want)
		}
		c.mu.Lock()
		c.clientGone = true
		c.mu.Unlock()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		if err := <-c.done; err != nil {
			t.Error(err)
		}
		a.wantTold(t, `tools/call "asked" for the server srv false: the connection ended`, `sampling/createMessage from the server srv false: the connection ended`)
	}
}

// TestHeldAtExit checks that a held message is refused, and its client told, when the server exits.
func TestHeldAtExit(t *testing.T) {
	a := newAsked()
	c := connect(t, engineOf(t, scanner.Options{Policy: prompting{}}), func(o *proxy.Options) { o.Asking = a.asking(time.Hour) })
	c.say(c.toProxy, call("1", "asked")+"\n")
	<-a.heard
	c.server.exit()
	c.serverOut.Close()
	c.expect(c.fromProxy, unapproved("1", "the connection ended")+"\n")
	if err := <-c.done; err != nil {
		t.Error(err)
	}
	a.wantTold(t, `tools/call "asked" for the server srv false: the connection ended`)
}
