package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// withPolicy returns the path of a policy, and a function for commands that share a cache of their own.
func withPolicy(t *testing.T, policy string) (path string, command func(args ...string) *exec.Cmd) {
	dir := t.TempDir()
	path = filepath.Join(dir, "policy.toml")
	if err := os.WriteFile(path, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func(args ...string) *exec.Cmd {
		cmd := exec.Command("mcpscan", args...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "LocalAppData="+dir)
		return cmd
	}
}

// TestHeld checks that a message for which the policy prompts reaches the server if
// somebody allows it with mcpscan held, and does not if somebody denies it.
func TestHeld(t *testing.T) {
	policy, command := withPolicy(t, "[[rule]]\naction = \"prompt\"\ntool = \"sum\"\ndescription = \"Sums are \\u001b[31mdear\"\n[[rule]]\naction = \"allow\"\ntool = \"*\"\n")
	proxy := command("proxy", "--no-config", "--policy", policy, "--name", "calc", "--ask-timeout", "1h", "--", "fakeserver", "honest")
	var said bytes.Buffer
	proxy.Stderr = &said
	in, _ := proxy.StdinPipe()
	out, _ := proxy.StdoutPipe()
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Process.Kill() })
	client := bufio.NewReader(out)
	for _, answer := range []struct{ command, want string }{{"allow", `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,`}, {"deny", `{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"blocked by mcpscan: needs approval: refused by mcpscan held: Sums are `}} {
		_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sum","arguments":{"a":1,"b":2}}}`+"\n")
		id := heldID(t, func() *exec.Cmd { return command("held", "list", "--json") })
		listed, err := command("held", "list").Output()
		if err != nil || !strings.Contains(string(listed), "calc") || strings.Contains(string(listed), "\x1b") {
			t.Errorf("%s (%v)", listed, err)
		}
		if out, err := command("held", answer.command, id).CombinedOutput(); err != nil {
			t.Fatalf("%s: %s (%v)", answer.command, out, err)
		}
		line, err := client.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, answer.want) {
			t.Errorf("%s: got %s (%v)", answer.command, line, err)
		}
		if out, err := command("held", "allow", id).CombinedOutput(); err == nil || !strings.Contains(string(out), "is no longer waiting") {
			t.Errorf("answered twice: %s (%v)", out, err)
		}
	}
	_, _ = io.WriteString(in, `[{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"sum","arguments":{"a":1}}},{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"sum","arguments":{"a":"`+strings.Repeat("y", 6000)+`; rm -rf /; `+strings.Repeat("z", 6000)+`"},"_meta":{"k":1}}}]`+"\n")
	heldID(t, func() *exec.Cmd { return command("held", "list", "--json") })
	if listed, err := command("held", "list").Output(); err != nil || strings.Count(string(listed), "tools/call") != 2 || !strings.Contains(string(listed), " characters left out] … zzz") || !strings.Contains(string(listed), `"_meta":{"k":1}`) {
		t.Errorf("%s (%v)", listed, err)
	}
	if listed, err := command("held", "list", "--json").Output(); err != nil || !strings.Contains(string(listed), "rm -rf /") {
		t.Errorf("%s (%v)", listed, err)
	}
	in.Close() // while the batch is held
	if rest, err := io.ReadAll(client); err != nil || strings.Count(string(rest), `"error":{"code":-32001,`) != 2 {
		t.Errorf("got %s (%v)", rest, err)
	}
	if err := proxy.Wait(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`holding tools/call "sum" for the server calc until `, `; to allow it, run mcpscan held allow `, `allowed tools/call "sum" for the server calc: mcpscan held`, `refused tools/call "sum" for the server calc: mcpscan held`,
		`refused tools/call "sum" and tools/call "sum" for the server calc: the connection ended`} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("standard error lacks %q: %s", want, &said)
		}
	}
	if strings.Contains(said.String(), "blocked") {
		t.Errorf("standard error: %s", &said)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(policy), "*", "mcpscan", "held", "*")); len(left) > 0 {
		t.Errorf("not removed: %v", left)
	}
}

// TestHeldUnanswered checks what a proxy reports about a message that nobody can allow, or allows in time.
func TestHeldUnanswered(t *testing.T) {
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.toml")
	if err := os.WriteFile(policy, []byte("[[rule]]\naction = \"prompt\"\ntool = \"*\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, timeout string
		mode          os.FileMode
		why           string
		want          []string
	}{
		{"late", "300ms", 0o700, "nobody answered in time", []string{`holding tools/call "sum" for the server calc until `, `refused tools/call "sum" for the server calc: nobody answered in time`}},
		{"open", "1h", 0o777, "nobody could be asked", []string{`cannot ask for approval of tools/call "sum" for the server calc: `, `expected a directory that others cannot write to`, `refused tools/call "sum" for the server calc: nobody could be asked`}},
	} {
		if test.name == "open" && (runtime.GOOS == "windows" || runtime.GOOS == "darwin") { // another cache directory
			continue
		}
		cache := filepath.Join(dir, test.name)
		held := filepath.Join(cache, "mcpscan", "held")
		if err := os.MkdirAll(held, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(held, test.mode); err != nil {
			t.Fatal(err)
		}
		proxy := exec.Command("mcpscan", "proxy", "--no-config", "--policy", policy, "--name", "calc", "--ask-timeout", test.timeout, "--", "fakeserver", "honest")
		proxy.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+cache, "LocalAppData="+cache)
		var said bytes.Buffer
		proxy.Stderr = &said
		in, _ := proxy.StdinPipe()
		out, _ := proxy.StdoutPipe()
		if err := proxy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = proxy.Process.Kill() })
		_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum","arguments":{}}}`+"\n")
		client := bufio.NewReader(out)
		if line, err := client.ReadString('\n'); err != nil || !strings.Contains(line, `"message":"blocked by mcpscan: needs approval: `+test.why+": ") || !strings.Contains(line, `"action":"prompt"`) {
			t.Errorf("%s: got %s (%v)", test.name, line, err)
		}
		in.Close()
		_, _ = io.Copy(io.Discard, client)
		if err := proxy.Wait(); err != nil {
			t.Error(err)
		}
		for _, want := range test.want {
			if !strings.Contains(said.String(), want) {
				t.Errorf("%s: standard error lacks %q: %s", test.name, want, &said)
			}
		}
	}
}

// TestHeldByKilledProxy checks that a message whose proxy was killed is not listed and cannot be
// answered, and that nothing remains of it.
func TestHeldByKilledProxy(t *testing.T) {
	policy, command := withPolicy(t, "[[rule]]\naction = \"prompt\"\ntool = \"*\"\n")
	for _, answer := range []string{"list", "allow", "deny"} {
		proxy := command("proxy", "--no-config", "--policy", policy, "--name", "calc", "--ask-timeout", "1h", "--", "fakeserver", "honest")
		in, _ := proxy.StdinPipe()
		if err := proxy.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sum","arguments":{}}}`+"\n")
		id := heldID(t, func() *exec.Cmd { return command("held", "list", "--json") })
		_ = proxy.Process.Kill()
		_ = proxy.Wait()
		if answer == "list" {
			if out, err := command("held", "list").CombinedOutput(); err != nil || string(out) != "No message is waiting for approval.\n" {
				t.Errorf("%s (%v)", out, err)
			}
		} else if out, err := command("held", answer, id).CombinedOutput(); err == nil || !strings.Contains(string(out), "is no longer waiting") {
			t.Errorf("%s: %s (%v)", answer, out, err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(policy), "*", "mcpscan", "held", "*")); len(left) > 0 {
			t.Errorf("%s: not removed: %v", answer, left)
		}
	}
}

// heldID waits until one message is held, and returns its ID.
func heldID(t *testing.T, list func() *exec.Cmd) string {
	t.Helper()
	for range 6000 {
		out, err := list().Output()
		var held []heldMessage
		if err != nil || json.Unmarshal(out, &held) != nil {
			t.Fatalf("%s (%v)", out, err)
		}
		if len(held) == 1 {
			return held[0].ID
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("nothing is held")
	return ""
}
