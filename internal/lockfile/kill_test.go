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
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// writeForever names the file that the process is to write until it is killed.
const writeForever = "LOCKFILE_TEST_WRITE"

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
	os.Exit(m.Run())
}

// fill makes one of two lockfiles of some hundred kilobytes.
func fill(which int) func(*lockfile.File) error {
	return func(f *lockfile.File) error {
		s := &lockfile.Server{Name: "calc", Entries: map[scanner.DefinitionKey]*lockfile.Entry{}}
		for i := range 200 {
			name := fmt.Sprintf("tool%d", i)
			e := &lockfile.Entry{Status: lockfile.Pending}
			e.Definition = fmt.Appendf(nil, `{"name":%q,"description":%q}`, name, strings.Repeat([]string{"one ", "other "}[which], 300))
			var doc wire.Doc
			if err := doc.Parse(e.Definition); err != nil {
				return err
			}
			e.Digest, e.Parts = scanner.DigestOf(&doc, 0)
			s.Entries[scanner.DefinitionKey{Kind: scanner.ToolSubject, Name: name}] = e
		}
		f.Servers = map[string]*lockfile.Server{"calc": s}
		return nil
	}
}

// contents are the two lockfiles as they stand on the disk.
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

// TestKilledWriter: whenever a writer is killed, the file is the old one or the new
// one, and the next writer is not kept from it.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockfile.Name)
	t.Setenv("HOME", t.TempDir()) // the guard stands there
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
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
		if _, err := io.ReadFull(out, make([]byte, 1+i%4)); err != nil { // a dot for each time that it has written
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

// TestWritersTakeTurns: of two writers neither loses what the other wrote.
func TestWritersTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockfile.Name)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	const writers = 8
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			_, err := lockfile.Edit(context.Background(), path, true, func(f *lockfile.File) error {
				name := fmt.Sprintf("server%d", i)
				f.Servers[name] = &lockfile.Server{Name: name, Entries: map[scanner.DefinitionKey]*lockfile.Entry{}}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	f, err := lockfile.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Servers) != writers {
		t.Errorf("%d of %d servers are left", len(f.Servers), writers)
	}
}

// TestRefusedEdit: an edit that fails leaves the file to the byte.
func TestRefusedEdit(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockfile.Name)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
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
