package baseline

import (
	"slices"
	"strings"
	"testing"
)

// TestDifferences checks that a difference shows what differs, however long the values are.
func TestDifferences(t *testing.T) {
	long := "/" + strings.Repeat("directory/", 12)
	for _, c := range []struct {
		was, is Identity
		want    string
	}{
		{Identity{URL: "https://a.example/mcp"}, Identity{URL: "https://b.example/mcp"}, "URL https://a.example/mcp → https://b.example/mcp"},
		{Identity{Cwd: ""}, Identity{Cwd: "/x"}, "working directory none → /x"},
		{Identity{Package: long + "a.js"}, Identity{Package: long + "b.js"}, "package …directory/directory/a.js → …directory/directory/b.js"},
		{Identity{Package: long}, Identity{Package: long + "b.js"}, "package …directory/directory/ → …directory/directory/b.js"},
		{Identity{Package: "a" + long}, Identity{Package: "b"}, "package a" + long[:58] + "… → b"},
	} {
		if got := c.was.Differences(&c.is); !slices.Equal(got, []string{c.want}) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
