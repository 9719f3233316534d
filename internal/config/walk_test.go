package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shownPaths are paths below a directory, joined.
func shownPaths(root string, found []Location) string {
	var out []string
	for _, l := range found {
		rel, _ := filepath.Rel(root, l.Path)
		out = append(out, filepath.ToSlash(rel))
	}
	return strings.Join(out, " ")
}

func TestDiscoverBelow(t *testing.T) {
	root := tree(t, ".mcp.json", "services/a/.mcp.json", "services/b/.cursor/mcp.json", "services/b/readme", "node_modules/x/.mcp.json",
		"a/vendor/.mcp.json", "a/.git/mcp.json", "elsewhere/.mcp.json")
	outside := tree(t, ".mcp.json", "sub/.mcp.json")
	for link, to := range map[string]string{"linked": outside, "services/c": filepath.Join(root, "services", "a")} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"out/.mcp.json": filepath.Join(outside, ".mcp.json"), "out/mcp.json": filepath.Join(root, ".mcp.json")} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	found, missed := DiscoverBelow(Dirs{GOOS: "linux", Project: root})
	if got, want := shownPaths(root, found), ".mcp.json elsewhere/.mcp.json out/mcp.json services/a/.mcp.json services/b/.cursor/mcp.json"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(missed) != 1 || !strings.HasSuffix(filepath.ToSlash(missed[0].Path), "out/.mcp.json") || !strings.Contains(missed[0].Why, "a link leads out of the directory") {
		t.Errorf("missed %v", missed)
	}
	if found, _ := DiscoverBelow(Dirs{GOOS: "linux", Project: root, Home: filepath.Join(root, "home")}); shownPaths(root, found) != ".mcp.json" {
		t.Errorf("a home below the project was searched: %s", shownPaths(root, found))
	}
}

func TestDiscoverBelowBounds(t *testing.T) {
	deep := strings.Repeat("d/", maxLevels)
	root := tree(t, deep+".mcp.json", deep+"e/.mcp.json", "wide/x")
	found, missed := DiscoverBelow(Dirs{GOOS: "linux", Project: root})
	if got := shownPaths(root, found); got != deep+".mcp.json" || len(missed) != 1 || !strings.Contains(missed[0].Why, "levels deep") {
		t.Errorf("found %s, missed %v", got, missed)
	}
	for i := range maxDirectories {
		if err := os.Mkdir(filepath.Join(root, "wide", fmt.Sprint(i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, missed := DiscoverBelow(Dirs{GOOS: "linux", Project: root}); len(missed) != 2 || !strings.Contains(missed[1].Why, "not all directories were searched") {
		t.Errorf("missed %v", missed)
	}
}
