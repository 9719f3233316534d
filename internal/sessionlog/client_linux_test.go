package sessionlog

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestFindClient: the client is found from behind shells that hand their input on, and two
// proxies find the same one; a process that has made a pipe of its own is a client.
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
	cmd := exec.Command(os.Args[0], "-test.run=^TestFindClient$") // no pipe: the parent
	cmd.Env = append(os.Environ(), "SESSIONLOG_CLIENT=1")
	if out, err := cmd.Output(); err != nil || strings.TrimSpace(string(out)) != direct {
		t.Errorf("without a pipe the client is %q (%v), want %q", out, err, direct)
	}
}
