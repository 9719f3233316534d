package scanner_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/mcpscan/mcpscan/internal/recgen"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestKnownDefinitions checks that an inspector that has seen a definition before returns the same
// facts about it as an inspector that has not.
func TestKnownDefinitions(t *testing.T) {
	for seed := range uint64(4) {
		var rec bytes.Buffer
		if err := recgen.Write(&rec, recgen.Options{Seed: seed, Bytes: 192 << 10}); err != nil {
			t.Fatal(err)
		}
		e, err := scanner.New(rules.All(), scanner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		reused := e.NewInspector()
		for _, ev := range eventsOf(t, "r", rec.Bytes()) {
			ev.SetTree(nil, 0)
			if got, want := reused.Inspect(ev), e.NewInspector().Inspect(ev); !reflect.DeepEqual(got, want) {
				t.Fatalf("%.300s: %+v, want %+v", ev.Frame, got, want)
			}
			if again := reused.Inspect(ev); !reflect.DeepEqual(again, e.NewInspector().Inspect(ev)) {
				t.Fatalf("%.300s: other facts when it is inspected again", ev.Frame)
			}
		}
	}
}
