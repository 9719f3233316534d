package text

import (
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"a ::b::\n":                  "a ::b::\n",
		"::error::x\n":               "<U+003A>:error::x\n",
		"a\n   ::x\n":                "a\n   <U+003A>:x\n",
		":\n::\n: ::\n:a\n :::\n\n:": ":\n<U+003A>:\n: ::\n:a\n <U+003A>::\n\n",
	} {
		for size := 1; size < 5; size++ {
			var b strings.Builder
			g := Guard(&b)
			for rest := in; rest != ""; {
				n := min(size, len(rest))
				if k, err := g.Write([]byte(rest[:n])); k != n || err != nil {
					t.Fatal(k, err)
				}
				rest = rest[n:]
			}
			if b.String() != want {
				t.Errorf("%q in pieces of %d becomes %q, want %q", in, size, b.String(), want)
			}
		}
	}
}
