package config

import (
	"bytes"
	"strings"
	"testing"
)

const testProgram = "/opt/mcp scan/mcpscan"

var testWrapper = Wrapper{Program: testProgram, Options: ProxyOptions{Observe: true}}

func everything(*Server) bool { return true }

// TestWrapFixtures wraps every fixture of every client format, and gives back its bytes.
func TestWrapFixtures(t *testing.T) {
	wrapped := 0
	for _, c := range archives(t) {
		t.Run(c.name, func(t *testing.T) {
			for _, data := range [][]byte{c.data, []byte("\xef\xbb\xbf" + string(c.data)), bytes.ReplaceAll(c.data, []byte("\n"), []byte("\r\n"))} {
				before, err := Parse(c.path, data)
				if err != nil {
					return
				}
				after, outcomes, err := Wrap(c.path, data, testWrapper, everything)
				if err != nil {
					t.Logf("not wrapped: %v", err)
					return
				}
				for _, o := range outcomes {
					if o.Changed {
						wrapped++
					} else {
						t.Logf("%s is not wrapped: %s", o.Server.Name, o.Why)
					}
				}
				seen, err := Parse(c.path, after)
				if err != nil {
					t.Fatal(err)
				}
				seen.SeeThrough(func(program string) bool { return program == testProgram })
				for i := range seen.Entries {
					if outcomes[i].Changed != (seen.Entries[i].Proxy != nil) {
						t.Errorf("%s was wrapped: %v, and is seen through: %v", seen.Entries[i].Name, outcomes[i].Changed, seen.Entries[i].Proxy)
					}
					seen.Entries[i].Proxy = nil
					if !alike(&before.Entries[i], &seen.Entries[i]) {
						t.Errorf("%s is %+v, and was %+v", seen.Entries[i].Name, seen.Entries[i], before.Entries[i])
					}
				}
				again, _, err := Wrap(c.path, after, testWrapper, everything)
				if err != nil || !bytes.Equal(again, after) {
					t.Errorf("wrapping twice is not wrapping once: %v\n%s", err, again)
				}
				back, _, err := Unwrap(c.path, after, everything)
				if err != nil || !bytes.Equal(back, data) {
					t.Errorf("%v\nunwrapped:\n%s\nwas:\n%s\nwrapped:\n%s", err, back, data, after)
				}
			}
		})
	}
	if wrapped < 100 {
		t.Errorf("only %d entries were wrapped", wrapped)
	}
	_ = strings.Join
}
