package lockfile_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// writeForever and addServer are environment variables for child processes. The first names the
// file to write until the process is killed; the second names the server to add to the file given
// as an argument.
const (
	writeForever = "LOCKFILE_TEST_WRITE"
	addServer    = "LOCKFILE_TEST_ADD"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(writeForever); path != "" {
		for i := 0; ; i++ {
			if _, err := lockfile.Edit(context.Background(), path, true, fill(i%2)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Print(".")
		}
	}
	if name := os.Getenv(addServer); name != "" {
		if _, err := lockfile.Edit(context.Background(), os.Args[1], true, add(name)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// add adds a server slowly, so that a concurrent writer that does not wait would overwrite the
// addition.
func add(name string) func(*lockfile.File) error {
	return func(f *lockfile.File) error {
		time.Sleep(20 * time.Millisecond)
		f.Servers[name] = &lockfile.Server{Name: name, Entries: map[mcp.DefinitionKey]*lockfile.Entry{}}
		return nil
	}
}

// fill creates one of two lockfiles of a few hundred kilobytes.
func fill(which int) func(*lockfile.File) error {
	return func(f *lockfile.File) error {
		s := &lockfile.Server{Name: "calc", Entries: map[mcp.DefinitionKey]*lockfile.Entry{}}
		for i := range 200 {
			name := fmt.Sprintf("tool%d", i)
			e := &lockfile.Entry{Status: lockfile.Pending}
			e.Definition = fmt.Appendf(nil, `{"name":%q,"description":%q}`, name, strings.Repeat([]string{"one ", "other "}[which], 300))
			var doc wire.Doc
			if err := doc.Parse(e.Definition); err != nil {
				return err
			}
			e.Digest, e.Parts = mcp.DigestOf(&doc, 0)
			s.Entries[mcp.DefinitionKey{Kind: mcp.ToolSubject, Name: name}] = e
		}
		f.Servers = map[string]*lockfile.Server{"calc": s}
		return nil
	}
}

// contents returns the two lockfiles as they are on disk.
func contents(t *testing.T) (both [2][]byte) {
	t.Helper()
	for i := range both {
		f := &lockfile.File{}
		if err := fill(i)(f); err != nil {
			t.Fatal(err)
		}
		data, err := f.Format()
		if err != nil {
			t.Fatal(err)
		}
		both[i] = data
	}
	return both
}

// TestKilledWriter checks that a writer that is killed at any time leaves the old
// or the new file, and does not block the next writer.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockfile.Name)
	both := contents(t)
	seen := [2]int{}
	for i := range 40 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writeForever+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 1+i%4)); err != nil { // one dot for each completed write
			t.Fatalf("the writer ended: %v, %v", err, cmd.Wait())
		}
		time.Sleep(time.Duration(i) * 700 * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case bytes.Equal(data, both[0]):
			seen[0]++
		case bytes.Equal(data, both[1]):
			seen[1]++
		default:
			t.Fatalf("after kill %d the file is neither the old nor the new one: %d bytes", i, len(data))
		}
	}
	if seen[0] == 0 || seen[1] == 0 {
		t.Errorf("one of the files was never seen, so no kill fell into a write: %v", seen)
	}
}

// TestWritersTakeTurns checks that concurrent writers do not lose each other's changes,
// whoever they are and by whatever path they open the file.
func TestWritersTakeTurns(t *testing.T) {
	for _, tt := range []struct {
		name string
		path func(dir string, writer int) string
	}{
		{"each with a home of its own", func(string, int) string { return lockfile.Name }},
		{"by a relative and an absolute path", func(dir string, i int) string {
			return [...]string{lockfile.Name, filepath.Join(dir, lockfile.Name), filepath.Join("..", filepath.Base(dir), lockfile.Name)}[i%3]
		}},
		{"through a link to the directory", func(dir string, i int) string {
			return [...]string{lockfile.Name, filepath.Join("linked", lockfile.Name)}[i%2]
		}},
		{"through a link to the file", func(dir string, i int) string { return [...]string{"existing.lock", "link.lock"}[i%2] }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			empty := []byte("{\n  \"lockfile\": \"mcpscan.lock/v1\",\n  \"servers\": {}\n}\n")
			for _, err := range []error{os.Symlink(".", filepath.Join(dir, "linked")), os.Symlink("existing.lock", filepath.Join(dir, "link.lock")),
				os.WriteFile(filepath.Join(dir, "existing.lock"), empty, 0o644)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			const writers = 6
			var wg sync.WaitGroup
			for i := range writers {
				wg.Go(func() {
					home := filepath.Join(dir, fmt.Sprintf("home%d", i))
					cmd := exec.Command(os.Args[0], tt.path(dir, i))
					cmd.Dir, cmd.Env = dir, append(os.Environ(), fmt.Sprintf("%s=server%d", addServer, i), "HOME="+home, "XDG_CACHE_HOME="+home, "TMPDIR="+home)
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("%v: %s", err, out)
					}
				})
			}
			wg.Wait()
			f, err := lockfile.Load(filepath.Join(dir, tt.path(dir, 0)))
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Servers) != writers {
				t.Errorf("%d of %d servers are left", len(f.Servers), writers)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*.guard")); len(left) > 0 {
				t.Errorf("%s was not removed", left)
			}
		})
	}
}

// TestGuardInTheWay checks that an existing file at the guard's path is waited for,
// reused or refused, and that a link is never followed.
func TestGuardInTheWay(t *testing.T) {
	for _, tt := range []struct {
		name string
		put  func(guard string) error
		want string // part of the error; "" if the file is written
	}{
		{"left behind by a killed writer", func(guard string) error { return os.WriteFile(guard, nil, 0o600) }, ""},
		{"a link to another file", func(guard string) error { return os.Symlink("elsewhere", guard) }, "is not a regular file; remove it"},
		{"a directory", func(guard string) error { return os.Mkdir(guard, 0o755) }, "is not a regular file; remove it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tt.put(filepath.Join(dir, ".mcpscan.lock.guard")); err != nil {
				t.Fatal(err)
			}
			_, err := lockfile.Edit(context.Background(), filepath.Join(dir, lockfile.Name), true, add("one"))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); err == nil {
				t.Error("the link was followed")
			}
		})
	}
	missing := filepath.Join(t.TempDir(), "none", lockfile.Name)
	if _, err := lockfile.Edit(context.Background(), missing, true, add("one")); err == nil || !strings.Contains(err.Error(), "does not exist; create it first") {
		t.Errorf("got %v", err)
	}
}

// TestRefusedEdit checks that an edit that fails leaves the file byte for byte
// unchanged.
func TestRefusedEdit(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockfile.Name)
	if _, err := lockfile.Edit(context.Background(), path, true, fill(0)); err != nil {
		t.Fatal(err)
	}
	_, err := lockfile.Edit(context.Background(), path, false, func(f *lockfile.File) error {
		f.Servers = nil
		return fmt.Errorf("no")
	})
	if err == nil {
		t.Fatal("the error was lost")
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, contents(t)[0]) {
		t.Errorf("the file has changed: %v", err)
	}
}
