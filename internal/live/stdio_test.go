package live

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStdioServersThatCanBeListed covers servers that behave in unusual ways but
// can be listed.
func TestStdioServersThatCanBeListed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode    string
		version string
		reply   string // number of times that the server sends it
		times   int
	}{
		{mode: "plain", version: "2025-06-18", reply: `"name":"a"`, times: 1},
		{mode: "banner", version: "2025-06-18", reply: `"name":"a"`, times: 1},
		{mode: "crlf", version: "2025-06-18", reply: `"name":"a"`, times: 4 + 1}, // a list of tools in reply to everything
		{mode: "dies of discover", version: "2025-06-18", reply: `"name":"a"`, times: 1},
		{mode: "answers discover with nothing", version: "2025-06-18", reply: `"name":"a"`, times: 1},
		{mode: "answers without an id", version: "2025-06-18", reply: `"name":"a"`, times: 1},
		{mode: "hides page two", version: "2025-06-18", reply: `"hidden"`, times: 1},
		{mode: "batch", version: "2025-06-18", reply: `"name":"a"`, times: 1},
		{mode: "list changes once", version: "2025-11-25", reply: `"name":"v2`, times: 1},
		{mode: "late change", version: "2025-06-18", reply: `"name":"v2`, times: 1},
		{mode: "stubborn", version: "2025-06-18", reply: `"name":"a"`, times: 1},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			res, s, err := list(t, helper(t, tt.mode))
			if err != nil {
				t.Fatal(err)
			}
			if res.era != eraLegacy || res.version != tt.version || res.transport != "stdio" {
				t.Errorf("got %+v", res)
			}
			if res.Oversize != 0 {
				t.Errorf("oversize %d", res.Oversize)
			}
			if n := s.count(ServerToClient, tt.reply); n != tt.times {
				t.Errorf("%s was reported %d times, want %d", tt.reply, n, tt.times)
			}
			wantProblems(t, res.Problems)
		})
	}
}

func TestStdioIgnoredDiscoverCostsPatienceOnly(t *testing.T) {
	t.Parallel()
	res, s, err := list(t, helper(t, "ignores discover"))
	if err != nil || res.era != eraLegacy || s.count(ServerToClient, `"name":"a"`) != 1 {
		t.Fatalf("got %+v, %v", res, err)
	}
}

func TestStdioOldDiscoverNamesTheVersion(t *testing.T) {
	t.Parallel()
	for range tries {
		_, s, err := list(t, helper(t, "old discover"))
		if err != nil {
			t.Fatal(err)
		}
		if s.count(ClientToServer, `"params":{"protocolVersion":"2025-03-26"`) == 1 {
			return
		}
	}
	t.Error("initialize does not ask for the newest version that the server offered")
}

func TestStdioProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode string
		want []string
	}{
		{"pages for ever", []string{"tools/list: stopped after 20 pages"}},
		{"repeats a cursor", []string{`tools/list: the server repeats the cursor "c1A"`}},
		{"odd cursor", []string{`tools/list: the cursor of the next page is not a string: "{\"x\":1}"`}},
		{"breaks off", []string{"tools/list: the answer is not valid JSON"}},
		{"errors", []string{`tools/list: the server answered with error -32603 "no\u202ekey"`}},
		{"modern input", []string{"tools/list: the server asks for input instead of returning a list"}},
		{"unknown version", []string{`initialize: the server chose the protocol version "2030-01-01", which mcpscan does not accept in initialize; assuming 2025-11-25`}},
		{"long list", []string{"tools/list: an answer exceeds the limit of 1048576 bytes (--max-message) and was not read"}},
		{"list changes", []string{"tools/list: the server announced another change after the list was last read, so the listed definitions may be out of date"}},
		{"last words", []string{"tools/list: the server announced another change after the list was last read, so the listed definitions may be out of date"}},
		{"dies of undeclared lists", []string{"prompts/list: the connection ended: the server exited with exit status 5",
			"resources/list: the connection ended: the server exited with exit status 5",
			"resources/templates/list: the connection ended: the server exited with exit status 5"}},
		{"loses a list", []string{`tools/list: the server answered with error -32601 "Method not found"`}},
		{"loses a page", []string{`tools/list: the server answered with error -32601 "Method not found"`}},
		{"declares nothing", []string{"prompts/list: no answer within 3s"}},
		{"errs on prompts", []string{`prompts/list: the server answered with error -32603 "not for you"`}},
		{"no tools", []string{`tools/list: the result has no array "tools"`}},
		{"tools in an object", []string{`tools/list: the result has no array "tools"`}},
		{"tools twice", []string{`tools/list: the result has no array "tools"`}},
		{"nothing in page two", []string{`tools/list: the result has no array "tools"`}},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			pages := func(o *Options) { o.maxPages = 20 }
			res, _, err := list(t, helper(t, tt.mode), pages)
			hurried := tt.mode == "declares nothing" || tt.mode == "last words"
			for n := 1; n < tries && hurried && err == nil && (len(res.Problems) != 1 || res.Problems[0].String() != tt.want[0]); n++ {
				res, _, err = list(t, helper(t, tt.mode), pages)
			}
			if err != nil {
				t.Fatal(err)
			}
			wantProblems(t, res.Problems, tt.want...)
			// All modes declare only tools, and a list that was read before the announcement of a
			// change was listed.
			if want := strings.HasPrefix(tt.want[0], "tools/list: ") && !strings.Contains(tt.want[0], "announced"); res.Unlisted != want {
				t.Errorf("unlisted: %t, want %t", res.Unlisted, want)
			}
		})
	}
}

func TestStdioDeathWhileListing(t *testing.T) {
	t.Parallel()
	res, _, err := list(t, helper(t, "dies while listing"))
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, res.Problems, `tools/list: the connection ended: the server exited with exit status 2; its output was "panic: nil map"`,
		"prompts/list, resources/list, resources/templates/list: not requested, because reading the previous list failed")
	if res.stderr != "panic: nil map\n" {
		t.Errorf("standard error %q", res.stderr)
	}
}

func TestStdioServerThatAsksBack(t *testing.T) {
	t.Parallel()
	res, s, err := list(t, helper(t, "asks back"))
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, res.Problems)
	for _, want := range []string{
		`{"jsonrpc":"2.0","id":"q-0","result":{"roots":[]}}`,
		`{"jsonrpc":"2.0","id":"q-1","result":{}}`,
		`{"jsonrpc":"2.0","id":"q-2","error":{"code":-1,`,
		`{"jsonrpc":"2.0","id":"q-3","result":{"action":"decline"}}`,
		`{"jsonrpc":"2.0","id":"q-4","error":{"code":-32601,`,
	} {
		if s.count(ClientToServer, want) != 1 {
			t.Errorf("no answer %s", want)
		}
	}
}

func TestStdioLongLineIsCountedNotHeld(t *testing.T) {
	// Not parallel, because TotalAlloc counts the whole process.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, s, err := list(t, helper(t, "long line"))
	runtime.ReadMemStats(&after)
	if err != nil || res.Oversize != 1 || s.count(ServerToClient, `"name":"a"`) != 1 {
		t.Fatalf("got %+v, %v", res, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 20<<20 {
		t.Errorf("%d MiB allocated for a line of 100 MiB and a cap of 1", grown>>20)
	}
}

func TestModernServerAnnouncesAChange(t *testing.T) {
	t.Parallel()
	res, s, err := list(t, helper(t, "modern list changes"))
	if err != nil || res.era != eraModern || s.count(ServerToClient, `"name":"v2`) != 1 {
		t.Fatalf("got %+v, %v", res, err)
	}
	wantProblems(t, res.Problems)
}

// TestStdioListsThatDoNotExist checks that a list is not missing if the server answers that it has no
// such method, or did not declare it and does not answer.
func TestStdioListsThatDoNotExist(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string][]string{
		"declares all": {`prompts/list: declared, but the server answered with error -32601 "Method not found"`,
			`resources/list: declared, but the server answered with error -32601 "Method not found"`},
		"answers only what it declared": {"prompts/list, resources/list, resources/templates/list: not declared, and not answered within 1s"},
		"silent on templates":           {"resources/templates/list: not declared, and not answered within 1s"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			res, s, err := list(t, helper(t, mode))
			for n := 1; n < tries && err == nil && mode == "silent on templates" && len(res.Notes) == 1 && res.Notes[0].String() != want[0]; n++ {
				res, s, err = list(t, helper(t, mode))
			}
			if err != nil || s.count(ServerToClient, `"name":"a"`) != 1 {
				t.Fatalf("got %+v, %v", res, err)
			}
			wantProblems(t, res.Problems)
			wantProblems(t, res.Notes, want...)
			if absent := mode != "answers only what it declared"; res.Unlisted || slices.Contains(res.Absent, "prompts") != absent || slices.Contains(res.Absent, "tools") {
				t.Errorf("got %+v", res)
			}
		})
	}
}

// TestUnansweredWithin checks that the note about a list that was not answered has the limit that
// applied. If the machine is too busy to answer the other lists in time, the test tries again.
func TestUnansweredWithin(t *testing.T) {
	t.Parallel()
	var res Result
	for range tries {
		res, _, _ = list(t, helper(t, "silent on templates"), func(o *Options) { o.StepTimeout = 700 * time.Millisecond })
		if len(res.Problems) == 0 && len(res.Notes) == 1 {
			break
		}
	}
	wantProblems(t, res.Notes, "resources/templates/list: not declared, and not answered within 700ms")
}

// If the machine is too busy to start the server in time, the test allows more
// time.
func TestTimeoutEndsSlowLists(t *testing.T) {
	t.Parallel()
	for limit := time.Second; limit < 10*time.Minute; limit *= 2 {
		res, _, err := list(t, helper(t, "pages for ever"), func(o *Options) { o.maxPages, o.Timeout = 1<<40, limit })
		if err == nil {
			wantProblems(t, res.Problems, "tools/list: not finished within the time limit for one server",
				"prompts/list, resources/list, resources/templates/list: not requested, because reading the previous list failed")
			return
		}
	}
	t.Error("the server did not start")
}

func TestStdioFlood(t *testing.T) {
	res, _, err := list(t, helper(t, "floods with requests"), neverSteps)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Problems) == 0 || res.Problems[0].Step != "tools/list" {
		t.Errorf("got %v", res.Problems)
	}
}

func TestStdioErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode   string
		change func(*Options)
		want   []string
	}{
		{"silent", neverStarts, []string{"no answer within 1s"}},
		{"deaf", neverStarts, []string{"no answer within 1s"}},
		{"fails", func(*Options) {}, []string{"exit status 3", `Error: API_KEY is not set \x1b[31m`}},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			_, _, err := list(t, helper(t, tt.mode), tt.change)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing in %v", want, err)
				}
			}
		})
	}
}

// TestStdioPretty checks that the error says why an answer over several lines was not read. If the
// machine is too busy to start the server in time, the test allows more time.
func TestStdioPretty(t *testing.T) {
	t.Parallel()
	var err error
	for limit := time.Second; limit < 10*time.Minute; limit *= 2 {
		_, _, err = list(t, helper(t, "pretty"), func(o *Options) { o.StartTimeout = limit })
		if err != nil && strings.Contains(err.Error(), "no answer within "+limit.String()+": the server's output is not JSON-RPC (lines or events: 5); over stdio each message must be on one line") {
			return
		}
	}
	t.Errorf("got %v", err)
}

func TestStdioCommandIsMissing(t *testing.T) {
	t.Parallel()
	for _, target := range []Target{
		{Command: []string{"mcpscan-no-such-command"}},
		{Command: []string{"sh"}, Env: []string{"PATH=/nonexistent"}},
		{Command: []string{"./no/such/path"}},
	} {
		if _, _, err := list(t, target); err == nil || !strings.Contains(err.Error(), "starting the server: ") {
			t.Errorf("got %v", err)
		}
	}
}

// TestCancelEndsAllAtOnce checks that cancellation does not wait for a timeout, which
// is an hour here.
func TestCancelEndsAllAtOnce(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"silent", "deaf", "floods with requests"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			_, err := List(cancelled(t, 200*time.Millisecond), helper(t, mode), Options{StartTimeout: time.Hour, StepTimeout: time.Hour})
			if err == nil || !strings.HasSuffix(err.Error(), "the user gave up") {
				t.Errorf("got %v", err)
			}
		})
	}
}
