package sessionlog

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestFindClient checks that the client is found through shells that pass on their input,
// that two proxies find the same one, and that a process that created its own pipe counts
// as a client.
func TestFindClient(t *testing.T) {
	if os.Getenv("SESSIONLOG_CLIENT") != "" {
		c, err := FindClient()
		fmt.Printf("%s %v\n", c.Key, err)
		os.Exit(0)
	}
	self := os.Args[0] + " -test.run=^TestFindClient$"
	find := func(script string) string {
		cmd := exec.Command("sh", "-c", script)
		cmd.Env = append(os.Environ(), "SESSIONLOG_CLIENT=1")
		in, err := cmd.StdinPipe() // as clients do
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	direct := find("exec " + self)
	if !strings.HasPrefix(direct, fmt.Sprintf("%d ", os.Getpid())) {
		t.Errorf("the client is %q, want this process, %d", direct, os.Getpid())
	}
	for _, script := range []string{self + "; true", "sh -c 'sh -c \"" + self + "; true\"; true'; true"} {
		if got := find(script); got != direct {
			t.Errorf("after %q the client is %q, want %q", script, got, direct)
		}
	}
	if got := find("true | " + self + "; true"); got == direct {
		t.Errorf("want the shell with its own pipe as the client, got %q", got)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFindClient$") // not a pipe, so the parent is the client
	cmd.Env = append(os.Environ(), "SESSIONLOG_CLIENT=1")
	if out, err := cmd.Output(); err != nil || strings.TrimSpace(string(out)) != direct {
		t.Errorf("without a pipe the client is %q (%v), want %q", out, err, direct)
	}
}
