package action

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// download is a runner with a fake curl, which serves files from a directory and refuses all URLs
// except https. The fake is needed because the action's scripts cannot download from anywhere but a
// release.
type download struct {
	*runner
	site string
}

const archive = "mcpscan_1.2.3_linux_amd64.tar.gz"

func newDownload(t *testing.T) *download {
	t.Helper()
	r := newRunner(t)
	d := &download{r, t.TempDir()}
	r.inputs["version"], r.inputs["job-summary"] = "1.2.3", "false"
	r.tool("curl", fmt.Sprintf(`
site=%q url='' out='' proto=''
[ "$1" = --disable ] || exit 90
while [ $# -gt 0 ]; do
  case $1 in
  --url) url=$2; shift ;;
  --output) out=$2; shift ;;
  --proto) proto=$2; shift ;;
  --insecure | -k) exit 91 ;;
  esac
  shift
done
[ "$proto" = '=https' ] || exit 92
case $url in
https://github.com/mcpscan/mcpscan/releases/latest) printf '%%s' "$(cat "$site/latest")" ;;
https://github.com/mcpscan/mcpscan/releases/download/*)
  [ ! -e "$site/offline" ] || { printf 000; exit 6; }
  case $url in */v1.2.3/*) ;; *) printf 404; exit 22 ;; esac
  [ -e "$site/${url##*/}" ] || { printf 404; exit 22; }
  cp "$site/${url##*/}" "$out"
  printf 200
  ;;
*) exit 93 ;;
esac
`, d.site))
	d.publish("echo 'mcpscan v1.2.3'")
	d.gh("exit 0")
	return d
}

// publish creates a release's archive and list of digests.
func (d *download) publish(versionScript string) {
	d.t.Helper()
	dir := d.t.TempDir()
	script := "#!/usr/bin/env bash\nif [ \"$1\" = version ]; then " + versionScript + "; exit; fi\nfor a in \"$@\"; do case $a in --format=json=*) echo '{}' >\"${a#--format=json=}\" ;; esac; done\n"
	if err := os.WriteFile(filepath.Join(dir, "mcpscan"), []byte(script), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if out, err := exec.Command("tar", "-czf", filepath.Join(d.site, archive), "-C", dir, "mcpscan").CombinedOutput(); err != nil {
		d.t.Fatalf("tar: %v\n%s", err, out)
	}
	d.write(d.site, map[string]string{"checksums.txt": d.digest() + "  " + archive + "\n", "latest": "https://github.com/mcpscan/mcpscan/releases/tag/v1.2.3"})
}

func (d *download) digest() string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(readFile(d.t, d.site, archive))))
}

// gh adds a gh command to the runner that records its arguments.
func (d *download) gh(script string) {
	d.tool("gh", fmt.Sprintf("printf '%%s\\n' \"$GH_TOKEN\" \"$@\" >%q\n%s", filepath.Join(d.site, "gh"), script))
}

func (d *download) noGH() {
	if err := os.Remove(filepath.Join(d.tools, "gh")); err != nil {
		d.t.Fatal(err)
	}
}

// embed writes digests to the action's own list of digests.
func (d *download) embed(lines string) {
	d.t.Helper()
	d.changed(map[string]string{".github/action/checksums.txt": "# digests\n" + lines})
}

// changed copies the action and replaces files in it.
func (r *runner) changed(files map[string]string) {
	r.t.Helper()
	dir := r.t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, ".github", "action"), os.DirFS(filepath.Join(r.action, ".github", "action"))); err != nil {
		r.t.Fatal(err)
	}
	for _, name := range []string{"action.yml", "go.mod", "go.sum"} {
		r.write(dir, map[string]string{name: readFile(r.t, r.action, name)})
	}
	r.write(dir, files)
	r.action = dir
}

// TestActionDownload checks that a downloaded program runs only if it is the
// released one.
func TestActionDownload(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("a", 64)
	for _, tt := range []struct {
		name   string
		change func(d *download)
		want   string // part of the message that refuses it; "" if it runs
	}{
		{"as released", func(*download) {}, ""},
		{"the latest", func(d *download) { d.inputs["version"] = "latest" }, ""},
		{"the digest is of another archive", func(d *download) { d.write(d.site, map[string]string{"checksums.txt": other + "  " + archive + "\n"}) }, "expected " + other},
		{"the list has no digest of it", func(d *download) {
			d.write(d.site, map[string]string{"checksums.txt": d.digest() + "  x" + archive + "\n"})
		}, "does not list exactly one digest"},
		{"the list has two", func(d *download) {
			d.write(d.site, map[string]string{"checksums.txt": d.digest() + "  " + archive + "\n" + other + "  " + archive + "\n"})
		}, "does not list exactly one digest"},
		{"the list is missing", func(d *download) { os.Remove(filepath.Join(d.site, "checksums.txt")) }, "v1.2.3 of mcpscan has no file checksums.txt"},
		{"the archive is missing", func(d *download) { os.Remove(filepath.Join(d.site, archive)) }, "no such release: v1.2.3 of mcpscan has no file " + archive},
		{"no such version", func(d *download) { d.inputs["version"] = "1.9.0" }, "no such release: v1.9.0"},
		{"no network", func(d *download) { d.write(d.site, map[string]string{"offline": "x"}) }, archive + " failed; if the runner has no network"},
		{"the action names the digest, and the list of the release is not asked", func(d *download) {
			d.embed(d.digest() + "  " + archive + "\n")
			os.Remove(filepath.Join(d.site, "checksums.txt"))
		}, ""},
		{"the action names another digest than the release", func(d *download) { d.embed(other + "  " + archive + "\n") }, "expected " + other},
		{"the provenance is of somebody else", func(d *download) { d.gh("echo '::error::not ours' >&2; exit 1") }, "was not verified"},
		{"without gh", func(d *download) { d.noGH() }, "allow-unattested: true"},
		{"without gh, which is accepted", func(d *download) { d.noGH(); d.inputs["allow-unattested"] = "true" }, ""},
		{"without gh, and the digest is wrong", func(d *download) {
			d.noGH()
			d.inputs["allow-unattested"] = "true"
			d.write(d.site, map[string]string{"checksums.txt": other + "  " + archive + "\n"})
		}, "expected " + other},
		{"gh refuses, whatever is accepted", func(d *download) { d.gh("exit 1"); d.inputs["allow-unattested"] = "true" }, "was not verified"},
		{"without gh, but the action names the digest", func(d *download) { d.noGH(); d.embed(d.digest() + "  " + archive + "\n") }, ""},
		{"an older version under the name of a newer", func(d *download) { d.publish("echo 'mcpscan v1.2.2'") }, "is not version 1.2.3"},
		{"no build for the processor", func(d *download) { d.extra = []string{"RUNNER_ARCH=ARM"} }, `no release for the processor "ARM"`},
		{"no build for the system", func(d *download) { d.extra = []string{"RUNNER_OS=Plan9"} }, `no release for the system "Plan9"`},
		{"latest leads elsewhere", func(d *download) {
			d.inputs["version"] = "latest"
			d.write(d.site, map[string]string{"latest": "https://example.com/tag/v../../x"})
		}, "the version is"},
		{"latest leads nowhere", func(d *download) { d.inputs["version"] = "latest"; d.write(d.site, map[string]string{"latest": ""}) }, "the version is"},
		{"no release yet", func(d *download) {
			d.inputs["version"] = "latest"
			d.write(d.site, map[string]string{"latest": "https://github.com/mcpscan/mcpscan/releases"})
		}, "no such release: mcpscan has no releases yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDownload(t)
			tt.change(d)
			out := d.run()
			if tt.want == "" && d.code != 0 || tt.want != "" && (d.code != 2 || out["exit-code"] != "" || !strings.Contains(d.log.String(), tt.want)) {
				t.Errorf("exit code %d, outputs %q, want %q in\n%s", d.code, out, tt.want, d.log.String())
			}
			for _, c := range d.commands() {
				if !strings.Contains(c, "title=mcpscan::") {
					t.Errorf("the runner executes the command %q", c)
				}
			}
		})
	}
}

// TestActionVersions checks that nothing is fetched for a version other than latest or
// three numbers.
func TestActionVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v1.2.3", "1.2", "1.2.3.4", "1.2.3-rc.1", "01.2.3", "1.2.3\n", "../1.2.3", "latest ", "$(id)", "1.2.3/../../x", "--version"} {
		d := newDownload(t)
		d.inputs["version"] = version
		if d.run(); d.code != 2 || !strings.Contains(d.log.String(), "expected latest, or three numbers as in 1.2.3") {
			t.Errorf("the version %q: exit code %d\n%s", version, d.code, d.log.String())
		}
	}
}

// TestActionProvenance checks that the action calls gh, with the job's token, to verify that this
// repository's release workflow built the archive from the tag.
func TestActionProvenance(t *testing.T) {
	t.Parallel()
	d := newDownload(t)
	d.run()
	want := []string{"t0ken", "attestation", "verify", archive, "--repo", "mcpscan/mcpscan", "--deny-self-hosted-runners",
		"--signer-workflow", "mcpscan/mcpscan/.github/workflows/release.yml", "--source-ref", "refs/tags/v1.2.3"}
	if got := strings.Split(strings.TrimSpace(readFile(t, d.site, "gh")), "\n"); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("gh was called with %q", got)
	}
}

// released returns the release version of this commit, or "" if it is not a release.
func released(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(readFile(t, root, ".github", "action", "VERSION"))
}

// TestActionDefaultVersion checks that the action installs the version that it was
// released with unless another one is requested.
func TestActionDefaultVersion(t *testing.T) {
	t.Parallel()
	d := newDownload(t)
	d.changed(map[string]string{".github/action/VERSION": "1.2.3\n"})
	d.inputs["version"] = ""
	if d.run(); d.code != 0 || !strings.Contains(d.log.String(), "mcpscan 1.2.3\n") || len(d.used) != 0 {
		t.Errorf("exit code %d, used %q\n%s", d.code, d.used, d.log.String())
	}
}

// unreleased returns a runner for an action that is not a release, with a go command that records
// its arguments and runs the given script.
func unreleased(t *testing.T, script string) *download {
	t.Helper()
	d := newDownload(t)
	d.changed(map[string]string{".github/action/VERSION": ""})
	d.inputs["version"] = ""
	d.tool("go", fmt.Sprintf(`
printf '%%s\n' "$@" >%q
env >%q
for a in "$@"; do case $a in /*/mcpscan) out=$a ;; esac; done
%s
`, filepath.Join(d.site, "go.args"), filepath.Join(d.site, "go.env"), script))
	return d
}

// TestActionFromSource checks that an action that is not a release builds its own
// source with the Go version in its go.mod, and leaves no files in the workspace.
func TestActionFromSource(t *testing.T) {
	t.Parallel()
	for _, start := range []string{"false", "true"} {
		d := unreleased(t, fmt.Sprintf(`tar -xzf "$RUNNER_TEMP/%s" -C "${out%%/*}"`, archive))
		d.extra = []string{"GOFLAGS=-mod=mod", "GOWORK=/elsewhere"}
		d.inputs["run-servers"] = start
		d.write(d.temp, map[string]string{archive: readFile(t, d.site, archive)})
		d.run()
		if d.code != 0 || !strings.Contains(d.log.String(), "mcpscan, built from the source of this action\n") {
			t.Errorf("exit code %d\n%s", d.code, d.log.String())
		}
		if len(d.used) != 1 {
			t.Fatalf("the actions used are %q", d.used)
		}
		with := d.used[0]
		modules := filepath.Dir(with["go-version-file"])
		if !strings.HasPrefix(with["uses"], "actions/setup-go@") || modules == "." || filepath.IsAbs(modules) || with["cache-dependency-path"] != modules+"/go.sum" {
			t.Errorf("Go is set up with %q", with)
		}
		if got := with["cache"]; got == start {
			t.Errorf("run-servers is %s and the cache %s: servers could write into it", start, got)
		}
		want := []string{"build", "-C", d.action, "-buildvcs=false", "-o"}
		if got := strings.Split(readFile(t, d.site, "go.args"), "\n"); !slices.Equal(got[:len(want)], want) || !strings.HasPrefix(got[len(want)], d.temp) {
			t.Errorf("go was run with %q", got)
		}
		if env := readFile(t, d.site, "go.env"); !strings.Contains(env, "\nGOFLAGS=-mod=readonly\n") || !strings.Contains(env, "\nGOWORK=off\n") {
			t.Errorf("go was run in the environment\n%s", env)
		}
		if left, err := os.ReadDir(d.workspace); err != nil || len(left) != 0 {
			t.Errorf("the workspace contains %v, %v", left, err)
		}
	}
	d := unreleased(t, "echo '::error::of the compiler' >&2; exit 1")
	if d.run(); d.code != 2 || len(d.commands()) != 2 || !strings.Contains(d.commands()[0], "could not be built from the source") {
		t.Errorf("a build that fails: exit code %d, commands %q", d.code, d.commands())
	}
}

// TestActionBuilds builds the source of this action with a real Go toolchain, and
// inspects a project with the result.
func TestActionBuilds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the program")
	}
	if released(t) != "" {
		t.Skip("this commit is a release, which is downloaded")
	}
	r := newRunner(t)
	r.link("go", true)
	for _, name := range []string{"GOROOT", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		r.extra = append(r.extra, name+"="+strings.TrimSpace(string(value)))
	}
	r.inputs = map[string]string{"targets": "tools.json"}
	r.write(r.workspace, map[string]string{"tools.json": `{"tools":[{"name":"add","description":"Adds two numbers.","inputSchema":{"type":"object"}}]}`})
	if out := r.run(); r.code != 0 || out["exit-code"] != "0" || out["findings"] != "0" {
		t.Errorf("the action exits %d with %q\n%s", r.code, out, r.log.String())
	}
}

// TestActionBinaryPath checks that a path that does not lead to a program is refused.
func TestActionBinaryPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"nowhere", ".", "-x", "data"} {
		d := newDownload(t)
		d.write(d.workspace, map[string]string{"data": "x"})
		d.inputs["binary-path"] = path
		if d.run(); d.code != 2 || !strings.Contains(d.log.String(), "binary-path is") {
			t.Errorf("binary-path %q: exit code %d\n%s", path, d.code, d.log.String())
		}
	}
}
