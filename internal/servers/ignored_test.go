package servers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestIgnored compares Ignored with git check-ignore.
func TestIgnored(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "core.excludesFile="}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, _ := cmd.Output() // check-ignore fails if it ignores nothing
		return string(out)
	}
	write := func(name, content string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	files := []string{".env", ".env.example", "a/.env", "a/.npmrc", "a/b/.env", "a/b/keep.env", "build/x", "a/build/x", "c/build", "docs/x/y.env", "docs/y.env",
		"deep/p/q/r.env", "deep/r.env", "#hash", "!bang", "sp ace ", "k1.txt", "k2.txt", "kz.txt", "{a,b}.env", "under/one", "under/two/three", "back\\slash", "info.env", "é.env", "forced.env"}
	for _, f := range files {
		write(f, "")
	}
	write("forced.env", "")
	write(".git/info/exclude", "info.env\n")
	write(".gitignore", "# a comment\n.env\r\n!.env.example\n/build/\n**/y.env\ndeep/**/r.env\n\\#hash\n\\!bang\nsp ace\\ \nk[0-9].txt\n!k[!13-9].txt\n{a,b}.env\nunder/**\n!under/one\nback\\\\slash\né.*   \nforced.env\na/**/b/x\n[\n**\\\n")
	write("a/.gitignore", "/.npmrc\n!.env\nb/*.env\n!b/keep.env\nbuild/\n")
	git("add", "-f", "forced.env")
	for _, f := range files {
		want := strings.TrimSpace(git("check-ignore", "--", f)) != ""
		if got := NewDisk(t.Context()).Ignored(filepath.Join(dir, filepath.FromSlash(f))); got != want {
			t.Errorf("%q: ignored %t, but Git says %t", f, got, want)
		}
	}
}

// TestIgnoredLinks checks that a tracked file does not count as ignored if it is reached through a link.
func TestIgnoredLinks(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	for name, content := range map[string]string{".gitignore": "link/\n*.env\n", "real/.env": "A=1\n", "own.env": "A=1\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Symlink("real", filepath.Join(dir, "link")) != nil || os.Symlink("own.env", filepath.Join(dir, "tracked.env")) != nil {
		t.Skip("links are not available")
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-f", "real/.env", "link", "tracked.env"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	d := NewDisk(t.Context())
	for name, want := range map[string]bool{"link/.env": false, "real/.env": false, "own.env": true, "tracked.env": true, "absent.env": true, "absent": false} {
		if got := d.Ignored(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: ignored %t, want %t", name, got, want)
		}
	}
}
