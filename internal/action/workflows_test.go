package action

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rhysd/actionlint"
)

// workflow contains the parts of a workflow that these tests check in addition to actionlint.
type workflow struct {
	On          any
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Uses        string
		Secrets     any
		Steps       []step
	}
}

// document is a workflow in this repository, or an example in docs/action.md.
type document struct{ name, text string }

// workflows returns the workflows, and the examples of workflows in docs/action.md.
func workflows(t *testing.T) []document {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(files) < 3 {
		t.Fatal("no workflows", err)
	}
	var out []document
	for _, f := range files {
		out = append(out, document{f, readFile(t, f)})
	}
	examples := 0
	for i, block := range examplesOf(t) {
		if strings.HasPrefix(block, "# .github/workflows/") {
			out, examples = append(out, document{fmt.Sprintf("example %d of docs/action.md", i+1), block}), examples+1
		}
	}
	if examples < 4 {
		t.Fatalf("docs/action.md has %d examples of workflows", examples)
	}
	return out
}

// examplesOf returns the YAML examples in docs/action.md. Each begins with the name
// of its file.
func examplesOf(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readFile(t, root, "docs", "action.md"), -1) {
		if !regexp.MustCompile(`^# \.[\w./-]+\.ya?ml\n`).MatchString(m[1]) {
			t.Errorf("an example of docs/action.md does not begin with the name of its file:\n%s", m[1])
		}
		var parsed map[string]any
		if err := yaml.Unmarshal([]byte(m[1]), &parsed); err != nil {
			t.Errorf("an example of docs/action.md: %v", err)
		}
		out = append(out, m[1])
	}
	return out
}

// pinned matches an action pinned by commit and followed by its version in a comment. Our own
// action may be pinned by a commit chosen by the reader, or by an immutable tag.
var pinned = regexp.MustCompile(`^([\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+){2}|mcpscan/mcpscan(/\.github/workflows/refresh-lockfile\.yml)?@(COMMIT|v\d+\.\d+\.\d+))$`)

// TestWorkflows checks that the workflows and examples meet actionlint's requirements,
// and zizmor's for pins, permissions, credentials, secrets, caches and expressions.
func TestWorkflows(t *testing.T) {
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Log("shellcheck is not on this machine: the scripts in workflows are not checked by it")
	}
	// This version of actionlint does not know workflow_sha in the job context.
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{Shellcheck: shellcheck, IgnorePatterns: []string{`^property "workflow_sha" is not defined`}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range workflows(t) {
		problems, err := linter.Lint(d.name, []byte(d.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Error(p)
		}
		var w workflow
		if err := yaml.Unmarshal([]byte(d.text), &w); err != nil {
			t.Errorf("%s: %v", d.name, err)
		}
		checkText(t, d)
		checkRights(t, d.name, &w)
		for job, j := range w.Jobs {
			for _, s := range j.Steps {
				checkStep(t, d.name+", job "+job, s)
			}
		}
	}
}

// checkText checks in the unparsed text that actions are pinned and dangerous keywords are absent.
func checkText(t *testing.T, d document) {
	for _, m := range regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(.*)$`).FindAllStringSubmatch(d.text, -1) {
		if !pinned.MatchString(m[1]) {
			t.Errorf("%s: %q is not pinned by a commit, with its version after it", d.name, m[1])
		}
	}
	for _, word := range []string{"pull_request_target", "workflow_run", "secrets: inherit", "ACTIONS_ALLOW_UNSECURE"} {
		if strings.Contains(d.text, word) {
			t.Errorf("%s has %q", d.name, word)
		}
	}
}

// ours detects an example's references to mcpscan itself, by COMMIT or by a release tag.
var ours = regexp.MustCompile(`((?:mcpscan|refresh-lockfile\.yml)@|rev: )(COMMIT|latest|v[\d.]+)`)

// TestVersionInDocuments checks that the examples name the release in .github/action/VERSION, or
// COMMIT if that file is empty. go test ./internal/action -run VersionInDocuments -update rewrites
// the examples.
func TestVersionInDocuments(t *testing.T) {
	want, named := "COMMIT", 0
	if version := released(t); version != "" {
		want = "v" + version
	}
	for _, name := range []string{"README.md", filepath.Join("docs", "action.md")} {
		text := readFile(t, root, name)
		for _, m := range ours.FindAllStringSubmatch(text, -1) {
			if named++; m[2] != want && !*update {
				t.Errorf("%s has %q, and .github/action/VERSION asks for %s", name, m[0], want)
			}
		}
		if *update {
			if err := os.WriteFile(filepath.Join(root, name), []byte(ours.ReplaceAllString(text, "${1}"+want)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if named < 8 {
		t.Errorf("the documents name mcpscan %d times", named)
	}
}

// checkRights checks that a workflow has only read permissions, and that each job
// declares its permissions.
func checkRights(t *testing.T, name string, w *workflow) {
	for right, level := range w.Permissions {
		if level != "read" {
			t.Errorf("%s: all jobs may %s %s", name, level, right)
		}
	}
	if w.Permissions == nil {
		t.Errorf("%s does not say what its jobs may do", name)
	}
	for job, j := range w.Jobs {
		if j.Permissions == nil && len(w.Permissions) == 0 {
			t.Errorf("%s: the job %s does not say what it may do", name, job)
		}
		if j.Permissions == nil && !strings.HasPrefix(name, "example") {
			t.Errorf("%s: the job %s does not say itself what it may do", name, job)
		}
	}
}

// checkStep checks one step of a job or an action.
func checkStep(t *testing.T, where string, s step) {
	if m := regexp.MustCompile(`\$\{\{.*`).FindString(s.Run); m != "" {
		t.Errorf("%s: a script has the expression %q; give it a variable", where, m)
	}
	if s.Run != "" && !strings.HasPrefix(s.Run, "set -euo pipefail\n") && s.Run != "bash .ci/run" {
		t.Errorf("%s: the script %q does not begin with set -euo pipefail", where, s.Name)
	}
	action, _, _ := strings.Cut(s.Uses, "@")
	switch {
	case action == "actions/checkout" && s.With["persist-credentials"] != false:
		t.Errorf("%s: the checkout keeps its credentials in the work tree", where)
	case action == "actions/cache":
		t.Errorf("%s: a cache can be poisoned", where)
	case action == "actions/setup-go" && !strings.Contains(where, "ci.yml") && s.With["cache"] != false && s.With["cache"] != "${{ inputs.run-servers == 'false' }}":
		t.Errorf("%s: setup-go takes a cache, which can be poisoned", where)
	}
}

// TestActionFile checks that action.yml has the required metadata, passes its
// inputs to scripts only as variables, and uses all of them.
func TestActionFile(t *testing.T) {
	a, text := readAction(t, root), readFile(t, root, "action.yml")
	if a.Name == "" || a.Description == "" || a.Branding.Icon == "" || a.Branding.Color == "" || a.Runs.Using != "composite" || len(a.Description) > 125 {
		t.Errorf("action.yml is not what the marketplace accepts: %+v", a)
	}
	checkText(t, document{"action.yml", text})
	documented := readFile(t, root, "docs", "action.md")
	for name, in := range a.Inputs {
		if in.Description == "" || !strings.Contains(text, "inputs."+name) || !strings.Contains(documented, "| `"+name+"` |") {
			t.Errorf("the input %s is not described, not used or not in docs/action.md", name)
		}
	}
	for name, o := range a.Outputs {
		if o.Description == "" || !strings.Contains(documented, "`"+name+"`") || !strings.Contains(o.Value, "steps.scan.outputs."+name) {
			t.Errorf("the output %s is not described, not in docs/action.md or of another name", name)
		}
	}
	for _, s := range a.Runs.Steps {
		checkStep(t, "action.yml", s)
		if s.Run != "" {
			checkActionStep(t, a, s)
		}
	}
}

var callsScript = regexp.MustCompile(`^set -euo pipefail\nbash "\$GITHUB_ACTION_PATH/(\.github/action/\w+\.sh)"\n$`)

// checkActionStep checks that a step calls one script, and passes the variables that
// the script reads.
func checkActionStep(t *testing.T, a *actionFile, s step) {
	m := callsScript.FindStringSubmatch(s.Run)
	if m == nil || s.Shell != "bash" {
		t.Errorf("the step %q of action.yml calls no script of .github/action with bash: %q", s.Name, s.Run)
		return
	}
	script := readFile(t, root, m[1])
	for name, value := range s.Env {
		if !strings.Contains(script, "$"+name) && !strings.Contains(script, "${"+name) {
			t.Errorf("%s does not read %s", m[1], name)
		}
		input := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "INPUT_")), "_", "-")
		if strings.HasPrefix(name, "INPUT_") && value != "${{ inputs."+input+" }}" {
			t.Errorf("%s is %s", name, value)
		}
	}
	for _, v := range regexp.MustCompile(`\$\{?(INPUT_\w+)`).FindAllStringSubmatch(script, -1) {
		if s.Env[v[1]] == "" {
			t.Errorf("%s reads %s, which its step does not set", m[1], v[1])
		}
	}
}

// TestActionScripts checks that bash can parse the scripts, and that shellcheck
// reports nothing.
func TestActionScripts(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join(root, ".github", "action", "*.sh"))
	if err != nil || len(scripts) < 4 {
		t.Fatal("no scripts", err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("the action needs bash, which this machine lacks: ", err)
	}
	for _, s := range scripts {
		if out, err := exec.Command(bash, "-n", s).CombinedOutput(); err != nil {
			t.Errorf("bash -n %s: %v\n%s", s, err, out)
		}
		if text := readFile(t, s); !strings.Contains(text, "\nset -euo pipefail\n") && !strings.HasSuffix(s, "workflow_commands.sh") {
			t.Errorf("%s does not set -euo pipefail", s)
		}
	}
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Log("shellcheck is not on this machine: the scripts are not checked by it")
		return
	}
	if out, err := exec.Command("shellcheck", append([]string{"-x"}, scripts...)...).CombinedOutput(); err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
}
