package shapes

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var times = flag.Int("times", 1, "multiply the sizes at which work is counted")
var full = flag.Bool("full", false, "give the shapes 64 MB as well, and measure memory and reports: go test ./internal/shapes -run Memory -full -all -timeout 0")
var all = flag.Bool("all", false, "take all shapes, not only those that stand for the others")

// libraries are packages outside this module whose work is counted, because they may
// loop over the input.
var libraries = []string{"regexp", "regexp/syntax", "strings", "bytes", "slices", "sort", "unicode/utf8", "html", "net/url", "bufio",
	"encoding/base64", "encoding/hex", "encoding/json", "golang.org/x/text/unicode/norm", "github.com/tailscale/hujson",
	"github.com/pelletier/go-toml/v2/...", "github.com/goccy/go-yaml/...", "github.com/aymanbagabas/go-udiff/...",
	"github.com/go-json-experiment/json/...", "github.com/agnivade/levenshtein", "github.com/owenrumney/go-sarif/v2/..."}

const module = "github.com/mcpscan/mcpscan"

// counting builds the program once, with counters.
var counting = sync.OnceValues(func() (string, error) { return build("-cover", "-covermode=count", "-coverpkg="+covered()) })

var built string // directory of the built programs

func TestMain(m *testing.M) {
	if file := os.Getenv(usageFile); file != "" {
		os.Exit(measure(file))
	}
	flag.Parse()
	var err error
	if built, err = os.MkdirTemp("", "shapes"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

func covered() string {
	packages := []string{module + "/cmd/mcpscan", module + "/scanner", module + "/rules", module + "/replay", module + "/report", module + "/internal/..."}
	return strings.Join(append(packages, libraries...), ",")
}

// build builds the program. The test cache does not know that the tests depend on its source, but
// records which directories a test reads: walking the module makes go test discard cached results after
// a change in it.
func build(flags ...string) (string, error) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		return "", err
	}
	program := filepath.Join(built, fmt.Sprintf("mcpscan%d", len(flags)))
	args := append(append([]string{"build"}, flags...), "-o", program, module+"/cmd/mcpscan")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("building mcpscan: %w\n%s", err, out)
	}
	return program, nil
}

// TestWorkIsLinear checks that doubling the input increases the work at most 2.2 times. The
// constant work of a run would hide growth, so the test compares the increases from the
// first and the last doubling.
func TestWorkIsLinear(t *testing.T) {
	program, err := counting()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range quick {
		if !slices.ContainsFunc(All(), func(s Shape) bool { return s.Name == name }) {
			t.Errorf("there is no shape %q", quick[i])
		}
	}
	for _, s := range All() {
		at := slices.Index(quick, s.Name)
		if !*all && (at < 0 || testing.Short() && at%10 != 0) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var work [3]float64
			for i := range work {
				work[i] = measured(t, program, s, s.Small**times<<i)
			}
			first, last := work[1]-work[0], work[2]-work[1]
			t.Logf("%s: %.0f, %.0f, %.0f: %.2f times, %.2f times; added %.2f times", s.Name, work[0], work[1], work[2], work[1]/work[0], work[2]/work[1], last/first)
			if work[1] > tooMuch*work[0] || work[2] > tooMuch*work[1] || last > 2*tooMuch*max(first, 0) && last > noise*work[1] {
				t.Errorf("size %d: %.0f steps; twice that: %.0f; four times that: %.0f", s.Small, work[0], work[1], work[2])
			}
		})
	}
}

// sizeOf returns the size at which a shape's files have the given number of bytes before
// compression.
func (s Shape) sizeOf(bytes int) int {
	if s.Most > 0 {
		bytes = min(bytes, s.Most)
	}
	small := 0
	for _, content := range s.Make(s.Small) {
		small += len(content)
	}
	return s.Small * (bytes / max(small, 1))
}

// quick lists the shapes included in every test run. Each detects a different kind of superlinear
// work.
var quick = []string{
	"hostile text", "repeated anchors", "base64 in base64", "hex", "percent encoding", "escapes", "combining marks", "letters set apart", "secrets", "a hostile description",
	"many messages", "many servers with one tool name", "many servers with hostile tools", "many tools", "many sessions", "many open requests", "many calls", "values that flow",
	"a batch", "nested JSON", "a long key", "many keys", "findings of one rule", "findings in one list", "ignores", "HAR", "HTTP text", "an audit log", "zstd of hex", "gzip of messages",
	"a schema of many properties", "configured servers with findings", "configured servers in YAML", "advisories", "calls under a policy", "changed tools", "changed prose about users",
	"markup that is not closed", "a definition with many members", "a schema with many members", "many empty gzip members", "changed prose about values", "a request to a model", "bodies in HAR", "changed parameters", "renamed tools", "a lock of an upgrade",
}

const (
	tooMuch = 2.2
	noise   = 0.1
)

// measured returns the work of all commands of a shape.
func measured(t *testing.T, program string, s Shape, size int) float64 {
	dir := laid(t, s, size)
	var sum uint64
	for _, command := range s.Commands {
		counters := t.TempDir()
		run(t, dir, program, command, "GOCOVERDIR="+counters)
		n, err := Work(counters)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return float64(sum)
}

// laid writes a shape's files into a new directory and returns the directory.
func laid(t *testing.T, s Shape, size int) string {
	dir := t.TempDir()
	for name, content := range s.Make(size) {
		if s.Pack != nil {
			content = s.Pack(content)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs a command. Exit code 2 fails the test, because mcpscan has then read no input whose work
// could be measured.
func run(t *testing.T, dir, program string, args []string, env ...string) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), append(env, "HOME="+dir, "MCPSCAN_USER=me")...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() == 2 || exit.ExitCode() < 0) {
		t.Fatalf("mcpscan %s: %v\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	if err := os.WriteFile(filepath.Join(dir, "report.stdout"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
