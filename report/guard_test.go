package report

import (
	"strings"
	"testing"
)

func TestLineGuard(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"a ::b::\n":                  "a ::b::\n",
		"::error::x\n":               "<U+003A>:error::x\n",
		"a\n   ::x\n":                "a\n   <U+003A>:x\n",
		":\n::\n: ::\n:a\n :::\n\n:": ":\n<U+003A>:\n: ::\n:a\n <U+003A>::\n\n",
	} {
		for size := 1; size < 5; size++ {
			var b strings.Builder
			g := &lineGuard{w: &b}
			for rest := in; rest != ""; {
				n := min(size, len(rest))
				if k, err := g.Write([]byte(rest[:n])); k != n || err != nil {
					t.Fatal(k, err)
				}
				rest = rest[n:]
			}
			if b.String() != want {
				t.Errorf("%q in pieces of %d becomes %q, want %q", in, size, b.String(), want)
			}
		}
	}
}

// TestNoReportIsACommand: a report that is printed on a runner of a CI system
// gives it no orders, whatever a server says.
func TestNoReportIsACommand(t *testing.T) {
	for _, hostile := range []string{"::add-mask::e", "::stop-commands::x", "##[add-matcher]m.json", "##vso[task.setvariable variable=x]y",
		strings.Repeat("word ", 11) + "::error::x " + strings.Repeat("::error::y ", 40)} {
		r := diffSample(t, hostile+"\n "+hostile+"\n-"+hostile)
		f := &r.Findings[0]
		f.Message, f.Server, f.Subject, f.Tool, f.Rule, f.Location.File = hostile, hostile, hostile, hostile, hostile, hostile
		f.Evidence.Context, f.Signals = hostile, []string{hostile}
		r.Coverage.Skipped[0].Reason, r.Inputs = hostile, []Input{{hostile, hostile}}
		for _, format := range Formats() {
			checkPromise(t, format, render(t, format, r, Options{}))
		}
	}
}
