package config

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/effort"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestWorkFollowsTheLengthOfText checks that the work for any text is proportional
// to its length.
func TestWorkFollowsTheLengthOfText(t *testing.T) {
	p, err := ParsePolicy("p.toml", []byte("[rules.a]\naction='deny'\nmatch.resource_path=['/etc/**']\n[rules.b]\naction='deny'\nmatch.event_type=['connect']\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []string{"a=", "~a=", "a:", `\\a`, "(", "x ", "http:", "a@b:", "file:", "%20", "user@"} {
		effort.Linear(t, unit, 128<<10, func(size int) func() {
			r := &scanner.PolicyRequest{Method: "tools/call", Target: "f", Arguments: []scanner.Argument{{Name: "note", Pointer: "/arguments/note", Text: "x " + strings.Repeat(unit, size/len(unit))}}}
			return func() { p.Decide(r) }
		})
	}
	for _, unit := range []string{`"\u0061",`, `[],`, `{"\u0061":1},`, `"[\"\\u0061\"]",`} {
		effort.Linear(t, unit, 128<<10, func(size int) func() {
			r := &scanner.PolicyRequest{Method: "tools/call", Target: "f", Arguments: []scanner.Argument{{Name: "note", Pointer: "/arguments/note", Text: "[" + strings.Repeat(unit, size/len(unit)) + `"\n"]`}}}
			return func() { p.Decide(r) }
		})
	}
	for _, unit := range []string{"1,", `"\u0061",`, `"a/b",`} { // below a long key
		effort.Linear(t, "key, "+unit, 32<<10, func(size int) func() {
			key := strings.Repeat("a_", size/2)
			r := &scanner.PolicyRequest{Method: "tools/call", Target: "f", Arguments: []scanner.Argument{{Name: key, Pointer: "/arguments/" + key, Text: "[" + strings.Repeat(unit, size/len(unit)) + "1]"}}}
			return func() { p.Decide(r) }
		})
	}
	below := func(n int) func() { // values below one long key
		key := strings.Repeat("a_", 32<<10)
		r := &scanner.PolicyRequest{Method: "tools/call", Target: "f"}
		for range n {
			r.Arguments = append(r.Arguments, scanner.Argument{Name: key, Pointer: "/arguments/" + key, Text: "1"})
		}
		return func() { p.Decide(r) }
	}
	effort.AtMost(t, 100, "500 values below one key", 1, below(1), below(500))
}
