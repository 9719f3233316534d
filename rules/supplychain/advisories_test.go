package supplychain

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestAffects checks, for each ecosystem, whether an affected range covers every version that a
// version in a configuration can fetch.
func TestAffects(t *testing.T) {
	for _, c := range []struct {
		ecosystem launch.Ecosystem
		version   string
		affected  Affected
		want      bool
	}{
		{launch.NPM, "0.1.15", Affected{"0.0.5", "0.1.16", ""}, true},
		{launch.NPM, "0.0.5", Affected{"0.0.5", "0.1.16", ""}, true},
		{launch.NPM, "0.0.4", Affected{"0.0.5", "0.1.16", ""}, false},
		{launch.NPM, "0.1.16", Affected{"0.0.5", "0.1.16", ""}, false},
		{launch.NPM, "=v0.1.15", Affected{"0.0.5", "0.1.16", ""}, true},
		{launch.NPM, "0.1.16-beta.1", Affected{"0.0.5", "0.1.16", ""}, true},
		{launch.NPM, "0.10.0", Affected{"0", "0.9.0", ""}, false},
		{launch.NPM, "1.0.0", Affected{"0", "", "1.0.0"}, true},
		{launch.NPM, "1.0.1", Affected{"0", "", "1.0.0"}, false},
		{launch.NPM, "^0.0.5", Affected{"0.0.5", "0.1.16", ""}, true},
		{launch.NPM, "^0.1.0", Affected{"0.0.5", "0.1.16", ""}, false},
		{launch.NPM, "0.0.x", Affected{"0", "0.1.16", ""}, true},
		{launch.NPM, "0.0.x", Affected{"0.0.5", "0.1.16", ""}, false},
		{launch.NPM, "0.0.6 || 1", Affected{"0.0.5", "0.1.16", ""}, false},
		{launch.NPM, "<0.1.10", Affected{"0", "0.1.16", ""}, true},
		{launch.NPM, "", Affected{"0", "0.1.16", ""}, false},
		{launch.NPM, "", Affected{"1.0.16", "", ""}, true},
		{launch.NPM, "latest", Affected{"1.0.16", "", ""}, true},
		{launch.NPM, "latest", Affected{"0", "", "1.0.0"}, false},
		{launch.NPM, "next", Affected{"0", "2.0.0", ""}, false},
		{launch.NPM, "${VERSION}", Affected{"0", "", ""}, false},
		{launch.NPM, "<=1.0.0", Affected{"0", "", "1.0.0"}, true},
		{launch.NPM, "<=1.0.1", Affected{"0", "", "1.0.0"}, false},
		{launch.PyPI, "<=1.0.0", Affected{"0", "", "1.0.0"}, true},
		{launch.PyPI, ">=1.5,<1.9", Affected{"1.5", "1.9.0", ""}, true},
		{launch.PyPI, "1.9", Affected{"0", "1.10.0", ""}, true},
		{launch.PyPI, "1.10", Affected{"0", "1.10.0", ""}, false},
		{launch.PyPI, "1.10.0rc1", Affected{"0", "1.10.0", ""}, true},
		{launch.PyPI, "1.10.0.post1", Affected{"0", "1.10.0", ""}, false},
		{launch.PyPI, "2025.7.1", Affected{"0", "2025.12.18", ""}, true},
		{launch.PyPI, "<1.5", Affected{"0", "1.10.0", ""}, true},
		{launch.PyPI, ">=1.5,<2", Affected{"0", "1.10.0", ""}, false},
		{launch.PyPI, "~=1.9.0", Affected{"0", "1.10.0", ""}, true},
		{launch.PyPI, "==1.9.*", Affected{"0", "1.10.0", ""}, true},
		{launch.Go, "v1.2.3", Affected{"0", "v1.3.0", ""}, true},
		{launch.NuGet, "1.2.3.4", Affected{"0", "1.2.3.5", ""}, true},
		{launch.OCI, "1.2.3", Affected{"0", "", ""}, false},
		{launch.NPM, strings.Repeat("1 || ", 100), Affected{"0", "", ""}, false},
	} {
		var one launch.Package
		switch c.ecosystem {
		case launch.PyPI:
			one = launch.Parse("uvx", []string{"p" + map[bool]string{true: "==", false: ""}[c.version != "" && c.version[0] <= '9' && c.version[0] >= '0'] + c.version}).Package
		case launch.NPM:
			one = launch.Parse("npx", []string{strings.TrimSuffix("p@"+c.version, "@")}).Package
		default:
			one = launch.Package{Ecosystem: c.ecosystem, Name: "p", Version: c.version, Exact: true}
		}
		a := Advisory{Ecosystem: c.ecosystem, Package: "p", Ranges: []Affected{c.affected}}
		if got := a.affects(one); got != c.want {
			t.Errorf("%s %q in %+v is %v", c.ecosystem, c.version, c.affected, got)
		}
	}
}

// TestAdvisoryTable checks that each row can be compared, and has a source.
func TestAdvisoryTable(t *testing.T) {
	for _, a := range builtIn {
		sys := systems[a.Ecosystem]
		if a.ID == "" || a.Package == "" || a.Source == "" || a.Severity < scanner.Medium || len(a.Ranges) == 0 {
			t.Errorf("%+v is not complete", a)
		}
		if _, err := time.Parse(time.DateOnly, a.Date); err != nil {
			t.Errorf("%s: %v", a.ID, err)
		}
		for _, r := range a.Ranges {
			for _, v := range []string{r.Introduced, r.Fixed, r.Last} {
				if _, err := sys.Parse(v); v != "" && err != nil {
					t.Errorf("%s: %v", a.ID, err)
				}
			}
		}
	}
}

// TestOthersReplace checks that an advisory from a file replaces the built-in one.
func TestOthersReplace(t *testing.T) {
	a := NewAdvisories([]Advisory{{ID: "CVE-2025-6514", Ecosystem: launch.NPM, Package: "mcp-remote", Ranges: []Affected{{Fixed: "0.2.0"}}}})
	list := a.byPackage[packageOf(launch.NPM, "mcp-remote")]
	if len(list) != 1 || list[0].Ranges[0].Fixed != "0.2.0" {
		t.Errorf("got %d advisories of mcp-remote", len(list))
	}
}
