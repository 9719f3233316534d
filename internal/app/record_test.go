package app

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestExistingFilesBecomePrivate checks that others can no longer read a file that existed before a
// command writes messages or calls to it.
func TestExistingFilesBecomePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	tell := func(string, ...any) {}
	for what, open := range map[string]func(name string) (io.Closer, error){
		"scan --record":   func(name string) (io.Closer, error) { return OpenRecording(name) },
		"proxy --record":  func(name string) (io.Closer, error) { return OpenTraffic(name, 0, 0, tell) },
		"replay --events": func(name string) (io.Closer, error) { return OpenAuditLog(name) },
		"proxy --events":  func(name string) (io.Closer, error) { return AppendAuditLog(name, tell) },
	} {
		name := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(name, []byte("{}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if is, err := os.Stat(name); err != nil || is.Mode().Perm() != 0o600 {
			t.Errorf("%s: the file has mode %v (%v)", what, is.Mode(), err)
		}
	}
}
