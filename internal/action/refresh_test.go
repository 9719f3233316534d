package action

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/mcpscan/mcpscan/internal/lockfile"
)

// refresh is a runner for the jobs in refresh-lockfile.yml, in a clone of the repository origin.
// Its go command installs a script that writes a lockfile, in place of mcpscan.
type refresh struct {
	*runner
	origin string
	inputs map[string]any
	jobs   map[string]struct{ Steps []step }
}

func newRefresh(t *testing.T, lock string) *refresh {
	t.Helper()
	r := &refresh{runner: newRunner(t)}
	var h history
	h.commit("main", map[string]string{".mcp.json": "{}", "mcpscan.lock": "old\n", "a/mcpscan.lock": "old\n"})
	r.origin = r.repository(&h)
	r.git(".", "clone", "-q", "file://"+r.origin, r.workspace)
	r.tool("go", fmt.Sprintf("printf '%%s\\n' \"$@\" >%q\ncat >\"$GOBIN/mcpscan\" <<'EOF'\n#!/usr/bin/env bash\n%s\nEOF\nchmod +x \"$GOBIN/mcpscan\"\n", filepath.Join(r.temp, "go.args"), lock))
	r.tool("gh", `printf '%s\n' "$*" >>"$RUNNER_TEMP/gh.args"
case $* in 'pr list'*) cat "$RUNNER_TEMP/open" 2>/dev/null || true ;; esac
for a in "$@"; do case $a in */body.md) cp "${a#body=@}" "$RUNNER_TEMP/gh.body" ;; esac; done
`)
	r.github["ref_name"], r.github["ref_type"], r.workflowSHA = "main", "branch", commitOfWorkflow
	var w struct {
		On struct {
			WorkflowCall struct {
				Inputs map[string]struct{ Default string }
			} `yaml:"workflow_call"`
		}
		Jobs map[string]struct{ Steps []step }
	}
	readWorkflow(t, "refresh-lockfile.yml", &w)
	r.jobs, r.inputs = w.Jobs, map[string]any{}
	for name, in := range w.On.WorkflowCall.Inputs {
		r.inputs[name] = in.Default
	}
	r.steps["inputs"] = r.inputs
	return r
}

func readWorkflow(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(readFile(t, root, ".github", "workflows", name)), into); err != nil {
		t.Fatal(err)
	}
}

// job runs the steps of one job, in a clean working tree.
func (r *refresh) job(name string) {
	r.t.Helper()
	r.git(r.workspace, "reset", "-q", "--hard")
	for _, s := range r.jobs[name].Steps {
		r.step(s)
	}
}

// pushed returns a file on the pull request's branch, or "" if there is none.
func (r *refresh) pushed(name string) string {
	if r.git(r.origin, "branch", "--list", "mcpscan/refresh-lockfile") == "" {
		return ""
	}
	return r.git(r.origin, "show", "mcpscan/refresh-lockfile:"+name)
}

func (r *refresh) ghCalls() string {
	data, _ := os.ReadFile(filepath.Join(r.temp, "gh.args"))
	return string(data)
}

// commitOfWorkflow is the commit of the called workflow.
const commitOfWorkflow = "0123456789abcdef0123456789abcdef01234567"

// says returns a script that writes a lockfile, prints a text and exits with a
// code.
func says(code int, text string) string {
	return fmt.Sprintf("%s\ncat <<'TEXT'\n%s\nTEXT\nexit %d", writesLock, text, code)
}

const writesLock = `printf '%s\n' "$@" >"$RUNNER_TEMP/lock.args"; env >"$RUNNER_TEMP/lock.env"; for a in "$@"; do case $a in --lockfile=*) echo new >"${a#--lockfile=}" ;; esac; done`

// TestRefresh checks that an updated lockfile becomes a pull request that changes
// nothing else.
func TestRefresh(t *testing.T) {
	t.Parallel()
	r := newRefresh(t, writesLock+"; echo x >>.mcp.json; echo x >pwned")
	r.inputs["working-directory"], r.inputs["targets"] = "a", "-x.json\n.mcp.json"
	r.job("lock")
	r.job("pull-request")
	if got := r.pushed("a/mcpscan.lock"); got != "new" || r.code != 0 {
		t.Fatalf("the branch has the lockfile %q; exit code %d\n%s", got, r.code, r.log.String())
	}
	if got := r.git(r.origin, "diff", "--name-only", "main", "mcpscan/refresh-lockfile"); got != "a/mcpscan.lock" {
		t.Errorf("the pull request changes %q", got)
	}
	if got := readFile(t, r.temp, "lock.args"); got != "lock\n--run-servers\n--lockfile=./mcpscan.lock\n./-x.json\n.mcp.json\n" {
		t.Errorf("mcpscan was run with %q", got)
	}
	if got := readFile(t, r.temp, "go.args"); got != "install\ngithub.com/mcpscan/mcpscan/cmd/mcpscan@"+commitOfWorkflow+"\n" {
		t.Errorf("go was run with %q", got)
	}
	if env := readFile(t, r.temp, "lock.env"); regexp.MustCompile(`(?m)^(GITHUB_(OUTPUT|ENV|PATH|STATE|STEP_SUMMARY)|GH_TOKEN)=`).MatchString(env) {
		t.Errorf("servers are started with the environment\n%s", env)
	}
	if calls := r.ghCalls(); !strings.Contains(calls, "pr create --base main --head mcpscan/refresh-lockfile ") {
		t.Errorf("gh was called with\n%s", calls)
	}
}

// TestRefreshAgain checks that an unchanged lockfile opens no pull request, and that no second pull
// request is opened while one is open.
func TestRefreshAgain(t *testing.T) {
	t.Parallel()
	r := newRefresh(t, `cat /dev/null`) // leaves the lockfile unchanged
	r.job("lock")
	r.job("pull-request")
	if r.code != 0 || r.ghCalls() != "" || r.pushed("mcpscan.lock") != "" {
		t.Errorf("exit code %d, gh %q\n%s", r.code, r.ghCalls(), r.log.String())
	}
	r = newRefresh(t, writesLock)
	r.write(r.temp, map[string]string{"open": "7\n"})
	r.job("lock")
	r.job("pull-request")
	if calls := r.ghCalls(); r.code != 0 || strings.Contains(calls, "pr create") || !strings.Contains(calls, "\napi --silent --method PATCH repos/example/project/pulls/7 ") || r.pushed("mcpscan.lock") != "new" {
		t.Errorf("exit code %d, gh %q\n%s", r.code, calls, r.log.String())
	}
	if got := readFile(t, r.temp, "lock.args"); got != "lock\n--run-servers\n--lockfile=./mcpscan.lock\n.\n" {
		t.Errorf("by default mcpscan is run with %q", got)
	}
}

// TestRefreshTells checks that a server that could not be listed, or a finding in a locked
// definition, does not prevent the update of other servers. The log, summary and pull request
// report the problem within GitHub's limits, and text from a server never becomes a command or
// Markdown in them.
func TestRefreshTells(t *testing.T) {
	t.Parallel()
	const status, missed = "mcpscan: mcpscan.lock is written: 2 servers listed", "Not inspected:\n  1  server search not inspected: exit status 1"
	hostile := "::add-mask::x\n##[error]y\n</details> @all #1 [x](https://example.com) \x1b[2J\u202e`\n```\n" + strings.Repeat("z", 5000) + strings.Repeat("\n", 90000)
	for code, want := range map[int]string{
		0: "All servers were listed again.",
		1: "**The current definitions of the servers have findings.**",
		3: "**Not all servers were listed again.**",
	} {
		text := hostile
		if code != 0 {
			text += missed
		}
		r := newRefresh(t, "echo '"+status+"' >&2\n"+says(code, text))
		r.job("lock")
		r.job("pull-request")
		if r.code != 0 || r.pushed("mcpscan.lock") != "new" {
			t.Fatalf("exit code %d\n%s", r.code, r.log.String())
		}
		body, summary := readFile(t, r.temp, "gh.body"), r.summary.String()
		for _, text := range []string{body, summary, r.log.String()} {
			if !strings.Contains(text, status) || strings.Contains(text, "server search not inspected: exit status 1") != (code != 0) {
				t.Errorf("%d: what was done and what was not is not in\n%.2000s", code, text)
			}
		}
		if strings.Contains(body, "Some servers were not listed again") != (code != 0) {
			t.Errorf("%d: the body says %.300q", code, body)
		}
		if !strings.HasPrefix(body, want) || len(body) > 65536 || len(summary) > 1<<20 {
			t.Errorf("%d: a body of %d bytes and a summary of %d; the body begins\n%.200s", code, len(body), len(summary), body)
		}
		for _, text := range []string{body, summary} {
			_, quoted, _ := strings.Cut(text, "\n\n")
			for line := range strings.Lines(quoted) {
				if !regexp.MustCompile(`^    [ -~]*\n?$`).MatchString(line) {
					t.Fatalf("%d: %q is outside the code block", code, line)
				}
			}
		}
		warnings := []string{}
		if code != 0 {
			warnings = []string{"::warning::" + map[int]string{1: "The current definitions of the servers have findings. Some servers were not listed and keep their entries.", 3: "Some servers were not listed and keep their entries."}[code] + " See the log above"}
		}
		if got := r.commands(); !slices.Equal(got, warnings) {
			t.Errorf("%d: the runner executes the commands %q", code, got)
		}
	}
}

// TestRefreshRefuses checks that the output of the first job is treated as data,
// and that inputs that would write to other locations are refused.
func TestRefreshRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(r *refresh, handed string)
		want   string
	}{
		{"nothing was handed on", func(r *refresh, handed string) { os.Remove(handed) }, "did not pass on mcpscan.lock"},
		{"no exit code", func(r *refresh, handed string) {
			r.write(filepath.Dir(handed), map[string]string{"exit-code": "0; true\n"})
		}, "did not pass on an exit code"},
		{"no log", func(r *refresh, handed string) { os.Remove(filepath.Join(filepath.Dir(handed), "lock.log")) }, "did not pass on lock.log"},
		{"a link", func(r *refresh, handed string) { os.Remove(handed); os.Symlink("/etc/hostname", handed) }, "did not pass on mcpscan.lock"},
		{"the branch itself", func(r *refresh, _ string) { r.inputs["branch"] = "main" }, "is the target branch of the pull request"},
		{"no branch", func(r *refresh, _ string) { r.inputs["branch"] = "--mirror" }, "is not a valid branch name"},
		{"a tag", func(r *refresh, _ string) { r.github["ref_type"] = "tag" }, "runs on a tag"},
		{"out of the repository", func(r *refresh, _ string) { r.inputs["working-directory"] = ".." }, "is outside the repository"},
		{"a lockfile that is a link", func(r *refresh, _ string) {
			os.Symlink(".mcp.json", filepath.Join(r.workspace, "link.lock"))
			r.inputs["lockfile"] = "link.lock"
		}, "is a symbolic link"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRefresh(t, writesLock)
			r.job("lock")
			tt.change(r, filepath.Join(r.temp, "refreshed", "mcpscan.lock"))
			r.job("pull-request")
			if r.code != 2 || !strings.Contains(r.log.String(), tt.want) || r.pushed("mcpscan.lock") != "" || r.ghCalls() != "" {
				t.Errorf("exit code %d, want 2 and %q in\n%s", r.code, tt.want, r.log.String())
			}
		})
	}
}

// TestRefreshFails checks that the first job fails if no lockfile was written, and that mcpscan's
// output cannot run workflow commands.
func TestRefreshFails(t *testing.T) {
	t.Parallel()
	r := newRefresh(t, says(3, ""))
	r.inputs["lockfile"] = "no/such.lock"
	if r.job("lock"); r.code != 1 || !slices.Equal(r.commands(), []string{"::warning::Some servers were not listed and keep their entries. See the log above", "::error::no server was listed, and there is no lockfile; see the log above"}) {
		t.Errorf("exit code %d, commands %q", r.code, r.commands())
	}
	r = newRefresh(t, says(2, "::add-mask::x\n##[error]y"))
	r.job("lock")
	if got := r.commands(); r.code != 1 || !slices.Equal(got, []string{"::error::mcpscan lock failed; see the log above"}) {
		t.Errorf("exit code %d, commands %q", r.code, got)
	}
	r = newRefresh(t, writesLock)
	r.workflowSHA = ""
	if r.job("lock"); r.code != 2 || !strings.Contains(r.log.String(), "set the input version") {
		t.Errorf("without a commit: exit code %d\n%s", r.code, r.log.String())
	}
	for version, at := range map[string]string{"latest": "latest", "1.2.3": "v1.2.3"} {
		r := newRefresh(t, writesLock)
		r.inputs["version"] = version
		if r.job("lock"); r.code != 0 || !strings.HasSuffix(readFile(t, r.temp, "go.args"), "@"+at+"\n") {
			t.Errorf("the version %q: exit code %d, go %q", version, r.code, readFile(t, r.temp, "go.args"))
		}
	}
	for _, version := range []string{"v1.2.3", "main", "1.2", "latest@x"} {
		r := newRefresh(t, writesLock)
		r.inputs["version"] = version
		if r.job("lock"); r.code != 2 || !strings.Contains(r.log.String(), "the input version is neither") {
			t.Errorf("the version %q: exit code %d", version, r.code)
		}
	}
}

// TestRefreshJobs checks that the job that starts servers has neither secrets nor write permission,
// and that the job that has them does not start servers.
func TestRefreshJobs(t *testing.T) {
	t.Parallel()
	first, second, ok := strings.Cut(readFile(t, root, ".github", "workflows", "refresh-lockfile.yml"), "\n  pull-request:\n")
	_, first, jobs := strings.Cut(first, "\njobs:\n")
	for _, word := range []string{"secrets.", "github.token", "write\n", ": write"} {
		if strings.Contains(first, word) {
			t.Errorf("the first job has %q", word)
		}
	}
	for _, word := range []string{"bin/mcpscan", "go install", "setup-go", "npm", "npx"} {
		if strings.Contains(second, word) {
			t.Errorf("the second job has %q", word)
		}
	}
	if !ok || !jobs {
		t.Error("refresh-lockfile.yml has not the two jobs")
	}
}

// TestRefreshLimit checks that a refreshed lockfile is accepted up to the size that mcpscan reads.
func TestRefreshLimit(t *testing.T) {
	want := fmt.Sprintf(`[ "$(wc -c <"$new")" -le %d ] || fail "the lockfile is larger than %d MiB"`, lockfile.MaxBytes, lockfile.MaxBytes>>20)
	if !strings.Contains(readFile(t, root, ".github", "workflows", "refresh-lockfile.yml"), want) {
		t.Errorf("the workflow lacks %s", want)
	}
}
