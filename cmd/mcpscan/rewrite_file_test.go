package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
)

// TestRewriteFile checks that a file keeps its mode and links, that the first backup is
// kept, and that concurrent changes are not lost.
func TestRewriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "real.json")
	link := filepath.Join(dir, "link.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	if err := os.Symlink("real.json", link); err != nil {
		t.Skip("no links: ", err)
	}
	backup, err := rewriteFile(link, []byte("one"), []byte("two"), true)
	if err != nil || backup != path+backupSuffix || readFile(t, path) != "two" || readFile(t, backup) != "one" {
		t.Fatalf("%q, %v, %q", backup, err, readFile(t, path))
	}
	for _, name := range []string{path, backup} {
		if info, err := os.Lstat(name); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if _, err := os.Readlink(link); err != nil {
		t.Errorf("the link is gone: %v", err)
	}
	if again, err := rewriteFile(path, []byte("two"), []byte("three"), true); err != nil || again != "" || readFile(t, backup) != "one" {
		t.Errorf("the first backup is %q: %q, %v", readFile(t, backup), again, err)
	}
	write("somebody else's")
	if _, err := rewriteFile(path, []byte("three"), []byte("four"), false); err == nil || !strings.Contains(err.Error(), "changed in the meantime") || readFile(t, path) != "somebody else's" {
		t.Errorf("%v, %q", err, readFile(t, path))
	}
	write("three and more")
	if _, err := rewriteFile(path, []byte("three"), []byte("four"), false); err == nil || readFile(t, path) != "three and more" {
		t.Errorf("%v, %q", err, readFile(t, path))
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("files are not removed: %v", entries)
	}
}

// TestRewriteFailed checks that a backup is removed if the file is not replaced after all.
func TestRewriteFailed(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 255-len(backupSuffix))) // too long for a temporary file beside it
	if err := os.WriteFile(path, []byte("one"), 0o600); err != nil {
		t.Skip("no long names: ", err)
	}
	backup, err := rewriteFile(path, []byte("one"), []byte("two"), true)
	if err == nil || backup != "" || readFile(t, path) != "one" {
		t.Errorf("%q, %v, %q", backup, err, readFile(t, path))
	}
	if _, err := os.Stat(path + backupSuffix); err == nil {
		t.Error("there is a backup of what nobody edited")
	}
}

// TestConcurrentWraps checks that processes that wrap different servers of one file lose none of
// each other's edits, and leave nothing behind but the file and its backup.
func TestConcurrentWraps(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".mcp.json")
	var entries []string
	for i := range 10 {
		entries = append(entries, fmt.Sprintf(`"s%d": {"command": "x"}`, i))
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {`+strings.Join(entries, ", ")+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range entries {
		wg.Go(func() {
			var said strings.Builder
			c := &wrapCmd{wrapFlags: wrapFlags{Name: fmt.Sprintf("s%d", i), Config: path}}
			if err := c.Run(context.Background(), streams{nil, io.Discard, &said}); err != nil {
				t.Errorf("%v\n%s", err, said.String())
			}
		})
	}
	wg.Wait()
	if wrapped := strings.Count(readFile(t, path), "--wrapped"); wrapped != len(entries) {
		t.Errorf("%d of %d servers are wrapped", wrapped, len(entries))
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 2 {
		t.Errorf("files are not removed: %v", left)
	}
}

// TestChangedWhileWrapping covers a client that keeps writing its configuration between our
// reading and writing it.
func TestChangedWhileWrapping(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".mcp.json")
	writes := 0
	written := func() string { return fmt.Sprintf(`{"mcpServers": {"a": {"command": "x"}}, "writes": %d}`, writes) }
	if err := os.WriteFile(path, []byte(written()), 0o600); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	c := &wrapFlags{All: true, Config: path}
	err := c.edit(context.Background(), streams{nil, io.Discard, &said}, func(f *editedFile, data []byte, chosen func(*config.Server) bool) ([]byte, []config.Outcome, error) {
		writes++
		if err := os.WriteFile(path, []byte(written()), 0o600); err != nil {
			t.Fatal(err)
		}
		return config.Wrap(f.path, data, config.Wrapper{Program: "/bin/mcpscan"}, chosen)
	}, true)
	if fail(io.Discard, err) != exitIncomplete || !strings.Contains(said.String(), "the file changed in the meantime; close the client") || readFile(t, path) != written() {
		t.Errorf("%v\n%s\n%s", err, said.String(), readFile(t, path))
	}
	if _, err := os.Stat(path + backupSuffix); err == nil {
		t.Error("there is a backup of what nobody edited")
	}
}

// TestOwnPath checks that ownPath leads to this program, and that another program with the same
// name does not count as this one.
func TestOwnPath(t *testing.T) {
	own, err := ownPath()
	if err != nil || !filepath.IsAbs(own) || !app.ThisProgram(own) {
		t.Fatalf("%q, %v", own, err)
	}
	other := filepath.Join(t.TempDir(), filepath.Base(own))
	if err := os.WriteFile(other, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if app.ThisProgram(other) || app.ThisProgram(filepath.Base(own)) || app.ThisProgram("") {
		t.Error("another program is taken for this one")
	}
}
