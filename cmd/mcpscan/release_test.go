package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml"

	"github.com/mcpscan/mcpscan/internal/config"
)

// TestRelease: the archives are those that the action asks for, the build takes
// nothing from outside of its commit, and nothing is published before it is attested.
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

// TestPreCommitHooks: the hooks start nothing, and run for each file that scan reads in
// a project.
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
		if h.Entry != "mcpscan scan --no-run" || !slices.Equal(h.Args, []string{"."}) {
			t.Errorf("the hook %s runs %s %q", h.ID, h.Entry, h.Args)
		}
		files := regexp.MustCompile(regexp.MustCompile(`\(\?x\)|\s`).ReplaceAllString(h.Files, ""))
		for _, pattern := range wanted {
			for _, name := range samples(pattern) {
				if !doublestar.MatchUnvalidated(pattern, name) {
					t.Fatalf("%s is no sample of %s", name, pattern)
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

// samples returns a name for each alternative of a pattern.
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
