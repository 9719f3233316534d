package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/report"
)

// shared is a directory of data that is not in the repository: definitions of
// published servers, and sessions with them.
const shared = "../../../shared/realservers"

// jsonReport runs scan or replay and reads its JSON report. Flags must precede the
// targets, because everything after -- is a server's command.
func jsonReport(t *testing.T, command string, targets ...string) *report.Report {
	t.Helper()
	var out, errs bytes.Buffer
	args := append([]string{command, "--format", "json", "--fail-on", "never", "--min-severity", "note"}, targets...)
	if code := run(args, streams{strings.NewReader(""), &out, &errs}); code != exitClean {
		t.Errorf("mcpscan %s exits %d: %s", strings.Join(args, " "), code, errs.String())
	}
	r, err := report.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRealDefinitionsAndRecordings checks that definitions of published servers and
// sessions with them are read completely.
func TestRealDefinitionsAndRecordings(t *testing.T) {
	for _, kind := range []struct {
		command, pattern string
		least            int
	}{{"scan", "dumps/*.json", 300}, {"replay", "recordings/*", 20}} {
		t.Run(kind.command, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(shared, kind.pattern))
			if err != nil {
				t.Fatal(err)
			}
			if len(files) == 0 {
				t.Skipf("%s is not on this machine", shared)
			}
			if len(files) < kind.least {
				t.Errorf("only %d files", len(files))
			}
			runs := [][]string{files} // each dump is one event, so a single run shows whether one is missing
			if kind.command == "replay" {
				runs = slices.Collect(slices.Chunk(files, 1))
			}
			for _, run := range runs {
				r := jsonReport(t, kind.command, run...)
				if r.Coverage.Events < len(run) || r.Coverage.Inspected != r.Coverage.Events || len(r.Coverage.Skipped) > 0 || len(r.Coverage.Ignored) > 0 {
					t.Errorf("%d files, the first %s: %+v", len(run), run[0], r.Coverage)
				}
			}
		})
	}
}

// everything returns the entry point of @modelcontextprotocol/server-everything, or
// skips the test.
func everything(t *testing.T) string {
	path := os.Getenv("MCPSCAN_SERVER_EVERYTHING")
	if path == "" {
		t.Skip("MCPSCAN_SERVER_EVERYTHING does not name the index.js of @modelcontextprotocol/server-everything")
	}
	return path
}

// TestServerEverything lists the reference server over all three transports,
// records it, and replays the recording.
func TestServerEverything(t *testing.T) {
	path := everything(t)
	t.Run("stdio", func(t *testing.T) { listAndReplay(t, "--", "node", path, "stdio") })
	for mode, endpoint := range map[string]string{"streamableHttp": "/mcp", "sse": "/sse"} {
		t.Run(mode, func(t *testing.T) {
			address := freeAddress(t)
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cmd := exec.CommandContext(ctx, "node", path, mode)
			cmd.Env = append(os.Environ(), "PORT="+port)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cancel(); _ = cmd.Wait() })
			waitFor(t, address)
			listAndReplay(t, "http://"+address+endpoint)
		})
	}
}

func listAndReplay(t *testing.T, target ...string) {
	t.Helper()
	recording := filepath.Join(t.TempDir(), "events.jsonl")
	seen := jsonReport(t, "scan", append([]string{"--record", recording}, target...)...)
	if seen.Summary.Tools != 16 || len(seen.Coverage.Skipped) > 0 {
		t.Errorf("summary %+v, coverage %+v: want 16 tools and nothing skipped", seen.Summary, seen.Coverage)
	}
	replayed := jsonReport(t, "replay", recording)
	if !reflect.DeepEqual(seen.Findings, replayed.Findings) || !reflect.DeepEqual(seen.Summary, replayed.Summary) {
		t.Errorf("scan found\n%+v\nreplay found\n%+v", seen.Findings, replayed.Findings)
	}
	for _, kind := range []string{`"tools":[{`, `"prompts":[{`, `"resources":[{`, `"resourceTemplates":[{`} {
		if !strings.Contains(readFile(t, recording), kind) {
			t.Errorf("the recording has no %s", kind)
		}
	}
}

// freeAddress returns an address for a server that cannot choose a free port itself. Systems do not give
// such a port to programs that ask for any, so no other test gets it before the server does.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000))
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

func waitFor(t *testing.T, address string) {
	t.Helper()
	for range 6000 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the server does not listen on ", address)
}
