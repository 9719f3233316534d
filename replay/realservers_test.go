package replay

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestRealServers checks that all sessions of real servers can be read, if they are
// available.
func TestRealServers(t *testing.T) {
	folder := filepath.Join("..", "..", "shared", "realservers")
	files, err := filepath.Glob(filepath.Join(folder, "recordings", "*"))
	if err != nil || len(files) == 0 {
		t.Skipf("the folder %s/recordings is absent", folder)
	}
	for _, name := range files {
		events := read(t, name, contents(t, name))
		parsed := 0
		for _, e := range events {
			var doc wire.Doc
			if e.Kind == scanner.SkippedEvent || e.Kind == scanner.FrameEvent && e.Reason != "" {
				t.Errorf("%s:%d: skipped: %s", name, e.Origin.Line, e.Reason)
			}
			if e.Kind == scanner.FrameEvent && doc.Parse(e.Frame) == nil {
				parsed++
			}
		}
		if parsed < 4 || parsed < len(events)*3/4 {
			t.Errorf("%s: %d of %d events are frames that parse", name, parsed, len(events))
		}
	}
	dumps, _ := filepath.Glob(filepath.Join(folder, "dumps", "*.json"))
	for _, name := range dumps {
		if events := define(t, name, contents(t, name)); len(events) != 1 {
			t.Errorf("%s: %d events", name, len(events))
		}
	}
}

func contents(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
