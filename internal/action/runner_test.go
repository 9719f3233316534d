package action

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rhysd/actionlint"
)

// actionFile is the content of action.yml.
type actionFile struct {
	Name        string
	Description string
	Author      string
	Branding    struct{ Icon, Color string }
	Inputs      map[string]struct {
		Description string
		Required    bool
		Default     string
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

// step is a step of an action or of a job.
type step struct {
	Name, ID, If, Uses, Shell, Run string
	Env                            map[string]string
	With                           map[string]any
	ContinueOnError                bool `yaml:"continue-on-error"`
}

func readAction(t *testing.T, dir string) *actionFile {
	t.Helper()
	var a actionFile
	if err := yaml.UnmarshalWithOptions([]byte(readFile(t, dir, "action.yml")), &a, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return &a
}

// runner emulates GitHub's runner for the steps of a composite action: expressions, environment,
// outputs, conditions and outcomes. Steps that use another action are only recorded; the field
// upload is their outcome.
type runner struct {
	t         *testing.T
	action    string // directory of action.yml
	workspace string
	temp      string
	tools     string // the only directory in PATH
	inputs    map[string]string
	github    map[string]any
	upload    string
	extra     []string // additional environment variables

	workflowSHA string // commit of a called workflow

	steps   map[string]any
	log     bytes.Buffer
	summary bytes.Buffer
	used    []map[string]string
	failed  bool
	code    int
}

// newRunner creates a job's environment. Its directory names contain characters that scripts must
// quote.
func newRunner(t *testing.T) *runner {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stub of a runner links tools into one directory, as Windows cannot")
	}
	action, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, action: action, upload: "success", inputs: map[string]string{}, steps: map[string]any{},
		github: map[string]any{"token": "t0ken", "event": map[string]any{}, "event_name": "workflow_dispatch", "sha": ""}}
	dir := t.TempDir()
	r.workspace, r.temp, r.tools = filepath.Join(dir, "work space"), filepath.Join(dir, "runner's temp"), filepath.Join(dir, "tools")
	for _, d := range []string{r.workspace, r.temp, r.tools} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, need := range strings.Fields("bash git env cat cp head tail tr od grep awk sed mktemp mkdir rm chmod wc cut tar gzip dirname basename uname pwd") {
		r.link(need, true)
	}
	r.link("sha256sum", false)
	r.link("shasum", false)
	r.link("perl", false)
	return r
}

// link makes a program on this machine available to the runner.
func (r *runner) link(name string, needed bool) {
	path, err := exec.LookPath(name)
	if err != nil && needed {
		r.t.Fatalf("the action needs %s, which this machine lacks: %v", name, err)
	}
	if err == nil {
		if err := os.Symlink(path, filepath.Join(r.tools, name)); err != nil {
			r.t.Fatal(err)
		}
	}
}

// tool adds a script to the runner's tools.
func (r *runner) tool(name, script string) string {
	path := filepath.Join(r.tools, name)
	if err := os.WriteFile(path, []byte("#!/usr/bin/env bash\nset -euo pipefail\n"+script), 0o755); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// run runs the action and returns its outputs.
func (r *runner) run() map[string]string {
	r.t.Helper()
	a := readAction(r.t, r.action)
	inputs := map[string]any{}
	for name, in := range a.Inputs {
		inputs[name] = r.expand(in.Default)
	}
	for name, value := range r.inputs {
		if _, known := a.Inputs[name]; !known {
			r.t.Fatalf("action.yml has no input %s", name)
		}
		inputs[name] = value
	}
	r.steps["inputs"] = inputs
	for _, s := range a.Runs.Steps {
		r.step(s)
	}
	out := map[string]string{}
	for name, o := range a.Outputs {
		out[name] = r.expand(o.Value)
	}
	return out
}

// step runs one step, or skips it.
func (r *runner) step(s step) {
	wanted := !r.failed
	if s.If != "" {
		wanted = truthy(r.eval(s.If)) && (!r.failed || strings.Contains(s.If, "always()"))
	}
	outcome, outputs := "skipped", map[string]any{}
	if wanted {
		var code int
		if s.Uses != "" {
			outcome = r.use(s)
		} else if outputs, code = r.script(s); code == 0 {
			outcome = "success"
		} else {
			outcome = "failure"
		}
		if outcome == "failure" && !s.ContinueOnError {
			r.failed, r.code = true, max(code, 1)
		}
	}
	if s.ID != "" {
		r.steps[s.ID] = map[string]any{"outputs": outputs, "outcome": outcome}
	}
}

func (r *runner) use(s step) string {
	with := map[string]string{"uses": s.Uses}
	for k, v := range s.With {
		with[k] = r.expand(fmt.Sprint(v))
	}
	r.used = append(r.used, with)
	return r.upload
}

// script runs the script of a step in its environment.
func (r *runner) script(s step) (outputs map[string]any, code int) {
	files := r.t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(files, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			r.t.Fatal(err)
		}
		return path
	}
	cmd := exec.Command(filepath.Join(r.tools, "bash"), "--noprofile", "--norc", "-eo", "pipefail", file("script.sh", s.Run))
	cmd.Dir = r.workspace
	cmd.Env = append([]string{"PATH=" + r.tools, "HOME=" + files, "CI=true", "LANG=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GITHUB_ACTIONS=true", "GITHUB_ACTION_PATH=" + r.action, "GITHUB_WORKSPACE=" + r.workspace, "GITHUB_REPOSITORY=example/project",
		"GITHUB_EVENT_NAME=" + fmt.Sprint(r.github["event_name"]), "GITHUB_SHA=" + fmt.Sprint(r.github["sha"]),
		"GITHUB_OUTPUT=" + file("output", ""), "GITHUB_ENV=" + file("env", ""), "GITHUB_PATH=" + file("path", ""), "GITHUB_STATE=" + file("state", ""),
		"GITHUB_STEP_SUMMARY=" + file("summary", ""), "RUNNER_TEMP=" + r.temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64",
		"ACTIONS_ID_TOKEN_REQUEST_TOKEN=id-t0ken"}, r.extra...)
	for k, v := range s.Env {
		cmd.Env = append(cmd.Env, k+"="+r.expand(v))
	}
	cmd.Stdout, cmd.Stderr = &r.log, &r.log
	if err := cmd.Run(); err != nil {
		code = cmd.ProcessState.ExitCode()
	}
	r.summary.WriteString(readFile(r.t, files, "summary"))
	for _, name := range []string{"env", "path", "state"} {
		if got := readFile(r.t, files, name); got != "" {
			r.t.Errorf("the step %q wrote to the runner's file %s: %q", s.Name, name, got)
		}
	}
	return parseOutputs(r.t, readFile(r.t, files, "output")), code
}

// parseOutputs reads GITHUB_OUTPUT. It supports only the multi-line form with a delimiter.
func parseOutputs(t *testing.T, text string) map[string]any {
	out := map[string]any{}
	for text != "" {
		head, rest, _ := strings.Cut(text, "\n")
		name, delimiter, ok := strings.Cut(head, "<<")
		value, after, closed := strings.Cut(rest, "\n"+delimiter+"\n")
		if !ok || !closed || len(delimiter) < 32 {
			t.Fatalf("an output is not written with a random delimiter: %q", head)
		}
		out[name], text = value, after
	}
	return out
}

var expression = regexp.MustCompile(`\$\{\{(.*?)\}\}`)

// expand evaluates the expressions in a text.
func (r *runner) expand(s string) string {
	return expression.ReplaceAllStringFunc(s, func(m string) string { return str(r.eval(m[3 : len(m)-2])) })
}

// eval evaluates an expression, as far as action.yml requires.
func (r *runner) eval(s string) any {
	node, err := actionlint.NewExprParser().Parse(actionlint.NewExprLexer(s + "}}"))
	if err != nil {
		r.t.Fatalf("the expression %q: %v", s, err)
	}
	return r.value(node)
}

func (r *runner) value(node actionlint.ExprNode) any {
	switch n := node.(type) {
	case *actionlint.StringNode:
		return n.Value
	case *actionlint.BoolNode:
		return n.Value
	case *actionlint.VariableNode:
		return map[string]any{"github": r.github, "steps": r.steps, "inputs": r.steps["inputs"], "secrets": map[string]any{},
			"runner": map[string]any{"temp": r.temp}, "job": map[string]any{"workflow_sha": r.workflowSHA}}[n.Name]
	case *actionlint.ObjectDerefNode:
		object, _ := r.value(n.Receiver).(map[string]any)
		return object[n.Property]
	case *actionlint.FuncCallNode:
		if n.Callee == "always" {
			return true
		}
	case *actionlint.CompareOpNode:
		equal := str(r.value(n.Left)) == str(r.value(n.Right))
		return equal == (n.Kind == actionlint.CompareOpNodeKindEq)
	case *actionlint.LogicalOpNode:
		left := r.value(n.Left)
		if truthy(left) == (n.Kind == actionlint.LogicalOpNodeKindAnd) {
			return r.value(n.Right)
		}
		return left
	}
	r.t.Fatalf("the runner of this test does not know the expression %T", node)
	return nil
}

func truthy(v any) bool { return v != nil && v != false && v != "" }

func str(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// commands returns the workflow commands that a runner finds in a log. It accepts any line ending
// and leading white space before ::, and finds the older form ##[…] anywhere in a line.
func (r *runner) commands() []string {
	var out []string
	stopped := ""
	for line := range strings.FieldsFuncSeq(r.log.String(), func(c rune) bool { return c == '\n' || c == '\r' }) {
		line = strings.TrimSpace(line)
		head, message, v2 := strings.Cut(strings.TrimPrefix(line, "::"), "::")
		switch {
		case stopped != "":
			if line == "::"+stopped+"::" {
				stopped = ""
			}
		case strings.HasPrefix(line, "::") && v2 && head == "stop-commands":
			stopped = message
		case strings.HasPrefix(line, "::") && v2 && (head == "group" || head == "endgroup"):
		case strings.HasPrefix(line, "::") && v2, strings.Contains(line, "##["):
			out = append(out, line)
		}
	}
	if stopped != "" {
		r.t.Error("the log ends while commands are stopped")
	}
	return out
}

// write creates files in a directory.
func (r *runner) write(dir string, files map[string]string) {
	r.t.Helper()
	for name := range maps.Keys(files) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
}
