package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/fakeserver"
	"github.com/mcpscan/mcpscan/report"
)

var (
	editCases = flag.Int("edits", 50, "how many hostile edits TestHostileEdits tries")
	editSeed  = flag.Uint64("edits-seed", 1, "what its projects and edits are drawn from")
)

// editsOfProject is the number of edits tried per project. Projects are reused because creating a
// lockfile is slow: it starts the servers.
const editsOfProject = 25

// TestHostileEdits creates random projects with clients, servers and a lockfile, and
// random changes to them. Each change alters what a client starts or contacts, or what the lockfile
// approves, and a second edit tries to hide that. The gate must fail, or the report must say that
// something was not inspected.
func TestHostileEdits(t *testing.T) {
	if testing.Short() {
		*editCases = min(*editCases, 25)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	web := httptest.NewServer(http.HandlerFunc(answerHTTP))
	defer web.Close()
	tried := map[string]int{}
	for n := 0; n < *editCases; n += editsOfProject {
		r := rand.New(rand.NewPCG(*editSeed, uint64(n)))
		honest := randomProject(r, web.URL)
		base := t.TempDir()
		honest.write(t, base)
		t.Chdir(base)
		if code, said := quietly("lock", "--run-servers", "--now", "2026-01-06", "."); code != exitClean {
			t.Fatalf("project %d is not locked: exit code %d\n%s", n, code, said)
		}
		honest.files["mcpscan.lock"] = readFile(t, base, "mcpscan.lock")
		before := gate(t, base, base)
		if before.code != exitClean {
			t.Fatalf("project %d is not clean without an edit: exit code %d\n%s", n, before.code, before.text)
		}
		for i := n; i < min(n+editsOfProject, *editCases); i++ {
			changed, what := randomEdit(rand.New(rand.NewPCG(*editSeed, uint64(i))), honest)
			for _, name := range what {
				tried[name]++
			}
			head := t.TempDir()
			changed.write(t, head)
			if after := gate(t, base, head); after.code == exitClean && after.coverage == before.coverage {
				t.Errorf("-edits-seed %d, case %d: nothing is reported about %q\n%s", *editSeed, i, what, shownProject(changed))
			}
		}
	}
	for _, all := range [][]edit{starts, disguises, unlocks, settings} {
		for _, e := range all {
			if tried[e.name] == 0 && *editCases >= 2000 {
				t.Errorf("the edit %q was never tried", e.name)
			}
		}
	}
}

// randomEdit changes what a project starts, or what its lockfile approves, and hides the
// change.
func randomEdit(r *rand.Rand, honest *project) (changed *project, what []string) {
	for {
		p := honest.clone()
		var names []string
		try := func(from []edit) bool {
			e := from[r.IntN(len(from))]
			names = append(names, e.name)
			return e.do(r, p)
		}
		switch hides := [][]edit{disguises, unlocks, settings}[r.IntN(3)]; {
		case r.IntN(8) == 0: // change only the lockfile
			if try(unlocks) {
				return p, names
			}
		case try(starts) && try(hides):
			return p, names
		}
	}
}

// gated is the gate's result.
type gated struct {
	code           int
	coverage, text string
}

// gate evaluates a change as the action does.
func gate(t *testing.T, base, head string) gated {
	t.Helper()
	t.Chdir(head)
	var out, errs bytes.Buffer
	code := run([]string{"scan", "--no-run", "--base", base, "--fail-on", "medium", "--format", "json", "."}, streams{strings.NewReader(""), &out, &errs})
	g := gated{code: code, text: out.String() + errs.String()}
	if code == exitUsage {
		return g
	}
	r, err := report.Read(&out)
	if err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, g.text)
	}
	for _, s := range append(r.Coverage.Skipped, r.Coverage.Ignored...) {
		g.coverage += fmt.Sprintln(s.Count, s.Reason)
	}
	return g
}

// quietly runs mcpscan and returns its exit code and the output on both streams.
func quietly(args ...string) (int, string) {
	var said bytes.Buffer
	code := run(args, streams{strings.NewReader(""), &said, &said})
	return code, said.String()
}

// shownProject formats a project's relevant files for an error.
func shownProject(p *project) string {
	var b strings.Builder
	for _, c := range p.clients {
		fmt.Fprintf(&b, "-- %s --\n%.2000s\n", c.path, strings.TrimSpace(c.text()))
	}
	for name, text := range p.files {
		if filepath.Dir(name) != "packages" {
			fmt.Fprintf(&b, "-- %s --\n%.3000s\n", name, strings.TrimSpace(text))
		}
	}
	fmt.Fprintln(&b, p.links)
	return b.String()
}

// answerHTTP is an HTTP handler that plays the server named in the path.
func answerHTTP(w http.ResponseWriter, req *http.Request) {
	var r fakeserver.Request
	body, _ := io.ReadAll(req.Body)
	if req.Method != http.MethodPost || json.Unmarshal(body, &r) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if r.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, r.From([]byte(dumpOf(strings.Trim(req.URL.Path, "/")))))
}

// behindProxy returns an edit that wraps all commands as mcpscan wrap does, with the given program
// as the proxy.
func behindProxy(program func() string) func(*rand.Rand, *project) bool {
	return func(_ *rand.Rand, p *project) bool {
		for _, c := range p.clients {
			for _, s := range c.servers {
				if s.command == "" {
					continue
				}
				words := []string{"proxy", "--wrapped=args", "--name=" + s.name}
				for _, name := range slices.Sorted(maps.Keys(s.env)) {
					words = append(words, "--env="+name)
				}
				s.args = slices.Concat(words, []string{"--", s.command}, s.args)
				s.command = program()
			}
		}
		return true
	}
}
