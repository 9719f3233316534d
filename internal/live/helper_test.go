package live

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// helperVar makes the test binary a stdio server; its value selects the behaviour.
const helperVar = "MCPSCAN_LIVE_HELPER"

// pidVar names the file to which a server that ignores its input writes its process
// ID.
const pidVar = "MCPSCAN_LIVE_PID"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperVar); mode != "" {
		os.Exit(runHelper(mode))
	}
	signals := make(chan os.Signal, 1) // fuzzing listens for signals with a goroutine that never ends
	signal.Notify(signals, os.Interrupt)
	signal.Stop(signals)
	before := runtime.NumGoroutine()
	if err := flag.Set("test.parallel", "8"); err != nil { // most tests wait for timeouts
		panic(err)
	}
	code := m.Run()
	if left := goroutinesAbove(before); left != "" && code == 0 {
		fmt.Fprintf(os.Stderr, "goroutines that still run after all tests:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// goroutinesAbove waits until there are no more goroutines than before. If that does not happen, it
// returns all stacks.
func goroutinesAbove(before int) string {
	for range 3000 {
		if runtime.NumGoroutine() <= before {
			return ""
		}
		time.Sleep(20 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	return string(buf[:runtime.Stack(buf, true)])
}

// helper returns a Target that runs this binary as a server.
func helper(t *testing.T, mode string) Target {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// By default, the race detector sleeps for a second at exit.
	env := append(os.Environ(), "GORACE=atexit_sleep_ms=0", helperVar+"="+mode)
	return Target{Name: mode, Command: []string{exe}, Env: env}
}

// seen collects the frames from a List call.
type seen struct {
	mu     sync.Mutex
	frames []Frame
	done   bool
	t      *testing.T
}

func (s *seen) add(f Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		s.t.Errorf("a frame after List returned: %q", f.Data)
	}
	s.frames = append(s.frames, f)
}

// count returns the number of frames in a direction that contain a text.
func (s *seen) count(d Direction, text string) int {
	n := 0
	for _, f := range s.frames {
		if f.Direction == d {
			n += strings.Count(string(f.Data), text)
		}
	}
	return n
}

// list calls List with timeouts that are long enough for a busy machine.
func list(t *testing.T, target Target, change ...func(*Options)) (Result, *seen, error) {
	t.Helper()
	s := &seen{t: t}
	o := Options{
		OnFrame: s.add, MaxFrame: 1 << 20,
		StartTimeout: time.Minute, StepTimeout: time.Minute,
	}
	for _, f := range change {
		f(&o)
	}
	res, err := List(t.Context(), target, o)
	s.mu.Lock()
	s.done = true
	s.mu.Unlock()
	t.Logf("%d frames, %+v, %v", len(s.frames), res, err)
	return res, s, err
}

// tries is how often a test lists a server that has only a few seconds to respond, whatever the
// options: a busy machine may not run it in time.
const tries = 5

// neverStarts and neverSteps set short timeouts for servers that are expected to exceed them. All
// other servers get a minute.
func neverStarts(o *Options) { o.StartTimeout = time.Second }
func neverSteps(o *Options)  { o.StepTimeout = 400 * time.Millisecond }

func wantProblems(t *testing.T, got []Problem, want ...string) {
	t.Helper()
	var words []string
	for _, p := range got {
		words = append(words, p.String())
	}
	if !slices.Equal(words, want) {
		t.Errorf("problems\ngot  %q\nwant %q", words, want)
	}
}

// session is a hand-written server on standard input and output.
type session struct {
	in *bufio.Reader
}

func (s *session) read() (message, bool) {
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return message{}, false
	}
	all := parse(line)
	if len(all) != 1 {
		return message{}, true
	}
	return all[0], true
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func answer(id, result string) { say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result) }

const (
	helloLegacy = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"h","version":"1"}}`
	oneOfAll    = `{"tools":[{"name":"a"}],"prompts":[],"resources":[],"resourceTemplates":[]}`
	oneTool     = `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
)

// serve answers like a plain legacy server, except for messages that own handles.
func serve(own func(s *session, m message) bool) int {
	s := &session{in: bufio.NewReader(os.Stdin)}
	for {
		m, ok := s.read()
		switch {
		case !ok:
			return 0
		case own != nil && own(s, m):
		case m.id == "" || m.method == "":
		case m.method == methodStart:
			answer(m.id, helloLegacy)
		case m.method == "tools/list":
			answer(m.id, oneTool)
		default:
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.id)
		}
	}
}

func runHelper(mode string) int {
	if own, ok := hostileModes()[mode]; ok {
		return serve(own)
	}
	switch mode {
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "pretty":
		say("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {}\n}")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "last words":
		serve(nil)
		say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	case "lister": // writes its process ID to a file, and lists its tools
		target := Target{Command: []string{os.Args[0]}, Env: append(os.Environ(), helperVar+"=deaf")}
		_, _ = List(context.Background(), target, Options{StartTimeout: time.Hour, Timeout: time.Hour})
	case "deaf":
		if file := os.Getenv(pidVar); file != "" {
			_ = os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600)
		}
		time.Sleep(time.Hour)
	case "stubborn":
		// does not exit when its standard input is closed, as is common
		serve(nil)
		time.Sleep(time.Hour)
	case "fails":
		fmt.Fprintln(os.Stderr, "starting\nError: API_KEY is not set \x1b[31m")
		return 3
	case "banner":
		say("\xEF\xBB\xBFServer v1 starting …\n\n  listening")
		return serve(nil)
	case "launcher", "orphan", "session", "daemon":
		return runLauncher(mode)
	case "crlf":
		in := bufio.NewReader(os.Stdin)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return 0
			}
			for _, m := range parse(line) {
				if m.method == methodStart {
					fmt.Print(`{"jsonrpc":"2.0","id":`, m.id, `,"result":`, helloLegacy, "}\r\n\r\n")
				} else if m.id != "" {
					fmt.Print(`{"jsonrpc":"2.0","id":`, m.id, `,"result":`, oneOfAll, "}\r\n")
				}
			}
		}
	case "sdk", "sdk-slow", "sdk-legacy":
		in := bufio.NewReader(os.Stdin)
		var ahead []byte
		for mode == "sdk-slow" && bytes.Count(ahead, []byte("\n")) < 2 {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return 1
			}
			ahead = append(ahead, line...)
		}
		return runSDK(mode == "sdk-legacy", io.MultiReader(bytes.NewReader(ahead), in))
	}
	return 0
}

// runLauncher starts a grandchild that keeps standard output open and ignores its input, and writes
// the grandchild's process ID to standard error. In orphan mode, the launcher then fails at once;
// in the other modes, the grandchild leaves the session. In daemon mode, it also leaves its parent
// and has no environment that would identify its owner.
func runLauncher(mode string) int {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), helperVar+"=deaf")
	switch mode {
	case "session":
		leaveSession(child)
	case "daemon": // its parent is the shell, which exits at once
		child = exec.Command("sh", "-c", `env -i `+helperVar+`=deaf "$0" >/dev/null 2>&1 & echo "child $!" >&2`, os.Args[0])
		leaveSession(child)
		child.Stderr = os.Stderr
		if err := child.Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return serve(nil)
	}
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintf(os.Stderr, "child %d\n", child.Process.Pid)
	if mode == "orphan" {
		return 4
	}
	return serve(nil)
}

// cancelled returns a context that is cancelled after d.
func cancelled(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), d, fmt.Errorf("the user gave up"))
	t.Cleanup(cancel)
	return ctx
}
