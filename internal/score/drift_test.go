package score

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// checkLabels compares the findings in the cases with their labels.
func checkLabels(t *testing.T, d *Drift) {
	t.Helper()
	seen := map[string]int{}
	for _, c := range d.Labelled {
		seen[c.Label]++
		worst, any := c.Worst()
		var right bool
		switch c.Label {
		case "malicious":
			right = worst >= scanner.High
		case "benign":
			right = worst <= scanner.Medium && any == c.Differs
		case "undeclared":
			right = any && worst < scanner.High
		}
		if !right {
			t.Errorf("%s %s: reported %v, the worst %s: %+v", c.Label, c.Name, any, worst, c.Findings)
		}
	}
	if seen["malicious"] == 0 || seen["benign"] == 0 || seen["undeclared"] == 0 {
		t.Errorf("cases are missing: %v", seen)
	}
}

// TestDriftCases checks that malicious changes have findings at high, that benign ones do not, and
// that undeclared ones, which only prose mentions, have findings below high.
func TestDriftCases(t *testing.T) {
	d, err := RunDrift("testdata", "")
	if err != nil {
		t.Fatal(err)
	}
	checkLabels(t, d)
}

func TestDriftTables(t *testing.T) {
	told := func(s scanner.Severity, tools ...string) (all []Reported) {
		for _, tool := range tools {
			all = append(all, Reported{Rule: "drift-description", Tool: tool, Severity: s})
		}
		return all
	}
	d := &Drift{
		Labelled: []Change{{Name: "a", Label: "benign"}, {Name: "b", Label: "benign", Differs: true, Findings: told(scanner.Low, "t")}},
		Upgrades: []Change{{Name: "p 1 → 2", Differs: true, Findings: append(told(scanner.Note, "x"), told(scanner.High, "a", "b", "a", "c", "d", "e")...)}, {Name: "q 1 → 2", Differs: true}},
	}
	tables := d.Markdown()
	for _, want := range []string{
		"| cases labelled benign | 2 | 1 | 1 | 0 | 1 | 0 | 0 | 0 | 0 % |",
		"| servers of two releases | 2 | 2 | 1 | 0 | 0 | 0 | 1 | 0 | 50.0 % |",
		"| `p 1 → 2` | high: `a`, `b`, `c`, `d`, 1 more | [drift-description](rules.md#drift-description) |",
	} {
		if !strings.Contains(tables, want) {
			t.Errorf("the tables lack %q:\n%s", want, tables)
		}
	}
}

// The maximum shares of benign versions and of benign upgrades that may have high findings.
const (
	mostVersions = 0.03
	mostUpgrades = 0.04
)

// TestPublishedDrift checks that docs/drift.md contains the rules' current results, and says for
// each benign change with a finding at high whether the finding is correct. go test
// ./internal/score -update writes the tables.
func TestPublishedDrift(t *testing.T) {
	servers := filepath.Dir(publishedServers)
	for _, path := range []string{filepath.Join(publishedCorpus, "drift"), filepath.Join(publishedCorpus, "versions.jsonl"), filepath.Join(servers, "upgrades.json")} {
		if _, err := os.Stat(path); err != nil {
			t.Skipf("the tables of docs/drift.md are not compared: the corpus is absent (%v)", err)
		}
	}
	d, err := RunDrift(publishedCorpus, servers)
	if err != nil {
		t.Fatal(err)
	}
	checkLabels(t, d)
	checkPublished(t, "versions.jsonl", d.Versions, mostVersions)
	checkPublished(t, "upgrades.json", d.Upgrades, mostUpgrades)
	checkEachLeftOut(t, d.Upgrades, mostUpgrades)
	doc := published(t, "docs/drift.md", "figures", d.Markdown())
	_, said, _ := strings.Cut(doc, "<!-- figures: end -->")
	for _, h := range d.Hits() {
		if want := fmt.Sprintf("| %s | `%s`", code(h.Change.Name), h.Rule); !strings.Contains(said, want) {
			t.Errorf("docs/drift.md does not say whether the finding is right: expected a line that begins with %s", want)
		}
	}
}

// checkPublished checks that each change in a set of pairs is reported, and that few
// have findings at high.
func checkPublished(t *testing.T, name string, all []Change, most float64) {
	t.Helper()
	for _, c := range all {
		if c.Differs && len(c.Findings) == 0 {
			t.Errorf("%s: nothing is reported about a change: %s", name, c.Name)
		}
	}
	if high := countByWorst(all).high(); len(all) == 0 || float64(high) > most*float64(len(all)) {
		t.Errorf("%s: %d of %d pairs are high: expected at most %.0f %%", name, high, len(all), 100*most)
	}
}

// checkEachLeftOut checks that the maximum share also holds if any single package is left out. A
// pair's name begins with its package's name.
func checkEachLeftOut(t *testing.T, all []Change, most float64) {
	t.Helper()
	of, high := map[string]int{}, map[string]int{}
	for i := range all {
		name, _, _ := strings.Cut(all[i].Name, " ")
		of[name]++
		if worst, _ := all[i].Worst(); worst >= scanner.High {
			high[name]++
		}
	}
	total := countByWorst(all).high()
	least, greatest := 1.0, 0.0
	for name, n := range of {
		share := float64(total-high[name]) / float64(len(all)-n)
		least, greatest = min(least, share), max(greatest, share)
		if share > most {
			t.Errorf("without %s %.1f %% of the pairs are high: expected at most %.0f %%", name, 100*share, 100*most)
		}
	}
	t.Logf("with each of %d packages left out in turn, between %.1f and %.1f %% of the pairs are high", len(of), 100*least, 100*greatest)
}

func TestDriftErrors(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"expected {baseline, twin}":  {"drift/a.json": `{"malicious":{"x":{"baseline":{"name":"t"}}}}`},
		"a.json":                     {"drift/a.json": `{`},
		"versions.jsonl:2: expected": {"versions.jsonl": `{"id":"a","old":{"name":"t"},"new":{"name":"t"}}` + "\n{}\n"},
		"no dump of p 1 and 2":       {"upgrades.json": `[{"package":"p","from":"1","to":"2"}]`, "dumps/p.json": `{"package":"p","version":"1","tools":[]}`},
		"has no dumps":               {"upgrades.json": `[{"package":"p","from":"1","to":"2"}]`},
	} {
		dir := t.TempDir()
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := RunDrift(dir, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
