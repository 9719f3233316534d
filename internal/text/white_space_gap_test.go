package text

import (
	"strings"
	"testing"
)

func TestGap(t *testing.T) {
	for _, tt := range []struct {
		name, before, gap, after string
		want                     bool
	}{
		{"more lines than a window has", "Adds.", strings.Repeat("\n", 40), "tail", true},
		{"lines with blanks in them", "Adds numbers.", strings.Repeat(" \r\n", 40), "tail", true},
		{"more blanks than a line holds", "Adds two numbers.", strings.Repeat(" ", 400), "tail", true},
		{"blanks of other scripts", "Adds.", strings.Repeat("\u3000", 400), "tail", true},
		{"at the beginning", "", strings.Repeat("\n", 50), "tail", true},
		{"behind a run that is too short", "a" + strings.Repeat(" ", 100) + "b", strings.Repeat("\n", 40), "tail", true},
		{"a page break", "Adds.", strings.Repeat("\n", 39), "tail", false},
		{"a wide table", "Adds.", strings.Repeat(" ", 399), "tail", false},
		{"nothing behind it", "Adds.", strings.Repeat("\n", 400), "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := []byte(tt.before + tt.gap + tt.after)
			start, end, ok := Gap(s)
			if ok != tt.want {
				t.Fatalf("Gap() = %v, want %v", ok, tt.want)
			}
			if ok && (start != len(tt.before) || end != len(tt.before)+len(tt.gap)) {
				t.Errorf("Gap() = [%d, %d), want [%d, %d)", start, end, len(tt.before), len(tt.before)+len(tt.gap))
			}
		})
	}
}

// TestGapFindsEveryPlace checks that a run is found at every offset relative to the
// checked bytes.
func TestGapFindsEveryPlace(t *testing.T) {
	for before := range 3 * gapLines {
		s := []byte(strings.Repeat("x", before) + strings.Repeat("\n", gapLines) + "y")
		if start, _, ok := Gap(s); !ok || start != before {
			t.Errorf("a run after %d characters: found %v at %d", before, ok, start)
		}
	}
}

func BenchmarkGapProse(b *testing.B) {
	s := []byte(strings.Repeat(englishLine, 64<<10/len(englishLine)))
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Gap(s)
	}
}
