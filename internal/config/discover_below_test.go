package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shownPaths returns the paths of the files in a directory tree, joined.
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
	if len(missed) != 2 || !strings.HasSuffix(filepath.ToSlash(missed[0].Path), "linked") || !strings.HasSuffix(filepath.ToSlash(missed[1].Path), "out/.mcp.json") ||
		!strings.Contains(missed[0].Why, "a symbolic link leads outside the directory") || !strings.Contains(missed[1].Why, "a symbolic link leads outside the directory") {
		t.Errorf("missed %v", missed)
	}
	if found, _ := DiscoverBelow(Dirs{GOOS: "linux", Project: root, Home: filepath.Join(root, "home")}); shownPaths(root, found) != ".mcp.json" {
		t.Errorf("a home below the project was searched: %s", shownPaths(root, found))
	}
}

// TestLinksToSkippedDirectories checks that a directory that is otherwise skipped is searched through a link,
// once.
func TestLinksToSkippedDirectories(t *testing.T) {
	root := tree(t, "vendor/t/.mcp.json", "vendor/other/.mcp.json", "a/x")
	for link, to := range map[string]string{"a/tools": "../vendor/t", "b": "vendor/t", "vendor/t/self": "..", "c": "nowhere", "d": "a"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	found, missed := DiscoverBelow(Dirs{GOOS: "linux", Project: root})
	if got, want := shownPaths(root, found), "a/tools/.mcp.json a/tools/self/other/.mcp.json a/tools/self/t/.mcp.json"; got != want || len(missed) > 0 {
		t.Errorf("got  %s\nwant %s\nmissed %v", got, want, missed)
	}
}

// TestSubmodules checks that a submodule that was not checked out is reported.
func TestSubmodules(t *testing.T) {
	root := tree(t, "one/.mcp.json", "x/y")
	for _, dir := range []string{"services/api", "empty"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, ".gitmodules"), []byte("[submodule \"x\"]\n\tpath = services/api\n[submodule \"one\"]\n\tpath = \"one\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, missed := DiscoverBelow(Dirs{GOOS: "linux", Project: root})
	if len(missed) != 1 || missed[0].Path != filepath.Join(root, "services", "api") || !missed[0].Separate {
		t.Errorf("missed %v", missed)
	}
}

func TestDiscoverBelowBounds(t *testing.T) {
	deep := strings.Repeat("d/", maxLevels)
	root := tree(t, deep+".mcp.json", deep+"e/.mcp.json", deep+"f/.mcp.json", "wide/x")
	found, missed := DiscoverBelow(Dirs{GOOS: "linux", Project: root})
	if got := shownPaths(root, found); got != deep+".mcp.json" || len(missed) != 1 ||
		missed[0].Path != filepath.Join(root, deep) || !strings.Contains(missed[0].Why, "levels deep") {
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

// TestOtherSystems checks that a file is read or reported even if only clients on another operating
// system read it, or if clients read it only after packages are installed.
func TestOtherSystems(t *testing.T) {
	root := tree(t, ".CURSOR/mcp.json", "a/.MCP.JSON", "b/.vscode./mcp.json", "c/.cur\u200csor/mcp.json", "d/.cursor/mcp.json ", "e/x", "real/mcp.json", ".gitmodules", "j/.Mcp.json")
	for link, to := range map[string]string{
		"e/.mcp.json": "../node_modules/evil/mcp.json", "f": "../nowhere", "g/.cursor": "../real", "h/.cursor": "../node_modules/evil", "i/.mcp.json": filepath.Join(root, "i", ".mcp.json"),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	for _, dir := range []string{"k/.claude", "k/empty"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	found, missed := DiscoverBelow(Dirs{GOOS: "linux", Project: root})
	if got, want := shownPaths(root, found), ".CURSOR/mcp.json a/.MCP.JSON b/.vscode./mcp.json c/.cur\u200csor/mcp.json g/.cursor/mcp.json j/.Mcp.json real/mcp.json"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var got []string
	for _, m := range missed {
		rel, _ := filepath.Rel(root, m.Path)
		got = append(got, filepath.ToSlash(rel)+": "+m.Why)
	}
	want := []string{"b/.vscode.: some systems treat the name", "c/.cur\u200csor: some systems treat the name", "d/.cursor/mcp.json : some systems treat the name",
		"e/.mcp.json: it is a symbolic link to \"../node_modules/evil/mcp.json\"", "h/.cursor: it is a symbolic link", "i/.mcp.json: it is a symbolic link", "k/.claude: a directory that clients search for servers is an empty submodule"}
	if len(got) != len(want) {
		t.Fatalf("missed %d places, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i, w := range want {
		path, why, _ := strings.Cut(w, ": ")
		if !strings.HasPrefix(got[i], path+": ") || !strings.Contains(got[i], why) {
			t.Errorf("missed %q, want %q", got[i], w)
		}
	}
}
