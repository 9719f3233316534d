package action

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// stub is a program that replaces mcpscan, records how it was run, and gives
// prepared answers.
type stub struct {
	*runner
	dir string
}

// newStub returns a runner whose binary-path is a stub without findings.
func newStub(t *testing.T) *stub {
	t.Helper()
	r := newRunner(t)
	s := &stub{r, t.TempDir()}
	s.answer(0)
	r.inputs["binary-path"] = r.tool("mcpscan-stub", strings.ReplaceAll(`
printf '%s\n' "${@//$'\n'/<LF>}" >'STUB/args'
env >'STUB/env'
pwd >'STUB/pwd'
for a in "$@"; do
  case $a in
  --format=*=*) f=${a#--format=}; cp "STUB/${f%%=*}" "${f#*=}" ;;
  --base=*) cp -R "${a#--base=}" 'STUB/base' ;;
  esac
done
cat 'STUB/stdout'
cat 'STUB/stderr' >&2
exit "$(cat 'STUB/exit')"
`, "STUB", s.dir))
	return s
}

// answer sets the stub's exit code and findings.
func (s *stub) answer(code int, findings ...report.Finding) {
	var b bytes.Buffer
	if err := report.Write(&b, "json", &report.Report{Findings: findings}, report.Options{}); err != nil {
		s.t.Fatal(err)
	}
	s.write(s.dir, map[string]string{"exit": fmt.Sprint(code), "json": b.String(), "sarif": "{}", "text": "a report\n", "markdown": "# A report\n",
		"stdout": "::error file=mcpscan.lock,line=1::a finding\n", "stderr": ""})
}

// args returns the arguments that the stub received, without --format flags.
func (s *stub) args() []string {
	s.t.Helper()
	args := strings.Split(strings.TrimSuffix(readFile(s.t, s.dir, "args"), "\n"), "\n")
	return slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "--format=") })
}

func (s *stub) wantArgs(want ...string) {
	s.t.Helper()
	if got := s.args(); !slices.Equal(got, want) {
		s.t.Errorf("mcpscan was run with\n%q\nwant\n%q\n%s", got, want, s.log.String())
	}
}

// was returns a file's base version as the stub received it, or "" if it received none.
func (s *stub) was(name string) string {
	data, _ := os.ReadFile(filepath.Join(s.dir, "base", name))
	return string(data)
}

// wantFail checks that the action failed with exit code 2 and a message, without
// running mcpscan.
func (s *stub) wantFail(message string) {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.dir, "args")); err == nil {
		s.t.Error("mcpscan was run")
	}
	if s.code != 2 || !strings.Contains(s.log.String(), message) {
		s.t.Errorf("exit code %d, want 2 and %q in\n%s", s.code, message, s.log.String())
	}
	for _, c := range s.commands() {
		if !strings.HasPrefix(c, "::error title=mcpscan::") {
			s.t.Errorf("the runner executes the command %q", c)
		}
	}
}

// git runs git in a directory and returns its output.
func (r *runner) git(dir string, args ...string) string {
	r.t.Helper()
	return r.gitReading("", dir, args...)
}

func (r *runner) gitReading(input, dir string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TEMPLATE_DIR=", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits files and returns the commit.
func (r *runner) commit(dir string, files map[string]string) string {
	r.t.Helper()
	r.write(dir, files)
	r.git(dir, "add", "-A")
	r.git(dir, "commit", "-q", "--allow-empty", "-m", "a change")
	return r.git(dir, "rev-parse", "HEAD")
}

// history is input for git fast-import, which creates all commits of a repository in
// one process.
type history struct{ strings.Builder }

// commit adds a commit to a branch, by default with the branch's last commit as parent, otherwise
// with those of the given branches. A file with empty content is removed, and the content "-> NAME"
// makes it a symbolic link.
func (h *history) commit(branch string, files map[string]string, parents ...string) {
	fmt.Fprintf(h, "commit refs/heads/%s\ncommitter a <a@example.com> 1767225600 +0000\ndata <<END\na change\nEND\n", branch)
	for i, parent := range parents {
		fmt.Fprintf(h, "%s refs/heads/%s\n", []string{"from", "merge"}[min(i, 1)], parent)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		mode, content := "100644", files[name]
		if target, link := strings.CutPrefix(content, "-> "); link {
			mode, content = "120000", target
		}
		if content == "" {
			fmt.Fprintf(h, "D %q\n", name)
		} else {
			fmt.Fprintf(h, "M %s inline %q\ndata %d\n%s\n", mode, name, len(content), content)
		}
	}
}

// repository creates a repository with a history, without checking it out.
func (r *runner) repository(h *history) string {
	r.t.Helper()
	dir := r.t.TempDir()
	r.git(dir, "init", "-q", "-b", "main")
	r.gitReading(h.String(), dir, "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet")
	return dir
}

// pullRequest creates a repository in which the base branch has advanced since the pull request's
// branch left it, and checks out the merge of both, as actions/checkout does with fetch-depth set
// to depth. It returns the commits of base, head and merge.
func (r *runner) pullRequest(depth int, base, head map[string]string) (before, tip, merge string) {
	r.t.Helper()
	var h history
	h.commit("main", base)
	h.commit("change", head, "main")
	h.commit("main", map[string]string{"other.txt": "of somebody else"})
	h.commit("merged", head, "main", "change")
	origin := r.repository(&h)
	commits := strings.Fields(r.git(origin, "rev-parse", "main~1", "change", "merged"))
	before, tip, merge = commits[0], commits[1], commits[2]
	r.git(".", "clone", "-q", fmt.Sprintf("--depth=%d", depth), "--branch", "merged", "file://"+origin, r.workspace)
	r.github["event_name"], r.github["sha"] = "pull_request", merge
	r.github["event"] = map[string]any{"pull_request": map[string]any{
		"base": map[string]any{"sha": before}, "head": map[string]any{"sha": tip}}}
	return before, tip, merge
}

func finding(rule string, severity scanner.Severity, status string) report.Finding {
	return report.Finding{Rule: rule, Severity: severity, Status: status, Server: "x\n      \"rule\": \"drift-x", Evidence: report.Evidence{Text: "a\n    {"}}
}

// TestActionPullRequest checks that the lockfile is compared with the base's, that no
// other arguments are passed, and that all outputs are set.
func TestActionPullRequest(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.pullRequest(2, map[string]string{".mcp.json": "{}", "mcpscan.lock": "old\n"}, map[string]string{"mcpscan.lock": "new\n"})
	s.answer(1, finding("drift-schema", scanner.Medium, "open"), finding("inj-conceal", scanner.High, "open"),
		finding("drift-text", scanner.Critical, "suppressed"))
	out := s.run()
	was := regexp.MustCompile(`--base=(.*)`).FindString(strings.Join(s.args(), "\n"))
	s.wantArgs("scan", "--no-color", "--now=today", "--no-run", "--lockfile=mcpscan.lock", was, ".")
	if got := s.was("mcpscan.lock"); got != "old\n" {
		t.Errorf("the base lock is %q", got)
	}
	if dir := strings.TrimSpace(readFile(t, s.dir, "pwd")); filepath.Base(dir) != "work space" {
		t.Errorf("mcpscan ran in %s", dir)
	}
	want := map[string]string{"findings": "2", "highest-severity": "high", "drift": "1", "exit-code": "1"}
	for name, value := range want {
		if out[name] != value {
			t.Errorf("the output %s is %q, want %q", name, out[name], value)
		}
	}
	if readFile(t, out["json-file"]) != readFile(t, s.dir, "json") || readFile(t, out["sarif-file"]) != "{}" {
		t.Error("the files of the outputs are not the reports")
	}
	if s.summary.String() != "# A report\n" {
		t.Errorf("the summary is %q", s.summary.String())
	}
	if got := s.commands(); !slices.Equal(got, []string{"::error file=mcpscan.lock,line=1::a finding"}) {
		t.Errorf("the annotations are %q", got)
	}
	if s.code != 1 {
		t.Errorf("the action exits %d", s.code)
	}
}

// TestActionExitCodes checks that the action exits with mcpscan's exit code.
func TestActionExitCodes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{0, 1, 2, 3, 137} {
		s := newStub(t)
		s.answer(code)
		if out := s.run(); s.code != code || out["exit-code"] != fmt.Sprint(code) || out["highest-severity"] != "none" || out["findings"] != "0" {
			t.Errorf("mcpscan exits %d, the action %d, with the outputs %q\n%s", code, s.code, out, s.log.String())
		}
	}
}

// TestActionBase checks which commit the tree is compared with.
func TestActionBase(t *testing.T) {
	t.Parallel()
	base := map[string]string{".mcp.json": "{}", "mcpscan.lock": "old\n"}
	head := map[string]string{"mcpscan.lock": "new\n"}
	event := func(name string, members map[string]any) func(s *stub) {
		return func(s *stub) { s.github["event_name"], s.github["event"] = name, members }
	}
	first := func(s *stub) string { return s.git(s.workspace, "rev-list", "--max-parents=0", "HEAD") }
	none := strings.Repeat("0", 40)
	for _, tt := range []struct {
		name   string
		depth  int
		change func(s *stub)
		want   string // lockfile of the base, or ! and the message of a failure
	}{
		{"a schedule has no base", 1, event("schedule", nil), ""},
		{"a pull request on a clone of one commit", 1, func(*stub) {}, `!"fetch-depth: 2"`},
		{"a push", 9, func(s *stub) { event("push", map[string]any{"before": first(s)})(s) }, "old\n"},
		{"a push of a new branch", 1, event("push", map[string]any{"before": none}), ""},
		{"a push whose commit before is not there", 2, event("push", map[string]any{"before": strings.Repeat("a", 40)}), `!"fetch-depth: 0"`},
		{"a merge queue", 9, func(s *stub) {
			event("merge_group", map[string]any{"merge_group": map[string]any{"base_sha": first(s)}})(s)
		}, "old\n"},
		{"no base is wanted", 1, func(s *stub) { s.inputs["base-ref"] = "" }, ""},
		{"a base is named", 9, func(s *stub) { s.inputs["base-ref"] = "HEAD~1" }, "old\n"},
		{"a base that looks like a flag", 9, func(s *stub) { s.inputs["base-ref"] = "--help" }, `!the base "--help" is not in this clone`},
		{"a base that looks like a command", 9, func(s *stub) { s.inputs["base-ref"] = "$(touch x)`touch x`\n::error::x" }, `!the base "$(touch x)`},
		{"no repository, as where checkout finds no git", 9, func(s *stub) { os.RemoveAll(filepath.Join(s.workspace, ".git")) }, "!is not in a git repository"},
		{"no repository, and no base is wanted", 9, func(s *stub) {
			os.RemoveAll(filepath.Join(s.workspace, ".git"))
			s.inputs["base-ref"] = ""
		}, ""},
		{"no repository, and the event has no base", 9, func(s *stub) {
			os.RemoveAll(filepath.Join(s.workspace, ".git"))
			event("schedule", nil)(s)
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStub(t)
			s.pullRequest(tt.depth, base, head)
			tt.change(s)
			s.run()
			if message, fails := strings.CutPrefix(tt.want, "!"); fails {
				s.wantFail(message)
				return
			}
			if got := s.was("mcpscan.lock"); got != tt.want || s.code != 0 {
				t.Errorf("the base lock is %q, want %q; exit code %d\n%s", got, tt.want, s.code, s.log.String())
			}
		})
	}
}

// TestActionForgedMerge checks that the author of a pull request cannot choose the
// base with a commit that looks like GitHub's test merge.
func TestActionForgedMerge(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	_, tip, _ := s.pullRequest(9, map[string]string{"mcpscan.lock": "old\n"}, map[string]string{"mcpscan.lock": "new\n"})
	s.git(s.workspace, "checkout", "-q", "--orphan", "forged")
	forged := s.commit(s.workspace, map[string]string{"mcpscan.lock": "poisoned\n"})
	s.git(s.workspace, "merge", "-q", "--allow-unrelated-histories", "-X", "ours", "-m", "merge", tip)
	s.run()
	if got := s.was("mcpscan.lock"); got != "old\n" {
		t.Errorf("with a forged merge of %s the base lock is %q", forged, got)
	}
}

// TestActionBaseFiles checks that mcpscan receives the base versions of all files
// that affect findings, at the same paths as in the tree.
func TestActionBaseFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		base, head map[string]string
		inputs     map[string]string
		args       []string // arguments after --base
		want       map[string]string
		notice     bool
	}{
		{"all of them are changed", map[string]string{"mcpscan.lock": "l1", "mcpscan.yaml": "c1", "known.json": "k1"},
			map[string]string{"mcpscan.lock": "l2", "mcpscan.yaml": "c2", "known.json": "k2"}, map[string]string{"baseline": "known.json"},
			[]string{"--config=mcpscan.yaml", "--baseline=known.json", "."}, map[string]string{"mcpscan.lock": "l1", "mcpscan.yaml": "c1", "known.json": "k1"}, false},
		{"all of them are new", map[string]string{".mcp.json": "{}"},
			map[string]string{"mcpscan.lock": "l2", "mcpscan.yaml": "c2", "known.json": "k2"}, map[string]string{"baseline": "known.json"},
			[]string{"--config=mcpscan.yaml", "--baseline=known.json", "."}, map[string]string{}, true},
		{"all of them are deleted", map[string]string{"mcpscan.lock": "l1", "mcpscan.yaml": "c1"}, map[string]string{"mcpscan.lock": "", "mcpscan.yaml": ""}, nil,
			[]string{"."}, map[string]string{"mcpscan.lock": "l1", "mcpscan.yaml": "c1"}, false},
		{"they have other names", map[string]string{"ci/my.lock": "l1", "ci/c.yaml": "c1", "mcpscan.yaml": "x"}, map[string]string{"ci/my.lock": "l2", "ci/c.yaml": "c2"},
			map[string]string{"lockfile": "ci/my.lock", "config": "ci/c.yaml"}, []string{"--config=ci/c.yaml", "."}, map[string]string{"ci/my.lock": "l1", "ci/c.yaml": "c1"}, false},
		{"a project in a directory", map[string]string{"a/mcpscan.lock": "l1", "a/mcpscan.yaml": "c1", "mcpscan.yaml": "x"}, map[string]string{"a/mcpscan.yaml": "c2"},
			map[string]string{"working-directory": "a"}, []string{"--config=a/mcpscan.yaml", "a/."}, map[string]string{"a/mcpscan.lock": "l1", "a/mcpscan.yaml": "c1"}, false},
		{"a project gets a configuration of its own in place of that of the repository", map[string]string{"a/mcpscan.lock": "l1", "mcpscan.yaml": "c1"}, map[string]string{"a/mcpscan.yaml": "c2"},
			map[string]string{"working-directory": "a"}, []string{"--config=a/mcpscan.yaml", "a/."}, map[string]string{"a/mcpscan.lock": "l1", "a/mcpscan.yaml": "c1"}, false},
		{"a project loses its configuration to that of the repository", map[string]string{"a/mcpscan.lock": "l1", "a/mcpscan.yaml": "c1", "mcpscan.yaml": "x"}, map[string]string{"a/mcpscan.yaml": ""},
			map[string]string{"working-directory": "a"}, []string{"--config=mcpscan.yaml", "a/."}, map[string]string{"a/mcpscan.lock": "l1", "mcpscan.yaml": "c1"}, false},
		{"the lockfile is a link", map[string]string{"mcpscan.lock": "-> ci/pins", "ci/pins": "l1"}, map[string]string{"ci/pins": "l2"}, nil,
			[]string{"."}, map[string]string{"mcpscan.lock": "l1"}, false},
		{"the lockfile is a link to nothing", map[string]string{"mcpscan.lock": "-> ci/pins"}, map[string]string{"ci/pins": "l2"}, nil,
			[]string{"."}, map[string]string{}, true},
		{"a checkout with other line ends", map[string]string{"mcpscan.lock": "l1\n", "mcpscan.yaml": "a: 1\nb: 2\n"}, map[string]string{"mcpscan.lock": "l1\r\n", "mcpscan.yaml": "a: 1\nb: 2 \r\n"}, nil,
			[]string{"--config=mcpscan.yaml", "."}, map[string]string{"mcpscan.lock": "l1\r\n", "mcpscan.yaml": "a: 1\nb: 2\n"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStub(t)
			s.pullRequest(2, tt.base, tt.head)
			maps.Copy(s.inputs, tt.inputs)
			s.run()
			args := s.args()
			at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "--base=") })
			if at < 0 || !slices.Equal(args[at+1:], tt.args) {
				t.Fatalf("mcpscan was run with %q, want %q after --base\n%s", args, tt.args, s.log.String())
			}
			got := map[string]string{}
			for _, name := range []string{"mcpscan.lock", "mcpscan.yaml", "known.json", "ci/my.lock", "ci/c.yaml", "a/mcpscan.lock", "a/mcpscan.yaml"} {
				if was := s.was(name); was != "" {
					got[name] = was
				}
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("the files of the base are %q, want %q", got, tt.want)
			}
			if told := strings.Contains(s.log.String(), "::notice title=mcpscan::the base has no mcpscan.lock"); told != tt.notice {
				t.Errorf("the notice that nothing is pinned: %v\n%s", told, s.log.String())
			}
		})
	}
}

// TestActionApprovals checks that approvals in the change count, unless a second person
// must approve.
func TestActionApprovals(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		"accept": {"scan", "--no-color", "--now=today", "--no-run", "--lockfile=mcpscan.lock", "."},
		"ignore": {"scan", "--no-color", "--now=today", "--no-run", "--lockfile=mcpscan.lock", "--approvals=ignore", "."},
	} {
		s := newStub(t)
		s.inputs["approvals"] = value
		s.run()
		s.wantArgs(want...)
	}
	for _, value := range []string{"", "Ignore", "true", "ignore\naccept"} {
		s := newStub(t)
		s.inputs["approvals"] = value
		s.run()
		s.wantFail("the input approvals is ")
	}
}
