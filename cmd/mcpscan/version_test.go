package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuilt(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.time", Value: "2026-11-20T10:00:00Z"}, {Key: "vcs.modified", Value: "true"}}}
	if b := built(info); b.Commit != "0123abcd" || b.Date != "2026-11-20T10:00:00Z" || !b.Modified {
		t.Errorf("built from a work tree: %+v", b)
	}
	if b := built(nil); b.Commit != "" || b.Date != "" || b.Modified || b.Version == "" || b.Go == "" {
		t.Errorf("a build without a record: %+v", b)
	}
}

// TestVersionOfTag checks that a build of a clean tag with the flags in .goreleaser.yaml reports
// its version, its commit and the commit's date.
func TestVersionOfTag(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("git is needed for this test: ", err)
	}
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/tagged\n\ngo 1.26\n")
	write("version.go", readFile(t, "version.go"))
	write("main.go", `package main

import ("io"; "os")

type streams struct{ out io.Writer }

func put(w io.Writer, b []byte) error { _, err := w.Write(b); return err }
func main() { (&versionCmd{}).Run(streams{os.Stdout}) }
`)
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2026-11-01T02:03:04Z")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	write(".gitignore", "/tagged*\n")
	run(git, "init", "-q")
	run(git, "add", ".")
	run(git, "commit", "-q", "-m", "one")
	run(git, "tag", "v1.2.3")
	program := filepath.Join(dir, "tagged.exe")
	run("go", "build", "-buildvcs=true", "-o", program, ".")
	want := "mcpscan v1.2.3\ncommit  " + strings.TrimSpace(run(git, "rev-parse", "HEAD")) + "\ndate    2026-11-01T02:03:04Z\ngo      go1"
	if got := run(program); !strings.HasPrefix(got, want) {
		t.Errorf("a build of the tag says\n%s\nwant\n%s", got, want)
	}
}
