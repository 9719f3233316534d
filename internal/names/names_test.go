package names

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestUnlikeLosesNoSlip checks that unlike, the cheap check, never returns true for a word and a
// typo of it.
func TestUnlikeLosesNoSlip(t *testing.T) {
	look := map[string]string{"m": "rn", "w": "vv", "o": "0", "l": "1", "i": "1", "s": "5", "e": "3", "a": "4"}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z0-9]{4,20}`).Draw(t, "word")
		at := rapid.IntRange(0, len(word)-1).Draw(t, "at")
		letter := rapid.StringMatching(`[a-zé0-9]`).Draw(t, "letter")
		var other string
		switch rapid.SampledFrom([]string{"out", "in", "changed", "swapped", "doubled", "alike"}).Draw(t, "slip") {
		case "out":
			other = word[:at] + word[at+1:]
		case "in":
			other = word[:at] + letter + word[at:]
		case "changed":
			other = word[:at] + letter + word[at+1:]
		case "swapped":
			b := []byte(word)
			b[at], b[max(at-1, 0)] = b[max(at-1, 0)], b[at]
			other = string(b)
		case "doubled":
			other = word[:at] + word[at:at+1] + word[at:]
		case "alike":
			other = word[:at] + look[word[at:at+1]] + word[at+1:]
			if look[word[at:at+1]] == "" {
				other = word
			}
		}
		if unlike(word, other, 0.85) || unlike(other, word, 0.85) {
			t.Fatalf("%q is unlike %q", word, other)
		}
		third := rapid.StringMatching(`[a-z0-9]{4,20}`).Draw(t, "third")
		if unlike(word, third, 0.5) && (Similarity(word, third) >= 0.5 || looksAlike(word, third) || undoubled(word) == undoubled(third)) {
			t.Fatalf("%q is unlike %q", word, third)
		}
	})
	words := slices.Concat(WellKnown()...)
	told := 0
	for _, a := range words {
		for _, b := range words {
			if unlike(a, b, 0.85) {
				told++
			}
		}
	}
	if told < len(words)*len(words)/2 {
		t.Errorf("of %d pairs of well-known words %d are unlike: the rest takes a hundred times as long", len(words)*len(words), told)
	}
}

// TestLooksAlike checks that two words look alike if they are equal once all look-alikes are
// replaced.
func TestLooksAlike(t *testing.T) {
	replaced := strings.NewReplacer("rn", "m", "vv", "w", "0", "o", "1", "l", "i", "l", "5", "s", "3", "e", "4", "a")
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var b strings.Builder
		for range rnd.IntN(4) {
			b.WriteByte("rnmvwil1o0"[rnd.IntN(10)])
		}
		return b.String()
	}
	for range 100_000 {
		a, b := word(), word()
		if got, want := looksAlike(a, b), replaced.Replace(a) == replaced.Replace(b); got != want {
			t.Fatalf("%q and %q: %t", a, b, got)
		}
	}
}
