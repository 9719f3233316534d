package servers

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// sparse makes a file of zeros that takes no place.
func sparse(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDigestOfRegularFilesOnly: what the kernel makes up, and what is no file, has none.
func TestDigestOfRegularFilesOnly(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if runtime.GOOS == "linux" {
		if err := os.Symlink("/proc/self/pagemap", link); err != nil {
			t.Fatal(err)
		}
	}
	d := NewDisk(t.Context())
	for _, path := range []string{"/proc/self/pagemap", "/proc/self/maps", "/proc/kmsg", "/sys/kernel/mm/transparent_hugepage/enabled", "/dev/zero", link, t.TempDir(), "/no/such/file"} {
		if digest, why := d.digest(path); digest != "" || why != "" {
			t.Errorf("%s: got %q, %q", path, digest, why)
		}
		if d.manifest(path) != nil {
			t.Errorf("%s was read", path)
		}
	}
	if d.left != maxRead {
		t.Errorf("%d bytes were read", maxRead-d.left)
	}
}

// TestDigestBounds: what is not read is reported, for one file and for a run.
func TestDigestBounds(t *testing.T) {
	d := NewDisk(t.Context())
	if digest, why := d.digest(sparse(t, maxHashed+1)); digest != "" || !strings.Contains(why, "larger than 536870912 bytes") {
		t.Errorf("got %q, %q", digest, why)
	}
	d.left = 3000
	first, second := sparse(t, 2000), sparse(t, 1999)
	for range 3 { // once
		if digest, why := d.digest(first); digest == "" || why != "" {
			t.Errorf("got %q, %q", digest, why)
		}
	}
	if digest, why := d.digest(second); digest != "" || !strings.Contains(why, "the files read in this run") {
		t.Errorf("got %q, %q", digest, why)
	}
	if d.left != 1000 {
		t.Errorf("%d bytes are left of 3000 after a file of 2000 was read three times", d.left)
	}
}

// TestDigestOfAFileThatChanges: it is taken once as long as the file stays as it is.
func TestDigestOfAFileThatChanges(t *testing.T) {
	d := NewDisk(t.Context())
	path := sparse(t, 10)
	before, _ := d.digest(path)
	if err := os.WriteFile(path, []byte("other text"), 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if after, _ := d.digest(path); after == before || after == "" {
		t.Errorf("got %q after %q", after, before)
	}
}

// TestInterruptedDigest: nothing is read any more, and that is reported.
func TestInterruptedDigest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := NewDisk(ctx)
	path := sparse(t, 1000)
	cancel()
	if digest, why := d.digest(path); digest != "" || !strings.Contains(why, "interrupted") || d.left != maxRead {
		t.Errorf("got %q, %q, %d bytes read", digest, why, maxRead-d.left)
	}
}

// TestEntriesThatNameKernelFiles: the command is what runs, and a file that was too long to be
// read is named.
func TestEntriesThatNameKernelFiles(t *testing.T) {
	long := sparse(t, maxHashed+1)
	for _, c := range []struct {
		entry configfile.Entry
		why   string
	}{
		{configfile.Entry{Command: "cat", Args: []string{"/proc/self/pagemap"}}, ""},
		{configfile.Entry{Command: "python3", Args: []string{long}}, "no digest for"},
	} {
		f, why := NewDisk(t.Context()).Find(&c.entry)
		if !strings.HasPrefix(why, c.why) || c.why == "" && why != "" {
			t.Errorf("%s: %q", c.entry.Command, why)
		}
		if strings.Contains(f.Executable, "pagemap") || f.Executable == long {
			t.Errorf("%s: got %+v", c.entry.Command, f)
		}
	}
}

// TestLockfileOfNPMIsReadOnce: thousands of entries can be beside one.
func TestLockfileOfNPMIsReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "package-lock.json")
	text := `{"packages":{"node_modules/a":{"version":"1.2.3","integrity":"sha512-x"}}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m := machine{disk: NewDisk(t.Context())}
	for range 1000 {
		if version, _ := m.lockedByNPM(path, "a"); version != "1.2.3" {
			t.Fatalf("got %q", version)
		}
	}
	if read := maxRead - m.disk.left; read != int64(len(text)) {
		t.Errorf("%d bytes were read of a file of %d", read, len(text))
	}
}
