package lockfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
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

// TestFormatShowsEverything checks that a lockfile has no characters that a reviewer does not see, and
// that their escapes do not change the definition.
func TestFormatShowsEverything(t *testing.T) {
	const name = "sa\u202eve \U000e0041"
	sent := []byte(`{"name":"x","description":"\u2066 \u200b 日本 👍 é \ud800 \u0085 \u007f\u2028","\u00ad":1}`)
	shown := describe(mcp.ToolSubject, sent)
	f := &File{Path: Name, Servers: map[string]*Server{name: {Name: name, Entries: map[mcp.DefinitionKey]*Entry{
		{Kind: mcp.ToolSubject, Name: "x"}: {Status: Pending, Shown: shown},
	}}}}
	for range 2 {
		data, err := f.Format()
		if err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(string(data), func(r rune) bool { return r != '\n' && text.Unseen(r) }); i >= 0 {
			t.Errorf("%q at byte %d", data[i:i+4], i)
		}
		for _, want := range []string{`"sa\u202eve \udb40\udc41": {`, `\u2066 \u200b 日本 👍 é \ud800 \u0085 \u007f\u2028`, `"\u00ad": 1`} {
			if !strings.Contains(string(data), want) {
				t.Errorf("not in the file: %s", want)
			}
		}
		if f, err = Parse(Name, data); err != nil {
			t.Fatal(err)
		}
		if e := f.Servers[name].Entries[mcp.DefinitionKey{Kind: mcp.ToolSubject, Name: "x"}]; f.Intact() != nil || e.Shown.Digest != shown.Digest {
			t.Errorf("read again: %v, %s", f.Intact(), e.Shown.Digest)
		}
	}
}
