package replace_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpscan/mcpscan/internal/replace"
)

// TestFileIf checks that the check runs before the file is replaced, and that a failed one leaves
// the file as it is.
func TestFileIf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := replace.File(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	for _, tt := range []struct {
		answer error
		want   string
	}{{refused, "old"}, {nil, "new"}} {
		seen := ""
		err := replace.FileIf(path, []byte("new"), 0o600, func() error {
			data, err := os.ReadFile(path)
			seen = string(data)
			return errors.Join(err, tt.answer)
		})
		if data, rerr := os.ReadFile(path); !errors.Is(err, tt.answer) || seen != "old" || rerr != nil || string(data) != tt.want {
			t.Errorf("%v: the check saw %q; %v, %q, %v", tt.answer, seen, err, data, rerr)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
			t.Errorf("%v: files are not removed: %v, %v", tt.answer, entries, err)
		}
	}
}
