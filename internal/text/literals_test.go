package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestLiteralTable compares the table with a search for each anchor, from two goroutines
// at once.
func TestLiteralTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func(longest int) string {
		b := make([]byte, 1+rng.IntN(longest))
		for i := range b {
			b[i] = "abcd\x00\xff"[rng.IntN(6)]
		}
		return string(b)
	}
	for range 200 {
		patterns := make([]Pattern, 1+rng.IntN(6))
		for i := range patterns {
			for range 1 + rng.IntN(5) {
				patterns[i].Anchors = append(patterns[i].Anchors, word(5))
			}
		}
		text := word(200)
		var want []string
		for end := range len(text) + 1 {
			for i, p := range patterns {
				for _, a := range p.Anchors {
					if strings.HasSuffix(text[:end], a) {
						want = append(want, fmt.Sprint(i, end-len(a), end))
					}
				}
			}
		}
		slices.Sort(want)
		table := newLiteralTable(patterns, false)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				var got []string
				table.scan([]byte(text), func(p, start, end int) { got = append(got, fmt.Sprint(p, start, end)) })
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Errorf("%+v in %q: %v, want %v", patterns, text, got, want)
				}
			})
		}
		both.Wait()
	}
}
