package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// download is a runner on which curl is a script that takes files from a
// directory in place of the release, and refuses what is not https. The scripts
// of the action have no way to be pointed elsewhere.
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
https://github.com/mcpscan/mcpscan/releases/download/v1.2.3/*) cp "$site/${url##*/}" "$out" || exit 22 ;;
*) exit 22 ;;
esac
`, d.site))
	d.publish("echo 'mcpscan v1.2.3'")
	d.gh("exit 0")
	return d
}

// publish makes the archive of a release, and its list of digests.
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

// gh puts a GitHub command line on the runner, which notes how it is called.
func (d *download) gh(script string) {
	d.tool("gh", fmt.Sprintf("printf '%%s\\n' \"$GH_TOKEN\" \"$@\" >%q\n%s", filepath.Join(d.site, "gh"), script))
}

func (d *download) noGH() {
	if err := os.Remove(filepath.Join(d.tools, "gh")); err != nil {
		d.t.Fatal(err)
	}
}

// embed copies the action and writes digests into its list.
func (d *download) embed(lines string) {
	d.t.Helper()
	dir := d.t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, ".github", "action"), os.DirFS(filepath.Join(d.action, ".github", "action"))); err != nil {
		d.t.Fatal(err)
	}
	d.write(dir, map[string]string{"action.yml": readFile(d.t, d.action, "action.yml"), ".github/action/checksums.txt": "# digests\n" + lines})
	d.action = dir
}

// TestActionDownload: what is downloaded runs only when it is what was released.
func TestActionDownload(t *testing.T) {
	other := strings.Repeat("a", 64)
	for _, tt := range []struct {
		name   string
		change func(d *download)
		want   string // part of the message that refuses it; empty where it runs
	}{
		{"as released", func(*download) {}, ""},
		{"the latest", func(d *download) { d.inputs["version"] = "latest" }, ""},
		{"the digest is of another archive", func(d *download) { d.write(d.site, map[string]string{"checksums.txt": other + "  " + archive + "\n"}) }, "expected " + other},
		{"the list has no digest of it", func(d *download) {
			d.write(d.site, map[string]string{"checksums.txt": d.digest() + "  x" + archive + "\n"})
		}, "no single digest"},
		{"the list has two", func(d *download) {
			d.write(d.site, map[string]string{"checksums.txt": d.digest() + "  " + archive + "\n" + other + "  " + archive + "\n"})
		}, "no single digest"},
		{"the list is missing", func(d *download) { os.Remove(filepath.Join(d.site, "checksums.txt")) }, "checksums.txt failed"},
		{"the archive is missing", func(d *download) { os.Remove(filepath.Join(d.site, archive)) }, archive + " failed"},
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
		{"no build for the processor", func(d *download) { d.extra = []string{"RUNNER_ARCH=ARM"} }, `no build for the processor "ARM"`},
		{"no build for the system", func(d *download) { d.extra = []string{"RUNNER_OS=Plan9"} }, `no build for the system "Plan9"`},
		{"latest leads elsewhere", func(d *download) {
			d.inputs["version"] = "latest"
			d.write(d.site, map[string]string{"latest": "https://example.com/tag/v../../x"})
		}, "the version is"},
		{"no latest", func(d *download) { d.inputs["version"] = "latest"; d.write(d.site, map[string]string{"latest": ""}) }, "the version is"},
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
					t.Errorf("the runner takes the command %q", c)
				}
			}
		})
	}
}

// TestActionVersions: a version is latest or three numbers, before anything is
// fetched.
func TestActionVersions(t *testing.T) {
	for _, version := range []string{"v1.2.3", "1.2", "1.2.3.4", "1.2.3-rc.1", "01.2.3", "1.2.3\n", "../1.2.3", "latest ", "$(id)", "1.2.3/../../x", "--version"} {
		d := newDownload(t)
		d.inputs["version"] = version
		if d.run(); d.code != 2 || !strings.Contains(d.log.String(), "expected latest, or three numbers as in 1.2.3") {
			t.Errorf("the version %q: exit code %d\n%s", version, d.code, d.log.String())
		}
	}
}

// TestActionProvenance: gh is asked for what this repository's release workflow
// built from the tag, with the token of the job.
func TestActionProvenance(t *testing.T) {
	d := newDownload(t)
	d.run()
	want := []string{"t0ken", "attestation", "verify", archive, "--repo", "mcpscan/mcpscan", "--deny-self-hosted-runners",
		"--signer-workflow", "mcpscan/mcpscan/.github/workflows/release.yml", "--source-ref", "refs/tags/v1.2.3"}
	if got := strings.Split(strings.TrimSpace(readFile(t, d.site, "gh")), "\n"); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("gh was called with %q", got)
	}
}

// TestActionDefaultVersion: without an input the action installs the version that
// it was released with.
func TestActionDefaultVersion(t *testing.T) {
	d := newDownload(t)
	d.inputs["version"] = ""
	d.run()
	if want := "/v" + strings.TrimSpace(readFile(t, root, ".github", "action", "VERSION")) + "/"; !strings.Contains(d.log.String(), want) {
		t.Errorf("%q is not in\n%s", want, d.log.String())
	}
}

// TestActionBinaryPath: a path that is no program is refused.
func TestActionBinaryPath(t *testing.T) {
	for _, path := range []string{"nowhere", ".", "-x", "data"} {
		d := newDownload(t)
		d.write(d.workspace, map[string]string{"data": "x"})
		d.inputs["binary-path"] = path
		if d.run(); d.code != 2 || !strings.Contains(d.log.String(), "binary-path is") {
			t.Errorf("binary-path %q: exit code %d\n%s", path, d.code, d.log.String())
		}
	}
}
