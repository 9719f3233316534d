package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestErrorLogIsBounded checks that neither findings nor decisions fill a client's log, that findings
// leave room for decisions, and that all lines that were not printed are counted.
func TestErrorLogIsBounded(t *testing.T) {
	var out bytes.Buffer
	l := errorLog{to: &out}
	for i := range 1000 {
		l.finding("finding %d", i)
	}
	for i := range 1000 {
		l.once("blocked %d", i)
		l.once("blocked 0")
	}
	l.close()
	for line, want := range map[string]int{
		"mcpscan: finding ": maxFindings,
		"mcpscan: blocked ": maxLines - 1,
		"mcpscan: 950 further findings are not listed here":  1,
		"mcpscan: 801 further decisions are not listed here": 1,
		"mcpscan: 1000 more like this: blocked 0\n":          1,
	} {
		if got := strings.Count(out.String(), line); got != want {
			t.Errorf("%q: %d lines, want %d", line, got, want)
		}
	}
}
