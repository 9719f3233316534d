package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// helperVar makes the test binary a stdio server that behaves as its value says.
const helperVar = "MCPSCAN_LIVE_HELPER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperVar); mode != "" {
		os.Exit(runHelper(mode))
	}
	os.Exit(m.Run())
}

// helper is the Target that runs this binary as a server.
func helper(t *testing.T, mode string) Target {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Target{Name: mode, Command: []string{exe}, Env: append(os.Environ(), helperVar+"="+mode)}
}

// seen collects the frames of a List call.
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

// count says how many frames of the server contain the text.
func (s *seen) count(d Direction, text string) int {
	n := 0
	for _, f := range s.frames {
		if f.Direction == d {
			n += strings.Count(string(f.Data), text)
		}
	}
	return n
}

// list runs List with short time-outs, and checks that nothing is left behind.
func list(t *testing.T, target Target, change ...func(*Options)) (Result, *seen, error) {
	t.Helper()
	before := runtime.NumGoroutine()
	s := &seen{t: t}
	stamp := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o := Options{
		Now: func() time.Time { return stamp }, OnFrame: s.add, MaxFrame: 1 << 20,
		StartTimeout: 10 * time.Second, StepTimeout: 5 * time.Second,
	}
	for _, f := range change {
		f(&o)
	}
	started := time.Now()
	res, err := List(t.Context(), target, o)
	s.mu.Lock()
	s.done = true
	s.mu.Unlock()
	t.Logf("%v, %d frames, %+v, %v", time.Since(started).Round(time.Millisecond), len(s.frames), res, err)
	for _, f := range s.frames {
		if !f.Time.Equal(stamp) {
			t.Errorf("a frame is stamped %v", f.Time)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return res, s, err
		}
		time.Sleep(20 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
	return res, s, err
}

func quick(o *Options) { o.StartTimeout, o.StepTimeout = time.Second, 400*time.Millisecond }

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
	oneTool     = `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
)

// serve answers as a plain legacy server does, except where the mode's own
// function did so.
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
	case "deaf":
		time.Sleep(time.Minute)
	case "stubborn":
		// Ignores its closed standard input, as many servers do.
		serve(nil)
		time.Sleep(time.Minute)
	case "fails":
		fmt.Fprintln(os.Stderr, "starting\nError: API_KEY is not set \x1b[31m")
		return 3
	case "banner":
		say("\xEF\xBB\xBFServer v1 starting …\n\n  listening")
		return serve(nil)
	case "launcher", "orphan":
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
					fmt.Print(`{"jsonrpc":"2.0","id":`, m.id, `,"result":`, oneTool, "}\r\n")
				}
			}
		}
	case "sdk", "sdk-slow", "sdk-legacy":
		if mode == "sdk-slow" {
			time.Sleep(700 * time.Millisecond)
		}
		return runSDK(mode == "sdk-legacy")
	}
	return 0
}

// runLauncher starts a grandchild that holds standard output and ignores its
// input, and tells its id on standard error. As orphan it then fails at once.
func runLauncher(mode string) int {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), helperVar+"=deaf")
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

// hostileModes are servers that do one thing wrong.
func hostileModes() map[string]func(*session, message) bool {
	page := 0
	return map[string]func(*session, message) bool{
		"plain": nil,
		"ignores discover": func(_ *session, m message) bool {
			return m.method == methodDiscover
		},
		"dies of discover": func(_ *session, m message) bool {
			if m.method == methodDiscover {
				fmt.Fprintln(os.Stderr, "unexpected message")
				os.Exit(1)
			}
			return false
		},
		"answers discover with nothing": func(_ *session, m message) bool {
			if m.method == methodDiscover {
				answer(m.id, "{}")
			}
			return m.method == methodDiscover
		},
		"answers without an id": func(_ *session, m message) bool {
			if m.method == methodDiscover {
				say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`)
			}
			return m.method == methodDiscover
		},
		"pages for ever": func(_ *session, m message) bool {
			if m.method == "tools/list" {
				page++
				answer(m.id, fmt.Sprintf(`{"tools":[],"nextCursor":"c%d"}`, page))
			}
			return m.method == "tools/list"
		},
		"repeats a cursor": func(_ *session, m message) bool {
			if m.method == "tools/list" {
				page++
				answer(m.id, fmt.Sprintf(`{"tools":[],"nextCursor":"c%d\u0041"}`, page%3))
			}
			return m.method == "tools/list"
		},
		"odd cursor": func(_ *session, m message) bool {
			if m.method == "tools/list" {
				answer(m.id, `{"tools":[],"nextCursor":{"x":1}}`)
			}
			return m.method == "tools/list"
		},
		"hides page two":       hidesPageTwo,
		"asks back":            asksBack,
		"long line":            longLine,
		"long list":            longList,
		"batch":                batch,
		"declares all":         declaresAll,
		"list changes":         listChanges(&page),
		"breaks off":           breaksOff,
		"dies while listing":   diesWhileListing,
		"errors":               errorsOnTools,
		"old discover":         oldDiscover,
		"modern input":         modernInput,
		"unknown version":      unknownVersion,
		"floods with requests": floods,
	}
}

func hidesPageTwo(_ *session, m message) bool {
	if m.method != "tools/list" {
		return false
	}
	// parse does not keep params: the ids of ours tell the pages apart.
	if m.id == "3" {
		answer(m.id, `{"tools":[{"name":"harmless"}],"nextCursor":""}`)
	} else {
		answer(m.id, `{"tools":[{"name":"hidden"}]}`)
	}
	return true
}

func asksBack(s *session, m message) bool {
	if m.method != "tools/list" {
		return false
	}
	for i, method := range []string{"roots/list", "ping", "sampling/createMessage", "elicitation/create", "x/y"} {
		id := fmt.Sprintf(`"q-%d"`, i)
		say(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{}}`, id, method)
		for {
			back, ok := s.read()
			if !ok {
				return true
			}
			if back.id == id {
				break
			}
		}
	}
	return false
}

func longLine(_ *session, m message) bool {
	if m.method == "tools/list" {
		out := bufio.NewWriterSize(os.Stdout, 1<<20)
		fmt.Fprint(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"`)
		for range 100 {
			fmt.Fprint(out, strings.Repeat("x", 1<<20))
		}
		fmt.Fprintln(out, `"}}`)
		out.Flush()
	}
	return false
}

func longList(_ *session, m message) bool {
	if m.method == "tools/list" {
		answer(m.id, `{"tools":[{"name":"a","description":"`+strings.Repeat("x", 2<<20)+`"}]}`)
	}
	return m.method == "tools/list"
}

// batch answers every request in an array, with a notification beside it.
func batch(_ *session, m message) bool {
	result := map[string]string{methodStart: helloLegacy, "tools/list": oneTool}[m.method]
	if result != "" {
		say(`[{"jsonrpc":"2.0","method":"notifications/message","params":{}},{"jsonrpc":"2.0","id":%s,"result":%s}]`, m.id, result)
	}
	return result != ""
}

// declaresAll promises four lists and knows one.
func declaresAll(_ *session, m message) bool {
	if m.method == methodStart {
		answer(m.id, `{"protocolVersion":"2024-11-05","capabilities":{"tools":{},"prompts":{},"resources":{}}}`)
	}
	return m.method == methodStart
}

// listChanges announces a change while the list is under way, every time.
func listChanges(page *int) func(*session, message) bool {
	return func(_ *session, m message) bool {
		switch m.method {
		case methodStart:
			answer(m.id, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}`)
		case "tools/list":
			*page++
			answer(m.id, fmt.Sprintf(`{"tools":[{"name":"v%d"}]}`, *page))
			say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		default:
			return false
		}
		return true
	}
}

func breaksOff(_ *session, m message) bool {
	if m.method == "tools/list" {
		say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a",}]}}`, m.id)
	}
	return m.method == "tools/list"
}

func diesWhileListing(_ *session, m message) bool {
	if m.method == "tools/list" {
		fmt.Fprintln(os.Stderr, "panic: nil map")
		os.Exit(2)
	}
	return false
}

func errorsOnTools(_ *session, m message) bool {
	if m.method == "tools/list" {
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no\u202ekey"}}`, m.id)
	}
	return m.method == "tools/list"
}

// oldDiscover knows server/discover and has nothing newer to offer.
func oldDiscover(_ *session, m message) bool {
	switch m.method {
	case methodDiscover:
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"v","data":{"supported":["2024-11-05","2025-03-26"]}}}`, m.id)
	default:
		return false
	}
	return true
}

func modernInput(_ *session, m message) bool {
	switch m.method {
	case methodDiscover:
		answer(m.id, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	case "tools/list":
		answer(m.id, `{"resultType":"input_required","inputRequests":{}}`)
	default:
		return false
	}
	return true
}

func unknownVersion(_ *session, m message) bool {
	if m.method == methodStart {
		answer(m.id, `{"protocolVersion":"2030-01-01","capabilities":{"tools":{}}}`)
	}
	return m.method == methodStart
}

// floods asks more than it reads answers for, and lists nothing before all are
// answered, which never happens.
func floods(_ *session, m message) bool {
	if m.method != "tools/list" {
		return false
	}
	for i := range 5000 {
		say(`{"jsonrpc":"2.0","id":"f%d","method":"roots/list"}`, i)
	}
	time.Sleep(time.Minute)
	return true
}

// cancelled is a context that ends after d.
func cancelled(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), d, fmt.Errorf("the user gave up"))
	t.Cleanup(cancel)
	return ctx
}
