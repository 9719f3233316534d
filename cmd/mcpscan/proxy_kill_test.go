//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var kills = flag.Int("kills", 6, "processes that TestKilledInSession kills")

// patience is how long these tests wait for other processes, which a busy machine runs late.
const patience = 5 * time.Minute

// loaded is a session under load, with its processes.
type loaded struct {
	t     *testing.T
	home  string
	cmd   *exec.Cmd
	lines chan []string
	pids  map[string]int // process IDs of proxies, and of servers as server-NAME
	gone  map[string]bool
	pause time.Duration // longest time between two answers
}

func startLoad(t *testing.T, home string) *loaded {
	t.Helper()
	config := clientConfig{map[string]clientEntry{}}
	for _, name := range []string{"one", "two"} {
		file := filepath.Join(home, name+".script")
		if err := os.WriteFile(file, []byte(script(t, [3]string{"compute_" + name, "Computes.", "done by someone-" + name + "@example.com"})), 0o600); err != nil {
			t.Fatal(err)
		}
		config.Servers[name] = clientEntry{"mcpscan", []string{"proxy", "--config", filepath.Join(home, "mcpscan.yaml"), "--quiet", "--name", name, "--record", filepath.Join(home, name+".jsonl"), "--", "fakeserver", "scripted", file}}
	}
	text, err := json.Marshal(config)
	err = errors.Join(err, os.WriteFile(filepath.Join(home, "client.json"), text, 0o600), os.WriteFile(filepath.Join(home, "mcpscan.yaml"), []byte("cross_server: {burst: {enabled: false}}\n"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	l := &loaded{t: t, home: home, cmd: exec.Command("sessionload", filepath.Join(home, "client.json")), lines: make(chan []string, 1<<16), pids: map[string]int{}, gone: map[string]bool{}}
	l.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home)
	out, err := l.cmd.StdoutPipe()
	if err == nil {
		err = l.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(l.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			l.lines <- strings.Fields(lines.Text())
		}
	}()
	return l
}

// until processes the client's output until done returns true, and fails if that
// takes too long.
func (l *loaded) until(what string, done func(answers map[string]int) bool) {
	l.t.Helper()
	answers, deadline := map[string]int{}, time.After(patience)
	for last := time.Now(); !done(answers); {
		select {
		case words, ok := <-l.lines:
			switch {
			case !ok:
				l.t.Fatalf("the client has ended before %s", what)
			case words[0] == "proxy":
				l.pids[words[1]], _ = strconv.Atoi(words[2])
			case words[0] == "gone":
				l.gone[words[1]] = true
			case words[0] == "answer":
				answers[words[1]]++
				l.pause, last = max(l.pause, time.Since(last)), time.Now()
			default:
				l.t.Fatalf("the client says %q", words)
			}
		case <-deadline:
			l.t.Fatalf("waited too long for %s: %v answers, gone %v", what, answers, l.gone)
		}
	}
}

// server returns a server's process ID.
func (l *loaded) server(name string) int {
	l.t.Helper()
	pid, err := strconv.Atoi(readFile(l.t, l.home, name+".script.pid"))
	if err != nil {
		l.t.Fatal(err)
	}
	return pid
}

// vanished waits until a process has exited; it need not have been reaped.
func vanished(t *testing.T, what string, pid int) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("%s (process %d) is still there", what, pid)
}

// TestKilledInSession checks that killing proxies, servers or clients at any moment leaves
// no processes and no unreadable recordings behind, and does not delay the others.
func TestKilledInSession(t *testing.T) {
	targets := []string{"one", "two", "server-one", "server-two", "client"}
	var pause time.Duration
	for n := range *kills {
		target := targets[n%len(targets)]
		t.Run(fmt.Sprintf("%d %s", n, target), func(t *testing.T) {
			l := startLoad(t, t.TempDir())
			defer func() {
				_ = l.cmd.Process.Kill()
				_ = l.cmd.Wait()
			}()
			some := 1 + rand.IntN(30)
			l.until("the first answers", func(answers map[string]int) bool { return answers["one"] >= some && answers["two"] >= some })
			for _, name := range []string{"one", "two"} { // a proxy does not wait for the disk that its recording is on
				waitUntil(t, func() bool { return strings.Count(readFile(t, l.home, name+".jsonl"), "\n") >= 2 })
			}
			pids := []int{l.pids["one"], l.pids["two"], l.server("one"), l.server("two")}
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
			name, isServer := strings.CutPrefix(target, "server-")
			victim := l.cmd.Process.Pid
			if target != "client" {
				victim = l.pids[name]
				if isServer {
					victim = l.server(name)
				}
			}
			if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if target != "client" {
				other := map[string]string{"one": "two", "two": "one"}[name]
				l.pause = 0
				l.until("the other server", func(answers map[string]int) bool { return l.gone[name] && answers[other] >= 20 })
				pause = max(pause, l.pause)
			}
			_ = l.cmd.Process.Kill()
			for i, pid := range pids {
				vanished(t, []string{"proxy one", "proxy two", "server one", "server two"}[i], pid)
			}
			readable(t, l.home)
		})
	}
	t.Logf("the longest time without a response from the idle server: %s", pause)
}

// readable replays the recordings from a killed session. Only the last line of each may be
// incomplete.
func readable(t *testing.T, home string) {
	t.Helper()
	for _, name := range []string{"one", "two"} {
		text := readFile(t, home, name+".jsonl")
		lines := strings.Count(text, "\n")
		r := jsonReport(t, "replay", "--allow-incomplete", filepath.Join(home, name+".jsonl"))
		cut := 0
		for _, s := range r.Coverage.Skipped {
			if s.First != nil && s.First.Line > lines {
				cut++
			} else if !strings.Contains(s.Reason, "shared session") {
				t.Errorf("%s: %s", name, s.Reason)
			}
		}
		if r.Coverage.Events < 2 || cut > 1 {
			t.Errorf("%s: %d lines, %+v", name, lines, r.Coverage)
		}
	}
}

// TestServersOfKilledProxy checks that server processes started by a proxy on a port end when their
// session ends and when the proxy ends, even if it is killed.
func TestServersOfKilledProxy(t *testing.T) {
	home := t.TempDir()
	servers := map[string]clientEntry{}
	for _, name := range []string{"one", "two"} {
		file := filepath.Join(home, name)
		if err := os.WriteFile(file, []byte(script(t, [3]string{"compute", "Computes.", "done"})), 0o600); err != nil {
			t.Fatal(err)
		}
		servers[name] = clientEntry{"fakeserver", []string{"scripted", file}}
	}
	text, err := json.Marshal(clientConfig{servers})
	if err = errors.Join(err, os.WriteFile(filepath.Join(home, "mcp.json"), text, 0o600)); err != nil {
		t.Fatal(err)
	}
	proxy := exec.Command("mcpscan", "proxy", "--no-config", "--servers", filepath.Join(home, "mcp.json"), "--run-servers", "--listen", "127.0.0.1:0")
	errs, err := proxy.StderrPipe()
	if err == nil {
		err = proxy.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = proxy.Wait() }()
	defer func() { _ = proxy.Process.Kill() }()
	lines := bufio.NewScanner(errs)
	if !lines.Scan() {
		t.Fatal("the proxy does not say where it listens")
	}
	url, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "mcpscan: "), " in front of ")
	base := url[:strings.LastIndex(url, "/")]
	pids, sessions := map[string]int{}, map[string]string{}
	for name := range servers {
		if _, sessions[name], _ = postTo(t, base+"/"+name, "", initializeBody); sessions[name] == "" {
			t.Fatalf("%s begins no session", name)
		}
		if pids[name], err = strconv.Atoi(readFile(t, home, name+".pid")); err != nil {
			t.Fatal(err)
		}
	}
	req, _ := http.NewRequest(http.MethodDelete, base+"/one", nil)
	req.Header.Set("Mcp-Session-Id", sessions["one"])
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusNoContent {
		t.Fatalf("%v %v", resp, err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) { // not even a zombie
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pids["one"])); err != nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the server of a session that has ended (process %d) is still there", pids["one"])
		}
	}
	if err := proxy.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	vanished(t, "the server of a proxy that was killed", pids["two"])
}
