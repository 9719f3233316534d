package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// The bounds on reading files that configurations or launcher caches name. Somebody else
// decides how many they are, and how long.
const (
	maxHashed   = 512 << 20 // of a file whose digest is taken
	maxManifest = 64 << 20  // of a file that is parsed
	maxRead     = 2 << 30   // in a run
)

// disk reads such files: regular ones, each once while it does not change, within the bounds.
// It stops when the run is interrupted.
type disk struct {
	ctx  context.Context
	mu   sync.Mutex
	left int64             // bytes that the run may still read
	sums map[string]summed // by path
	lock npmLock           // the last one
}

// summed is the digest of a file as it was.
type summed struct {
	info   os.FileInfo
	digest string
}

// npmLock is a parsed package-lock.json; doc is nil if the file is not one.
type npmLock struct {
	path string
	info os.FileInfo
	doc  *wire.Doc
}

func newDisk(ctx context.Context) *disk {
	return &disk{ctx: ctx, left: maxRead, sums: map[string]summed{}}
}

// digest returns the SHA-256 of a regular file, "" if there is none. why says why an existing
// file has no digest.
func (d *disk) digest(path string) (digest, why string) {
	info, err := regular(path)
	if err != nil {
		return "", ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.sums[path]; ok && unchanged(known.info, info) {
		return known.digest, ""
	}
	h := sha256.New()
	if why := d.copy(h, path, info, maxHashed); why != "" {
		return "", why
	}
	digest = "sha256:" + hex.EncodeToString(h.Sum(nil))
	d.sums[path] = summed{info, digest}
	return digest, ""
}

// manifest returns the content of a regular file, nil if it is not one or too long for a
// manifest.
func (d *disk) manifest(path string) []byte {
	info, err := regular(path)
	if err != nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.content(path, info)
}

func (d *disk) content(path string, info os.FileInfo) []byte {
	var b strings.Builder
	if d.copy(&b, path, info, maxManifest) != "" {
		return nil
	}
	return []byte(b.String())
}

// packageLock returns an npm lockfile, nil if the file is not one. Thousands of entries can
// share one.
func (d *disk) packageLock(path string) *wire.Doc {
	info, err := regular(path)
	if err != nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock.path == path && unchanged(d.lock.info, info) {
		return d.lock.doc
	}
	d.lock = npmLock{path: path, info: info}
	var doc wire.Doc
	if doc.Parse(d.content(path, info)) == nil {
		d.lock.doc = &doc
	}
	return d.lock.doc
}

// copy reads a file of the length that it was found with. The error is in words for the
// coverage.
func (d *disk) copy(to io.Writer, path string, info os.FileInfo, most int64) (why string) {
	size := info.Size()
	switch {
	case d.ctx.Err() != nil:
		return "its files were not read: interrupted"
	case size > most:
		return fmt.Sprintf("no digest of %s: it is larger than %d bytes", portable(path), most)
	case size > d.left:
		return fmt.Sprintf("no digest of %s: the files of this run are larger than %d bytes", portable(path), int64(maxRead))
	}
	d.left -= size
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that took its place has no writer to wait for
	if err != nil {
		return fmt.Sprintf("no digest of %s: cannot read it", portable(path))
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !unchanged(now, info) {
		return fmt.Sprintf("no digest of %s: the file changed during reading", portable(path))
	}
	switch n, err := io.Copy(to, io.LimitReader(&untilDone{d.ctx, f}, size)); {
	case d.ctx.Err() != nil:
		return "its files were not read: interrupted"
	case err != nil || n < size:
		return fmt.Sprintf("no digest of %s: the file changed during reading", portable(path))
	}
	return ""
}

// untilDone reads until a context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// regular reports a file that has a content of its own. Those that the kernel makes up
// when they are read have no length, and some no end.
func regular(path string) (os.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	if target, err = filepath.Abs(target); err != nil {
		return nil, err
	}
	for _, made := range []string{"/proc/", "/sys/", "/dev/"} {
		if strings.HasPrefix(target, made) {
			return nil, fmt.Errorf("%s is a kernel file", path)
		}
	}
	return info, nil
}

// unchanged reports whether a file kept its length and time.
func unchanged(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.ModTime().After(time.Time{})
}
