package action

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml"

	"github.com/mcpscan/mcpscan/internal/config"
)

// TestRelease checks that the archives have the names that the action expects, that
// the build uses nothing outside its commit, and that nothing is published before it
// is attested.
func TestRelease(t *testing.T) {
	var g struct {
		Builds []struct {
			Flags, Goos, Goarch []string
			ModTimestamp        string `yaml:"mod_timestamp"`
		}
		Archives []struct {
			Formats      []string
			NameTemplate string `yaml:"name_template"`
		}
		Checksum struct {
			NameTemplate string `yaml:"name_template"`
			Algorithm    string
		}
		Sboms   []any
		Release struct{ Draft bool }
	}
	if err := yaml.Unmarshal([]byte(readFile(t, root, ".goreleaser.yaml")), &g); err != nil {
		t.Fatal(err)
	}
	b, ar := g.Builds[0], g.Archives[0]
	if !slices.Contains(b.Flags, "-trimpath") || b.ModTimestamp != "{{ .CommitTimestamp }}" || !slices.Equal(b.Goos, []string{"linux", "darwin", "windows"}) || !slices.Equal(b.Goarch, []string{"amd64", "arm64"}) {
		t.Errorf("the build is %+v", b)
	}
	if !slices.Equal(ar.Formats, []string{"tar.gz"}) || ar.NameTemplate != "{{ .ProjectName }}_{{ .Version }}_{{ .Os }}_{{ .Arch }}" || g.Checksum.NameTemplate != "checksums.txt" || g.Checksum.Algorithm != "sha256" || len(g.Sboms) == 0 || !g.Release.Draft {
		t.Errorf("the archive is %+v, the list %+v", ar, g.Checksum)
	}
	text := readFile(t, root, ".github", "workflows", "release.yml")
	attest, publish := strings.Index(text, "actions/attest-build-provenance@"), strings.Index(text, "--draft=false")
	if attest < 0 || publish < attest {
		t.Error("release.yml publishes before it attests")
	}
}

// TestReleaseScripts checks that a tag that the action could not install is not
// released, and that a pull request adds the digests of a release to the action's
// list.
func TestReleaseScripts(t *testing.T) {
	var w struct {
		Jobs map[string]struct{ Steps []step }
	}
	readWorkflow(t, "release.yml", &w)
	origin := t.TempDir()
	start := func(job, script string) *runner {
		r := newRunner(t)
		r.git(".", "clone", "-q", "file://"+origin, r.workspace)
		r.tool("gh", "printf '%s\\n' \"$*\" >>'"+filepath.Join(origin, ".git", "gh.args")+"'\n")
		r.github["ref_name"] = "v1.2.3"
		r.write(r.temp, map[string]string{"released/checksums.txt": strings.Repeat("a", 64) + "  mcpscan_1.2.3_linux_amd64.tar.gz\n" +
			strings.Repeat("b", 64) + "  mcpscan_1.2.3_linux_amd64.tar.gz.sbom.json\n" + strings.Repeat("c", 64) + "  mcpscan_1.2.4_linux_amd64.tar.gz\n"})
		for _, s := range w.Jobs[job].Steps {
			if s.Name == script {
				r.step(s)
			}
		}
		return r
	}
	r := newRunner(t)
	r.git(origin, "init", "-q", "-b", "main")
	r.commit(origin, map[string]string{".github/action/VERSION": "1.2.3\n", ".github/action/checksums.txt": "# digests\n"})
	const check = "Check that the tag is on main and names the version of the action"
	if r := start("check", check); r.code != 0 {
		t.Errorf("the tag of main is refused:\n%s", r.log.String())
	}
	if r := start("digests", "Propose the digests"); r.code != 0 {
		t.Errorf("exit code %d\n%s", r.code, r.log.String())
	}
	if got, want := r.git(origin, "show", "digests/v1.2.3:.github/action/checksums.txt"), "# digests\n"+strings.Repeat("a", 64)+"  mcpscan_1.2.3_linux_amd64.tar.gz"; got != want {
		t.Errorf("the list is\n%s\nwant\n%s", got, want)
	}
	if calls := readFile(t, origin, ".git", "gh.args"); !strings.Contains(calls, "pr create --base main --head digests/v1.2.3 ") {
		t.Errorf("gh was called with\n%s", calls)
	}
	r.commit(origin, map[string]string{".github/action/VERSION": "1.2.4\n"})
	if r := start("check", check); r.code != 1 || !strings.Contains(r.log.String(), "does not match the tag") {
		t.Errorf("a tag of another version: exit code %d\n%s", r.code, r.log.String())
	}
}

// TestPreCommitHooks checks that the hooks start no servers, and run for each file that
// scan reads in a project.
func TestPreCommitHooks(t *testing.T) {
	var hooks []struct {
		ID, Entry, Language, Files string
		Args                       []string
	}
	if err := yaml.Unmarshal([]byte(readFile(t, root, ".pre-commit-hooks.yaml")), &hooks); err != nil {
		t.Fatal(err)
	}
	if len(hooks) != 2 || hooks[0].ID != "mcpscan" || hooks[0].Language != "golang" || hooks[1].ID != "mcpscan-system" || hooks[1].Language != "system" {
		t.Fatalf("the hooks are %+v", hooks)
	}
	wanted := append(config.ProjectPatterns(), "mcpscan.lock", "mcpscan.yaml")
	for _, h := range hooks {
		if h.Entry != "mcpscan scan --no-run --now=today" || !slices.Equal(h.Args, []string{"."}) {
			t.Errorf("the hook %s runs %s %q", h.ID, h.Entry, h.Args)
		}
		files := regexp.MustCompile(regexp.MustCompile(`\(\?x\)|\s`).ReplaceAllString(h.Files, ""))
		for _, pattern := range wanted {
			for _, name := range samples(pattern) {
				if !doublestar.MatchUnvalidated(pattern, name) {
					t.Fatalf("%s is not a sample of %s", name, pattern)
				}
				if !files.MatchString(name) || !files.MatchString("a/b/"+name) {
					t.Errorf("the hook %s does not run for %s", h.ID, name)
				}
			}
		}
		for _, name := range []string{"package.json", "xmcpscan.lock", "mcp.json.bak", "src/settings.json", ".github/workflows/ci.yml"} {
			if files.MatchString(name) {
				t.Errorf("the hook %s runs for %s", h.ID, name)
			}
		}
	}
}

// samples returns a matching file name for each alternative in a pattern.
func samples(pattern string) []string {
	m := regexp.MustCompile(`\{([^{}]*)\}`).FindStringSubmatchIndex(pattern)
	if m == nil {
		return []string{strings.NewReplacer("**", "x", "*", "x").Replace(pattern)}
	}
	var out []string
	for alternative := range strings.SplitSeq(pattern[m[2]:m[3]], ",") {
		out = append(out, samples(pattern[:m[0]]+alternative+pattern[m[1]:])...)
	}
	return out
}
