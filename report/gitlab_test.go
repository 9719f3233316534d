package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

func TestGitLabSample(t *testing.T) {
	r := diffSample(t, "")
	r.Coverage.Skipped = nil
	want := `[
  {
    "description": "The description tells the model to keep something from the user. Found in: filesystem › tool read_file, field /description. Evidence: »Do not tell the user«.",
    "check_name": "inj-conceal",
    "fingerprint": "fef1de596cefbf4133e5d55ef1fb43cb",
    "severity": "blocker",
    "location": {
      "path": "logs/events.jsonl",
      "lines": {
        "begin": 3
      }
    }
  }
]
`
	if got := render(t, "gitlab", r, Options{Rules: sampleRules()}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r.Findings = nil
	if got := render(t, "gitlab", r, Options{}); got != "[]\n" {
		t.Errorf("without findings it is %q", got)
	}
}

// TestGitLabDecided checks that findings that need no action say so, and have the
// lowest severity.
func TestGitLabDecided(t *testing.T) {
	var got []string
	for _, is := range checkGitLab(t, render(t, "gitlab", decidedSample(t), Options{})) {
		mark := ""
		if at := strings.LastIndex(is.Description, " ("); at >= 0 && is.Check != incompleteID {
			mark = is.Description[at:]
		}
		got = append(got, is.Severity+" "+is.Check+mark)
	}
	want := []string{"info prt-noise", "info inj-conceal (unchanged)", "info hid-bidi (suppressed: names of files are <U+001B>[31mred<U+001B>[0m)",
		"major not-inspected", "major not-inspected"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestGitLabFingerprints checks that fingerprints are unique, and do not depend on
// lines or order.
func TestGitLabFingerprints(t *testing.T) {
	ids := func(r *Report) []string {
		var out []string
		for _, is := range checkGitLab(t, render(t, "gitlab", r, Options{})) {
			out = append(out, is.Fingerprint)
		}
		slices.Sort(out)
		return out
	}
	first := sample(t)
	other := first.Findings[1]
	other.Location.File = "logs/other.jsonl"
	unnamed := Finding{Rule: "x", Message: "a"}
	first.Findings = append(first.Findings, other, unnamed, unnamed)
	moved := sample(t)
	moved.Findings = slices.Clone(first.Findings)
	slices.Reverse(moved.Findings)
	for i := range moved.Findings {
		moved.Findings[i].Location.Line += 7
		moved.Findings[i].Session = fmt.Sprint("later ", i)
	}
	if a, b := ids(first), ids(moved); !slices.Equal(a, b) || len(a) != 8 {
		t.Errorf("got\n%s\nand where all has moved\n%s", a, b)
	}
	for s, want := range map[scanner.Severity]string{scanner.Note: "info", scanner.Low: "minor", scanner.Medium: "major", scanner.High: "critical", scanner.Critical: "blocker"} {
		first.Findings = []Finding{{Severity: s, Rule: "x"}}
		if got := checkGitLab(t, render(t, "gitlab", first, Options{}))[0].Severity; got != want {
			t.Errorf("%s is %s, want %s", s, got, want)
		}
	}
}
