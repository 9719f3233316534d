package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

func TestGitHubSample(t *testing.T) {
	r := decidedSample(t)
	r.Coverage.Skipped = r.Coverage.Skipped[1:]
	want := `::warning title=mcpscan%3A not everything was inspected::1 × server "time" did not start
::notice file=logs/events.jsonl,line=1,col=1,title=mcpscan%3A prt-noise (note)::Text beside the protocol.%0AFound in: filesystem%0AWhat to do: Log to standard error.
::notice title=mcpscan::1 finding: 1 note.%0ASuppressed: 1 finding: 1 high (mcpscan.yaml).%0AUnchanged since the baseline: 1 finding: 1 critical (before.json).%0AInspected: 118 of 120 events; 2 servers, 14 tools, 2 sessions, 31 calls.%0AConfiguration: mcpscan.yaml.
`
	if got := render(t, "github", r, Options{Rules: sampleRules()}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestGitHubLevels(t *testing.T) {
	r := sample(t)
	r.Findings, r.Coverage.Skipped = r.Findings[:0], r.Coverage.Skipped[1:]
	for _, s := range scanner.Severities {
		for i := range 12 {
			r.Findings = append(r.Findings, Finding{Rule: s.String(), Severity: s, Fingerprint: fmt.Sprint(s, i)})
		}
	}
	got := render(t, "github", r, Options{})
	checkPromise(t, "github", got)
	for want, n := range map[string]int{
		"::error title=mcpscan%3A critical": 10, "::error title=mcpscan%3A high": 0,
		"::warning title=mcpscan%3A medium": 9, "::warning title=mcpscan%3A not everything": 1,
		"::notice title=mcpscan%3A low": 9, "::notice title=mcpscan%3A note": 0,
		"%0A32 more open findings without an annotation: GitHub keeps 10 annotations of each level.": 1,
	} {
		if strings.Count(got, want) != n {
			t.Errorf("%q occurs %d times, want %d, in\n%s", want, strings.Count(got, want), n, got)
		}
	}
}

func TestGitHubEscapes(t *testing.T) {
	r := diffSample(t, "")
	f := &r.Findings[0]
	f.Rule, f.Message, f.Location.File = "a::b,c%", "x\n::error::y%0A::z", "dir,1/a:b%.json"
	got := render(t, "github", r, Options{})
	for _, want := range []string{
		"file=dir%2C1/a%3Ab%25.json,line=3,col=212,title=mcpscan%3A a%3A%3Ab%2Cc%25 (critical)::x ::error::y%250A::z%0A",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestGitHubFiles checks that an annotation has file properties only if its location is a file.
func TestGitHubFiles(t *testing.T) {
	for in, want := range map[string]string{
		"":                "::error title",
		"-":               "::error title",
		"mcp://server":    "::error title",
		"/w/a.json":       "::error file=a.json,line=3,col=212,title",
		"/elsewhere/a":    "::error file=/elsewhere/a,line=3,col=212,title",
		`sub\a.json`:      "::error file=sub/a.json,line=3,col=212,title",
		"./x/../a.json":   "::error file=a.json,line=3,col=212,title",
		"https://a.b/mcp": "::error title",
	} {
		r := diffSample(t, "")
		r.Findings[0].Location.File = in
		if got := render(t, "github", r, Options{Dir: "/w"}); !strings.Contains(got, want) {
			t.Errorf("%q: no %q in\n%s", in, want, got)
		}
	}
}
