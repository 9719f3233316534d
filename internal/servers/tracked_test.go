package servers

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestHostileIndex checks that an index that Git cannot have written is read without a crash.
func TestHostileIndex(t *testing.T) {
	head := binary.BigEndian.AppendUint32([]byte("DIRC"), 4)
	head = binary.BigEndian.AppendUint32(head, math.MaxUint32)
	entry := make([]byte, 62)
	for n := range 16 { // the number of bytes to drop exceeds every integer
		data := append(append([]byte{}, head...), entry...)
		for range n {
			data = append(data, 0xff)
		}
		for cut := range len(data) + 1 {
			indexed(data[:cut])
		}
		indexed(append(append(data, 0x7f, 'a', 0), entry...))
	}
}

// TestHostileInstalledPackages checks keys of npm's list of installed packages that npm does not write.
func TestHostileInstalledPackages(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, ".package-lock.json")
	if err := os.WriteFile(list, []byte(`{"packages":{"":{"version":"1.0.0"},"x":{"version":"2.0.0"},"node_modules/a/node_modules/b":{"version":"3.0.0"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m := &nodeModules{map[string][]installedPackage{}}
	NewDisk(context.Background()).install(m, list, "node_modules/.package-lock.json", ".package-lock.json")
	for name, version := range map[string]string{"": "1.0.0", "x": "2.0.0", "b": "3.0.0"} {
		if got := m.packages[name]; len(got) != 1 || got[0].version != version {
			t.Errorf("%q: %v", name, got)
		}
	}
}
