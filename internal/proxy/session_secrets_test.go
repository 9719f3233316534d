//go:build linux || darwin

package proxy_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/sessionlog"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestSessionSecrets checks that a proxy masks the secrets that the server of another proxy in its
// session was given, and that the session log contains neither them nor their beginnings.
func TestSessionSecrets(t *testing.T) {
	base := t.TempDir()
	given := []string{"hunter2-secret", "tok/8f14e45fceea167a+5a36==", "postgres", "short1"}
	engine := engineOf(t, scanner.Options{})
	recorded := make(chan string, 100)
	join := func(server string, given []string) *connection {
		log, err := sessionlog.Join(base, "client")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(log.Close)
		at := proxy.Connection{Session: "client/" + server, Server: server, Given: text.NewSecrets(given, nil)}
		c := connectAs(t, engine, at, func(o *proxy.Options) {
			o.Session, o.Engine = log, engine.Live().Sharing()
			o.Record = func(e *scanner.Event) {
				if e.Kind == scanner.FrameEvent {
					recorded <- string(e.Frame)
				}
			}
		})
		go func() { _, _ = io.Copy(io.Discard, c.serverIn) }()
		return c
	}
	files, mail := join("files", given), join("mail", nil)
	files.say(files.toProxy, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	<-recorded
	mail.say(mail.toProxy, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	<-recorded
	for _, c := range [][2]string{
		{`it is tok/8f14e45fceea167a+5a36==.`, `it is [masked].`},
		{`\nhunter2-secret`, `\n[masked]`},
		{`postgres://u:hunter2-secret@db`, `postgres://u:[masked]@db`},
		{`aHVudGVyMi1zZWNyZXQ`, `[masked]Q`}, // in base64, now that it is known
		{`postgres short1 hunter2`, `postgres short1 hunter2`},
	} {
		line := func(text string) string {
			return `{"jsonrpc":"2.0","method":"notifications/x","params":{"text":"` + text + `"}}`
		}
		mail.say(mail.toProxy, line(c[0])+"\n")
		if got := <-recorded; got != line(c[1]) {
			t.Errorf("recorded %s, want %s", got, line(c[1]))
		}
	}
	logs, _ := filepath.Glob(filepath.Join(base, "*", "*", "log"))
	if len(logs) != 1 {
		t.Fatalf("the session logs are %q", logs)
	}
	written, err := os.ReadFile(logs[0])
	if err != nil || !strings.Contains(string(written), "given ") {
		t.Errorf("the log contains %s (%v)", written, err)
	}
	for _, part := range []string{"hunter2", "8f14", "postgres", "short1"} {
		if strings.Contains(string(written), part) {
			t.Errorf("the log contains %q: %s", part, written)
		}
	}
	for _, c := range []*connection{files, mail} {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	}
}
