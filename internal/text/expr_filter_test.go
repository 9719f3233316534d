package text

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// filtered contains expressions with every feature that a filter must handle.
var filtered = []string{
	`abc`, `\babc\b`, `\Babc`, `^abc`, `abc$`, `(?m)^abc$`, `\Aabc\z`, `a\b`, `\b`, `a*`, ``, `(?i)aBc`, `(?i)k`, `(?i)ſ`, `a{3}c`, `a{2,}c`,
	`(?:ab){1,3}c`, `a[^c\n]{0,5}c`, `a(?s:.){2,40}c`, `a.{20,}c`, `(?:a|bc)+?\nc`, `[^\x00-\x7f]b`, `a’?b`, `я[а-я]{1,4}`, `(?i)я\s`, `[\x{10000}-\x{10ffff}]`, `\pL c`, `a\x{fffd}`, `[^a]c$`, `(a|ab)(c|bcd)$`,
}

// TestFilterNeverMisses checks that the filter recognizes every match, in a text read at once or in
// two parts, and every match that begins in the first part.
func TestFilterNeverMisses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "b", "c", "C", "k", "\u212a", "ſ", " ", "\n", ".", "’", "я", "б", "Я", "\xff", "\U00010001", "漢"}
	for _, expr := range filtered {
		re, lazy := regexp.MustCompile(expr), LazyExpr(expr)
		f, exact := lazy.filter(), lazy.exact
		matches, spared := 0, 0
		for range 3000 {
			var b strings.Builder
			for range rnd.IntN(12) {
				b.WriteString(pieces[rnd.IntN(1+rnd.IntN(len(pieces)))])
			}
			text := []byte(b.String())
			may := f.mayMatch(text)
			if re.Match(text) {
				matches++
				if !may {
					t.Fatalf("%q matches %q, and the filter says no", expr, text)
				}
			} else if !may {
				spared++
			}
			cut := rnd.IntN(len(text) + 1)
			for cut < len(text) && cut > 0 && text[cut]&0xC0 == 0x80 {
				cut-- // not within a character
			}
			state, _, found := f.run(f.start(), text[:cut])
			if !found {
				state, _, found = f.run(state, text[cut:])
			}
			if (found || f.ends(state)) != may {
				t.Fatalf("%q in %q: the filter says %t of the whole, and something else of its parts", expr, text, may)
			}
			first := re.FindIndex(text)
			begins := first != nil && first[0] <= cut
			if state, _, found = f.run(f.start(), text[:cut]); !found {
				state, _, found = f.run(f.settle(state), text[cut:])
			}
			if found = found || f.ends(state); begins && !found || exact && found && !begins {
				t.Fatalf("%q in %q: a match begins by %d: %t, the filter says %t", expr, text, cut, begins, found)
			}
		}
		if matches == 0 && expr != `[\x{10000}-\x{10ffff}]` && !strings.Contains(expr, "fffd") && !strings.Contains(expr, "20,") {
			t.Errorf("%q matched nothing: the test says little", expr)
		}
		if spared == 0 && !re.MatchString("") && !strings.Contains(expr, `\b`) {
			t.Errorf("the filter of %q spares nothing", expr)
		}
	}
}

// TestFilterForgets runs an expression that needs more states than are kept.
func TestFilterForgets(t *testing.T) {
	const expr = `a[ab]{12}c`
	re, f := regexp.MustCompile(expr), LazyExpr(expr).filter()
	rnd := rand.New(rand.NewPCG(5, 6))
	text := make([]byte, 100_000)
	for i := range text {
		text[i] = "ab"[rnd.IntN(2)]
	}
	if f.mayMatch(text) {
		t.Error("found a match, want none")
	}
	if len(f.known.ends) > maxStates+maxTables/(4*f.classes) {
		t.Errorf("%d states", len(f.known.ends))
	}
	text = append(text, 'c')
	if !re.Match(text) || !f.mayMatch(text) {
		t.Error("the match was missed")
	}
}

func FuzzFilter(f *testing.F) {
	for _, expr := range filtered {
		f.Add(expr, "abc я\xff")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 100 || strings.Count(expr, "{") > 2 { // nested counts take too long to compile
			t.Skip("no expression that is worth the time")
		}
		if re.MatchString(text) && !LazyExpr(expr).filter().mayMatch([]byte(text)) {
			t.Fatalf("%q matches %q, and the filter says no", expr, text)
		}
	})
}

// TestFilterForgetsWhileOthersStart checks that a search that starts while the states are discarded finds
// its start state.
func TestFilterForgetsWhileOthersStart(t *testing.T) {
	for _, expr := range filtered {
		f := LazyExpr(expr).filter()
		want := f.mayMatch([]byte("b abc\n"))
		var all sync.WaitGroup
		all.Go(func() {
			for range 2000 {
				f.mu.Lock()
				f.reset()
				f.mu.Unlock()
			}
		})
		all.Go(func() {
			for range 2000 {
				if got := f.mayMatch([]byte("b abc\n")); got != want {
					t.Errorf("%q: %t, want %t", expr, got, want)
					return
				}
			}
		})
		all.Wait()
	}
}
