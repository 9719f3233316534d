//go:build linux || darwin

package sessionlog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// member is a participant that a test controls.
type member struct {
	t *testing.T
	*Log
}

func joined(t *testing.T, base, name string) member {
	t.Helper()
	l, err := Join(base, name)
	if err != nil {
		t.Fatal(err)
	}
	return member{t, l}
}

// read takes a turn and returns the new entries.
func (m member) read() (news []string, lost int64) {
	m.t.Helper()
	texts, lost, err := m.Take(Wait)
	if err != nil {
		m.t.Fatal(err)
	}
	defer m.End()
	for _, text := range texts {
		news = append(news, string(text))
	}
	return news, lost
}

// add takes a turn and writes entries. It waits for longer than Wait, because writers that take one turn
// after another can keep others waiting if the machine is busy.
func (m member) add(keep bool, texts ...string) {
	m.t.Helper()
	if _, _, err := m.Take(5 * time.Minute); err != nil {
		m.t.Fatal(err)
	}
	defer m.End()
	for _, text := range texts {
		if err := m.Write(Entry{[]byte(text), keep}); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m member) expect(want ...string) {
	m.t.Helper()
	if news, lost := m.read(); !reflect.DeepEqual(news, want) || lost != 0 {
		m.t.Errorf("the news is %.300q, %d lost; want %.300q", news, lost, want)
	}
}

// sessionsIn returns the directories of the sessions.
func sessionsIn(t *testing.T, base string) []os.DirEntry {
	t.Helper()
	all, err := os.ReadDir(filepath.Join(base, "mcpscan-sessions"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSessions checks that participants, including late ones, read each other's entries once
// and in order, that sessions are separate, and that nothing remains when the last participant
// has left.
func TestSessions(t *testing.T) {
	base := t.TempDir()
	a, b, other := joined(t, base, "one"), joined(t, base, "one"), joined(t, base, "two")
	if a.Number() == b.Number() {
		t.Errorf("two processes have the number %d", a.Number())
	}
	a.expect()
	a.add(false, "first", "second")
	b.expect("first", "second")
	b.expect()
	b.add(true, "third")
	late := joined(t, base, "one")
	late.expect("first", "second", "third")
	a.expect("third")
	other.expect()
	for _, m := range []member{a, b, late} {
		m.Close()
	}
	if n := len(sessionsIn(t, base)); n != 1 {
		t.Errorf("%d sessions are left, want the other one", n)
	}
	again := joined(t, base, "one")
	again.expect()
	again.Close()
	other.Close()
	if n := len(sessionsIn(t, base)); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

// TestTurns checks that waiting for a turn takes no longer than requested.
func TestTurns(t *testing.T) {
	base := t.TempDir()
	a, b := joined(t, base, "one"), joined(t, base, "one")
	if _, _, err := a.Take(Wait); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Take(0); !errors.Is(err, ErrBusy) {
		t.Errorf("a second turn is %v, want %v", err, ErrBusy)
	}
	if _, err := Join(base, "one"); !errors.Is(err, ErrBusy) {
		t.Errorf("joining is %v, want %v", err, ErrBusy)
	}
	a.End()
	b.expect()
	// A long message: others take turns while it is judged, and their entries are read later.
	if _, _, err := a.Take(Wait); err != nil {
		t.Fatal(err)
	}
	a.End()
	b.add(false, "meanwhile")
	if err := a.Again(Wait); err != nil {
		t.Fatal(err)
	}
	if err := a.Write(Entry{Data: []byte("long")}); err != nil {
		t.Fatal(err)
	}
	a.End()
	a.expect("meanwhile")
	b.expect("long")
	a.Close()
	b.Close()
}

// TestJoinWaits checks that joining takes no longer than Wait in all if sessions are removed one
// after another, each after keeping its turn for less than Wait.
func TestJoinWaits(t *testing.T) {
	base := t.TempDir()
	first := joined(t, base, "one")
	turn, path := first.turn, first.turn.Name()
	if err := lockWithin(turn, Wait); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := Join(base, "one")
		ended <- err
	}()
	for begun := time.Now(); ; {
		select {
		case err := <-ended:
			if !errors.Is(err, ErrBusy) {
				t.Errorf("joining is %v, want %v", err, ErrBusy)
			}
			return
		case <-time.After(Wait * 3 / 4):
		}
		if time.Since(begun) > 4*Wait {
			t.Fatalf("joining takes longer than %s", 4*Wait)
		}
		next, err := open(path+".next", os.O_CREATE)
		if err == nil {
			err = errors.Join(lockWithin(next, 0), os.Rename(path+".next", path)) // the new session's turn is taken at once
		}
		if err != nil {
			t.Fatal(err)
		}
		unlock(turn)
		turn = next
	}
}

// TestDamage checks that truncated or changed entries are skipped and counted, and that later
// entries are read.
func TestDamage(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"cut off": func(log []byte) []byte { return log[:len(log)-9] },
		"changed": func(log []byte) []byte { return bytes.Replace(log, []byte("second"), []byte("Second"), 1) },
		"no lines": func(log []byte) []byte {
			return append(bytes.TrimSuffix(log, []byte("3 "))[:len(log)-9], "\x00\n\nx\n"...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			a := joined(t, base, "one")
			a.add(false, "first", "second")
			path := filepath.Join(a.dir, logFile)
			log, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(log), 0o600); err != nil {
				t.Fatal(err)
			}
			b := joined(t, base, "one")
			b.add(false, "third", "fourth")
			c := joined(t, base, "one")
			if news, lost := c.read(); len(news) < 3 || news[0] != "first" || !reflect.DeepEqual(news[len(news)-2:], []string{"third", "fourth"}) {
				t.Errorf("the news is %q, %d lost", news, lost)
			}
			b.Close()
			c.Close()
			a.Close()
		})
	}
}

// TestLost checks that a log that was removed, truncated or replaced is no longer used.
func TestLost(t *testing.T) {
	for name, change := range map[string]func(m member) error{
		"removed":     func(m member) error { return os.RemoveAll(m.dir) },
		"log removed": func(m member) error { return os.Remove(filepath.Join(m.dir, logFile)) },
		"another session": func(m member) error {
			err := os.RemoveAll(m.dir)
			joined(m.t, filepath.Dir(filepath.Dir(m.dir)), "one").add(false, "first")
			return err
		},
		"cut":  func(m member) error { return os.Truncate(filepath.Join(m.dir, logFile), 3) },
		"huge": func(m member) error { return os.Truncate(filepath.Join(m.dir, logFile), 1<<40) },
		"a link": func(m member) error {
			path := filepath.Join(m.dir, logFile)
			return errors.Join(os.Rename(path, path+".old"), os.Symlink(path+".old", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := joined(t, t.TempDir(), "one")
			a.add(false, "first")
			if err := change(a); err != nil {
				t.Fatal(err)
			}
			if _, _, err := a.Take(0); !errors.Is(err, ErrLost) {
				t.Errorf("a turn is %v, want %v", err, ErrLost)
			}
			a.Close()
		})
	}
}

// TestPrivate checks that a directory or file that others can access is not used.
func TestPrivate(t *testing.T) {
	sessions := func(base string) string { return filepath.Join(base, "mcpscan-sessions") }
	for name, change := range map[string]func(base string) error{
		"open to others": func(base string) error {
			return errors.Join(os.Mkdir(sessions(base), 0o700), os.Chmod(sessions(base), 0o755))
		},
		"a link": func(base string) error { return os.Symlink(base, sessions(base)) },
		"a file": func(base string) error { return os.WriteFile(sessions(base), nil, 0o600) },
	} {
		base := t.TempDir()
		if err := change(base); err != nil {
			t.Fatal(err)
		}
		if _, err := Join(base, "one"); err == nil || !strings.Contains(err.Error(), "not a private directory of this user") {
			t.Errorf("%s: joining is %v", name, err)
		}
	}
}

// TestShortened checks that a log that is too long loses old entries, that a participant that has
// not read them learns how many were lost, and that entries to keep are kept.
func TestShortened(t *testing.T) {
	base := t.TempDir()
	a, idle := joined(t, base, "one"), joined(t, base, "one")
	idle.add(false, "of another")
	a.add(true, "tools")
	long := strings.Repeat("x", MaxEntry/2)
	for i := range 2*maxLog/len(long) + 2 {
		a.add(false, fmt.Sprint(i, long))
	}
	is, err := os.Stat(filepath.Join(a.dir, logFile))
	if err != nil || is.Size() > maxLog+2*MaxEntry {
		t.Fatalf("the log has %d bytes (%v)", is.Size(), err)
	}
	late := joined(t, base, "one")
	for name, m := range map[string]member{"idle": idle, "late": late} {
		news, lost := m.read()
		if name == "late" && len(news) > 0 && news[0] == "of another" {
			news = news[1:] // another writer keeps its share
		}
		if len(news) < 2 || news[0] != "tools" || !strings.HasPrefix(news[len(news)-1], fmt.Sprint(2*maxLog/len(long)+1)) || lost == 0 {
			t.Errorf("%s: %d entries, %d lost", name, len(news), lost)
		}
	}
	a.add(false, "after")
	late.expect("after")
	idle.expect("after")
	for _, m := range []member{a, idle, late} {
		m.Close()
	}
}

// TestKilled checks that a process killed at any time does not delay the others, and that the next
// process to start a session removes sessions without a live process.
func TestKilled(t *testing.T) {
	base := t.TempDir()
	a := joined(t, base, "one")
	writer := func(name string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriter$")
		cmd.Env = append(os.Environ(), "SESSIONLOG_WRITER="+base+"\n"+name)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil { // it is writing now
			t.Fatal(err)
		}
		return cmd
	}
	for range 10 {
		cmds := []*exec.Cmd{writer("one"), writer("one")}
		a.add(false, "between")
		for _, cmd := range cmds {
			_ = cmd.Process.Kill()
			a.add(false, "after")
			_ = cmd.Wait()
		}
		a.read() // within Wait, because nobody has the turn
	}
	dead := writer("two")
	_ = dead.Process.Kill()
	_ = dead.Wait()
	if n := len(sessionsIn(t, base)); n != 2 {
		t.Fatalf("%d sessions, want the one that was killed beside ours", n)
	}
	b := joined(t, base, "three")
	if n := len(sessionsIn(t, base)); n != 2 {
		t.Errorf("%d sessions, want ours and the new one", n)
	}
	b.Close()
	a.Close()
}

// TestWriter is a process that writes continuously, for TestKilled.
func TestWriter(t *testing.T) {
	base, name, ok := strings.Cut(os.Getenv("SESSIONLOG_WRITER"), "\n")
	if !ok {
		t.Skip("it is for TestKilled")
	}
	l := joined(t, base, name)
	fmt.Println("writing")
	for range 100_000 {
		l.add(false, strings.Repeat("y", 2000))
	}
}

// FuzzRead checks that no text makes a reader fail, or accept an incomplete entry.
func FuzzRead(f *testing.F) {
	whole := (&entry{1, 1, Entry{Data: []byte("first")}}).appendTo(nil)
	f.Add(whole)
	f.Add((&entry{2, 1, Entry{Data: []byte("second"), Keep: true}}).appendTo(whole))
	f.Add([]byte("1 1 00000000 + \n99 1 zz - x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r reader
		r.read(text, func(e entry) {
			if line := bytes.TrimSuffix(e.appendTo(nil), []byte("\n")); !bytes.Contains(text, e.Data) || e.number <= 0 || len(line) == 0 {
				t.Errorf("%q has the entry %+v", text, e)
			}
		})
		if r.lost < 0 || !bytes.Equal(shorten(shorten(text)), shorten(text)) {
			t.Errorf("%q: %d lost", text, r.lost)
		}
	})
}
