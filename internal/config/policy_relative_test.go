package config

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestLinksOfProcesses checks that a path through a link that every process has evades no rule that
// refuses.
func TestLinksOfProcesses(t *testing.T) {
	for path, want := range map[string]scanner.Verdict{
		"/proc/self/root/etc/x":                         scanner.Block,
		"/proc/self/root/../etc/x":                      scanner.Block,
		"/proc/self/root/a/../../etc/x":                 scanner.Block,
		"/proc/self/root/a/../proc/self/root/../etc/x":  scanner.Block,
		"/proc/7/task/8/root//../etc/x":                 scanner.Block,
		"/proc/self/cwd/../../etc/x":                    scanner.Block,
		"/dev/fd/../root/etc/x":                         scanner.Block,
		strings.Repeat("/proc/self/root", 9) + "/etc/x": scanner.Block,
		"/proc/self/cwd/etc/x":                          scanner.Log,
		"/proc/self/root/proc/etc/x":                    scanner.Log,
		"/proc/root/etc/x":                              scanner.Log,
	} {
		if got := verdict(t, "deny", "/etc/**", "path", path); got != want {
			t.Errorf("%s: %s, expected %s", path, got, want)
		}
	}
}

// TestFilesOfAnyDirectory checks that ** at the beginning of a pattern includes the unknown directory of
// a relative path in a rule that refuses, and only there.
func TestFilesOfAnyDirectory(t *testing.T) {
	for _, c := range []struct {
		action, path string
		want         scanner.Verdict
	}{
		{"deny", "key.pem", scanner.Block}, {"deny", "a/key.pem", scanner.Block}, {"deny", "/a/KEY.pem", scanner.Block}, {"deny", "key.pem.txt", scanner.Log},
		{"allow", "key.pem", scanner.Log}, {"allow", "a/key.pem", scanner.Allow},
	} {
		if got := verdict(t, c.action, "**/*.pem", "path", c.path); got != c.want {
			t.Errorf("%s %s: %s, expected %s", c.action, c.path, got, c.want)
		}
	}
}
