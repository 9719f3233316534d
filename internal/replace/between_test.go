package replace_test

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/replace"
)

func TestBetween(t *testing.T) {
	const begin, end = "<!-- begin -->\n", "<!-- end -->\n"
	const document = "head\n" + begin + "old\n" + end + "tail\n" + begin + "kept\n" + end
	once, err := replace.Between(document, begin, end, "new\n")
	if want := strings.Replace(document, "old", "new", 1); err != nil || once != want {
		t.Errorf("got %q, %v, want %q", once, err, want)
	}
	if twice, err := replace.Between(once, begin, end, "new\n"); twice != once {
		t.Errorf("the second time: %q, %v", twice, err)
	}
	for _, bad := range []string{"", "head\n", begin + "old\n", end + begin + "old\n"} {
		_, err := replace.Between(bad, begin, end, "new\n")
		if want := `expected the lines "<!-- begin -->" and "<!-- end -->"`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", bad, err, want)
		}
	}
}
