//go:build linux || darwin

package sessionlog

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// The files in a session's directory. A process holds a shared lock on the alive file while it
// takes part, and an exclusive lock on the turn file while it reads, judges and writes.
const (
	turnFile  = "turn"
	aliveFile = "alive"
	logFile   = "log"
	nextFile  = "log.next"
)

// Log is a session that this process takes part in. It must be used by one goroutine at a time.
type Log struct {
	dir, path         string // directory of the session, and path of its log
	turn, alive, file *os.File
	reader
	by    int64  // number of this process as a writer
	inode uint64 // inode of the file
	at    int64  // offset up to which the file was read
	torn  bool   // the last line has no line feed
	news  [][]byte
}

// Join joins the named session, or starts it if it does not exist. base is a directory that belongs
// to the user. What others have already written is returned by the first Take.
func Join(base, name string) (*Log, error) {
	sessions := filepath.Join(base, "mcpscan-sessions")
	if err := private(sessions); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(name))
	dir, begun := filepath.Join(sessions, fmt.Sprintf("%x", sum[:12])), time.Now()
	for range maxJoins {
		l, err := join(dir, Wait-time.Since(begun))
		if errors.Is(err, os.ErrNotExist) {
			continue // the last participant has just left and removed it
		}
		if err == nil && l.last == 1 { // this process began the session
			sweep(sessions, dir)
		}
		return l, err
	}
	return nil, ErrLost
}

// private creates a directory that only the user can access, or refuses an existing one that is not
// private.
func private(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	var is unix.Stat_t
	if err := unix.Lstat(dir, &is); err != nil {
		return &os.PathError{Op: "lstat", Path: dir, Err: err}
	}
	if is.Mode&unix.S_IFMT != unix.S_IFDIR || is.Mode&0o077 != 0 || int(is.Uid) != os.Geteuid() {
		return fmt.Errorf("%s is not a private directory of this user; expected mode 0700", dir)
	}
	return nil
}

// open opens a file that only the user can access, and refuses links and anything but regular
// files.
func open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	var is unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &is); err != nil || is.Mode&unix.S_IFMT != unix.S_IFREG || is.Mode&0o077 != 0 || int(is.Uid) != os.Geteuid() {
		f.Close()
		return nil, fmt.Errorf("%s is not a private file of this user; expected mode 0600", path)
	}
	return f, nil
}

// join joins the session in a directory. The error is [os.ErrNotExist] if the directory was
// removed while this process waited for its turn.
func join(dir string, wait time.Duration) (l *Log, err error) {
	if err := private(dir); err != nil {
		return nil, err
	}
	l = &Log{dir: dir, path: filepath.Join(dir, logFile)}
	defer func() {
		if err != nil {
			l.closeFiles()
		}
	}()
	if l.turn, err = open(filepath.Join(dir, turnFile), os.O_CREATE); err != nil {
		return l, err
	}
	if err := lockWithin(l.turn, wait); err != nil {
		return l, err
	}
	defer unlock(l.turn)
	if !same(l.turn, filepath.Join(dir, turnFile)) {
		return l, os.ErrNotExist
	}
	if l.alive, err = open(filepath.Join(dir, aliveFile), os.O_CREATE); err != nil {
		return l, err
	}
	if flock(l.alive, unix.LOCK_EX|unix.LOCK_NB) == nil { // all participants were killed
		if err := os.Remove(l.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return l, err
		}
	}
	if err := flock(l.alive, unix.LOCK_SH|unix.LOCK_NB); err != nil {
		return l, fmt.Errorf("joining the session: %w", err)
	}
	file, err := open(l.path, os.O_CREATE)
	if err != nil {
		return l, err
	}
	l.use(file)
	if err := l.pull(); err != nil {
		return l, err
	}
	l.by = l.last + 1
	return l, l.Write(Entry{}) // claims that number
}

// Number returns a number that no other process in the session has.
func (l *Log) Number() int64 { return l.by }

// Take waits for this process's turn. It returns what others have written since its previous turn,
// and how many of their entries were lost. The caller must end the turn.
func (l *Log) Take(wait time.Duration) (news [][]byte, lost int64, err error) {
	if err := lockWithin(l.turn, wait); err != nil {
		return nil, 0, err
	}
	if err := l.pull(); err != nil {
		unlock(l.turn)
		return nil, 0, err
	}
	news, lost = l.news, l.lost
	l.news, l.lost = nil, 0
	return news, lost, nil
}

// Write adds entries during this process's turn. If they cannot be written, the log does not change
// for the others.
func (l *Log) Write(entries ...Entry) error {
	var b []byte
	if l.torn { // a writer was killed: its incomplete line is ended first
		b = append(b, '\n')
	}
	number := l.last
	for _, e := range entries {
		if len(e.Data) > MaxEntry || bytes.IndexByte(e.Data, '\n') >= 0 {
			return fmt.Errorf("an entry of %d bytes is not a single line of at most %d bytes", len(e.Data), MaxEntry)
		}
		number++
		b = (&entry{number, l.by, e}).appendTo(b)
	}
	n, err := l.file.WriteAt(b, l.at)
	if err != nil {
		if n > 0 {
			_ = l.file.Truncate(l.at) // otherwise the next writer would end the incomplete line, which may be a valid entry
		}
		return fmt.Errorf("writing the session log: %w", err)
	}
	l.at, l.last, l.torn = l.at+int64(n), number, false
	if l.at > maxLog {
		return l.shorten()
	}
	return nil
}

// End ends the turn.
func (l *Log) End() { unlock(l.turn) }

// Again waits for another turn, to write about a message whose inspection took too long for one
// turn. What others have written in the meantime is returned by the next Take.
func (l *Log) Again(wait time.Duration) error {
	if err := lockWithin(l.turn, wait); err != nil {
		return err
	}
	if err := l.pull(); err != nil {
		unlock(l.turn)
		return err
	}
	return nil
}

// pull reads the log's new entries. If another process replaced the log with a shorter one, pull
// continues in that one.
func (l *Log) pull() error {
	var is unix.Stat_t
	err := unix.Lstat(l.path, &is)
	if err == nil && is.Ino != l.inode {
		if err = l.reopen(); err == nil {
			err = unix.Lstat(l.path, &is)
		}
	}
	if err != nil || is.Size < l.at || is.Size > maxLog+2*MaxEntry {
		return errors.Join(ErrLost, err)
	}
	if is.Size == l.at {
		return nil
	}
	text := make([]byte, is.Size-l.at)
	if _, err := l.file.ReadAt(text, l.at); err != nil && err != io.EOF {
		return errors.Join(ErrLost, err)
	}
	l.at = is.Size
	l.torn = text[len(text)-1] != '\n'
	l.read(text, func(e entry) {
		if len(e.Data) > 0 {
			l.news = append(l.news, bytes.Clone(e.Data))
		}
	})
	return nil
}

// shorten replaces a log that is too long with a shorter one.
func (l *Log) shorten() error {
	text := make([]byte, l.at)
	if _, err := l.file.ReadAt(text, 0); err != nil && err != io.EOF {
		return errors.Join(ErrLost, err)
	}
	next := filepath.Join(l.dir, nextFile)
	file, err := open(next, os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	text = shorten(text)
	_, err = file.Write(text)
	if err == nil {
		err = os.Rename(next, l.path)
	}
	if err != nil {
		file.Close()
		return fmt.Errorf("shortening the session log: %w", err)
	}
	l.use(file)
	l.at = int64(len(text))
	return nil
}

// reopen switches to the shorter log that another process put in place of ours.
func (l *Log) reopen() error {
	if !same(l.turn, filepath.Join(l.dir, turnFile)) {
		return ErrLost // the log belongs to another session, with another turn file
	}
	file, err := open(l.path, 0)
	if err == nil {
		l.use(file)
	}
	return err
}

// use switches to a log file, which is read from its beginning.
func (l *Log) use(file *os.File) {
	if l.file != nil {
		l.file.Close()
	}
	var is unix.Stat_t
	_ = unix.Fstat(int(file.Fd()), &is) // if its inode differs from the one at the path, it is reopened later
	l.file, l.inode, l.at, l.torn = file, is.Ino, 0, false
}

// Close leaves the session. The last process to leave removes the session.
func (l *Log) Close() {
	defer l.closeFiles()
	if lockWithin(l.turn, Wait) != nil {
		return // the holder of the lock removes the session when it leaves, or a later sweep does
	}
	defer unlock(l.turn)
	if flock(l.alive, unix.LOCK_EX|unix.LOCK_NB) == nil {
		remove(l.dir)
	}
}

func (l *Log) closeFiles() {
	for _, f := range []*os.File{l.turn, l.alive, l.file} {
		if f != nil {
			f.Close()
		}
	}
}

// remove removes a session's files, the turn file last, so that waiting processes find the session
// gone.
func remove(dir string) {
	for _, name := range []string{nextFile, logFile, aliveFile, turnFile} {
		os.Remove(filepath.Join(dir, name))
	}
	os.Remove(dir)
}

// sweep removes sessions whose processes were all killed.
func sweep(sessions, but string) {
	d, err := os.Open(sessions)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxSweep)
	for _, name := range names {
		if dir := filepath.Join(sessions, name); dir != but {
			removeDead(dir)
		}
	}
}

func removeDead(dir string) {
	turn, err := open(filepath.Join(dir, turnFile), 0)
	if err != nil {
		return
	}
	defer turn.Close()
	if flock(turn, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return
	}
	alive, err := open(filepath.Join(dir, aliveFile), os.O_CREATE)
	if err != nil {
		return
	}
	defer alive.Close()
	if same(turn, filepath.Join(dir, turnFile)) && flock(alive, unix.LOCK_EX|unix.LOCK_NB) == nil {
		remove(dir)
	}
}

// same reports whether the file at path is the open file.
func same(f *os.File, path string) bool {
	var a, b unix.Stat_t
	return unix.Fstat(int(f.Fd()), &a) == nil && unix.Lstat(path, &b) == nil && a.Dev == b.Dev && a.Ino == b.Ino
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

func unlock(f *os.File) { _ = flock(f, unix.LOCK_UN) }

// lockWithin locks a file, polling until the wait is over, because a blocking lock request cannot
// be abandoned.
func lockWithin(f *os.File, wait time.Duration) error {
	pause := 20 * time.Microsecond
	for begun := time.Now(); ; {
		err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case err != unix.EWOULDBLOCK:
			return fmt.Errorf("locking the session: %w", err)
		case time.Since(begun) >= wait:
			return ErrBusy
		}
		time.Sleep(pause)
		pause = min(2*pause, 2*time.Millisecond)
	}
}

// BaseDir returns the directory for this user's sessions: the runtime directory or, if there is none,
// the cache directory.
func BaseDir() (string, error) {
	own := filepath.Join("/run/user", strconv.Itoa(os.Geteuid())) // many clients do not pass on XDG_RUNTIME_DIR
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), own} {
		if is, err := os.Stat(dir); filepath.IsAbs(dir) && err == nil && is.IsDir() {
			return dir, nil
		}
	}
	return os.UserCacheDir()
}
