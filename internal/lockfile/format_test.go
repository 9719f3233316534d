package lockfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// TestFormatRefusesWhatLoadWould checks that every lockfile that is written can be
// loaded.
func TestFormatRefusesWhatLoadWould(t *testing.T) {
	tests := []struct {
		name       string
		entries    int
		definition string
		want       error
	}{
		{"as many bytes as fit", 15, strings.Repeat("x", 1<<20), nil},
		{"too many bytes", 16, strings.Repeat("x", 1<<20), ErrTooLarge},
		{"as many values as fit", 2, strings.Repeat("[],", 400_000) + "[]", nil},
		{"too many values", 4, strings.Repeat("[],", 400_000) + "[]", ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent := `"` + tt.definition + `"`
			if tt.definition[0] == '[' {
				sent = "[" + tt.definition + "]"
			}
			s := &Server{Name: "s", Entries: map[mcp.DefinitionKey]*Entry{}}
			for i := range tt.entries {
				name := fmt.Sprintf("tool_%d", i)
				shown := describe(mcp.ToolSubject, fmt.Appendf(nil, `{"name":%q,"x":%s}`, name, sent))
				s.Entries[mcp.DefinitionKey{Kind: mcp.ToolSubject, Name: name}] = &Entry{
					Status: Approved, Approval: &Approval{By: "me", At: time.Unix(0, 0)}, Shown: shown}
			}
			f := &File{Path: Name, Servers: map[string]*Server{"s": s}}
			data, err := f.Format()
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if err != nil {
				return
			}
			again, err := Parse(Name, data)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Intact(); err != nil || len(again.Servers["s"].Entries) != tt.entries {
				t.Errorf("read again: %d entries, %v", len(again.Servers["s"].Entries), err)
			}
		})
	}
}
