package score

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// outcome counts the mutations of one kind, and those among them with the correct result.
type outcome struct{ done, right int }

func (o outcome) share() float64 { return float64(o.right) / float64(max(1, o.done)) }

// half returns which half of the packages a package belongs to. The rules were tuned on the first
// half.
func half(name string) int {
	h := fnv.New32a()
	fmt.Fprint(h, name)
	return int(h.Sum32() >> 8 & 1)
}

// tries is the number of tools per server on which a mutation is tried.
const tries = 4

// mutate applies mutations to the servers, and counts those that have a finding at high and those
// that have none.
func mutate(t *testing.T, servers []*dump, mutations []mutation, words phrases, malicious bool) (by map[string]*outcome, all outcome) {
	t.Helper()
	engine, err := scanner.New(rules.All(), scanner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	by = map[string]*outcome{}
	compare := differ{engine}
	snapshots := map[string]*scanner.Snapshot{} // by list, because most mutations of a server change the same one
	for _, d := range servers {
		for i, kind := range mutations {
			m, before := applied(t, d, kind, i, words)
			if m == nil {
				continue
			}
			list := encode(t, *before)
			if snapshots[string(list)] == nil {
				if snapshots[string(list)], err = compare.snapshot(list); err != nil {
					t.Fatal(err)
				}
			}
			c, err := compare.against(d.Package, snapshots[string(list)], encode(t, m.doc))
			if err != nil {
				t.Fatal(err)
			}
			worst, _ := c.Worst()
			o := by[kind.name]
			if o == nil {
				o = &outcome{}
				by[kind.name] = o
			}
			o.done++
			if all.done++; (worst >= scanner.High) == malicious {
				o.right++
				all.right++
			} else if testing.Verbose() {
				t.Logf("%s, %s %s: %s: %s", kind.name, d.Package, text(m.tool, "name"), worst, m.said)
				for _, f := range c.Findings {
					if f.Severity == worst {
						t.Logf("    %s %s %s: %.200s", f.Severity, f.Rule, f.Tool, f.Message)
					}
				}
			}
		}
	}
	return by, all
}

// applied returns a mutated server, and its list before the mutation, or nil if the mutation suits
// none of the tools tried.
func applied(t *testing.T, d *dump, kind mutation, number int, words phrases) (*mutant, *object) {
	for try := range tries {
		m, before := newMutant(t, d, fmt.Sprint(kind.name, number), try, words)
		if _, named := m.tool["name"].(string); named && kind.apply(m) {
			return m, before
		}
	}
	return nil, nil
}

// The minimum shares of correct results, for our own definitions and for those from published
// servers.
const (
	leastOwn    = 0.85
	leastServer = 0.9
)

// TestMutations checks that most malicious changes, and few changes in benign upgrades, have
// findings at high. The rules were tuned with the first half of the packages and phrases; the
// second half of the packages is changed with the second half of the phrases.
func TestMutations(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "mutations", "own.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"first.txt", "second.txt"} {
		judgeMutations(t, "own, "+words, []*dump{loadDump(t, data)}, words, leastOwn)
	}
	dumps, err := newest(publishedServers)
	if err != nil || testing.Short() {
		t.Logf("only definitions of our own are changed: %v", err)
		return
	}
	halves, seen := [2][]*dump{}, [2]int{}
	for _, d := range dumps {
		seen[half(d.Package)]++
		if len(d.Tools) > 0 && (*update || len(halves[half(d.Package)])*sampled <= seen[half(d.Package)]) {
			halves[half(d.Package)] = append(halves[half(d.Package)], d)
		}
	}
	for at, file := range []string{"first.txt", "second.txt"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			judgeMutations(t, "servers, "+file, halves[at], file, leastServer)
		})
	}
}

// sampled is the sampling interval: without -update, only one in this many servers is changed.
const sampled = 32

// judgeMutations logs the share of correct results for each kind of mutation, and fails if a share
// is too low.
func judgeMutations(t *testing.T, name string, servers []*dump, file string, least float64) {
	t.Helper()
	words := readPhrases(t, file)
	for label, mutations := range map[string][]mutation{"malicious": maliciousMutations(), "benign": benignMutations()} {
		by, all := mutate(t, servers, mutations, words, label == "malicious")
		for kind, o := range by {
			t.Logf("%s, %s: %-40s %d of %d", name, label, kind, o.right, o.done)
		}
		t.Logf("%s, %s: ALL %d of %d right, %.1f %%", name, label, all.right, all.done, 100*all.share())
		if all.share() < least {
			t.Errorf("%s: of the %s changes %d of %d are judged right: expected %.0f %%", name, label, all.right, all.done, 100*least)
		}
	}
}

func loadDump(t *testing.T, data []byte) *dump {
	t.Helper()
	o := parseObject(t, data)
	d := &dump{data: data, Package: text(o, "package"), Version: text(o, "version")}
	for _, tool := range o["tools"].([]any) {
		d.Tools = append(d.Tools, []byte(strings.TrimSpace(string(encode(t, tool)))))
	}
	return d
}
