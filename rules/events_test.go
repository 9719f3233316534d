package rules_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestEventsAreRead checks that replaying the audit events of a run gives the same
// findings, plus only those of aud-reported.
func TestEventsAreRead(t *testing.T) {
	all := engine(t, rules.All())
	for _, rule := range rules.All() {
		for _, file := range cases(t, rule.ID) {
			t.Run(rule.ID+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				ar := archive(t, file)
				var log bytes.Buffer
				events, found := report.NewEvents(&log), told{}
				if _, err := against(t, all, ar).Run(context.Background(), source(t, ar), events, found); err != nil {
					t.Fatal(err)
				}
				if err := events.Close(); err != nil {
					t.Fatal(err)
				}
				src, err := replay.Open("log", bytes.NewReader(log.Bytes()), replay.Options{MaxMessage: 1 << 20})
				if err != nil {
					t.Fatal(err)
				}
				again := told{}
				res, err := all.Run(context.Background(), src, again)
				if err != nil {
					t.Fatal(err)
				}
				if n := bytes.Count(log.Bytes(), []byte("\n")); len(res.Coverage.Skipped)+len(res.Coverage.Ignored)+res.Coverage.Noise > 0 || res.Coverage.Inspected != n {
					t.Errorf("of %d lines %d were inspected: %+v", n, res.Coverage.Inspected, res.Coverage)
				}
				for what := range again {
					if !unlike[what[0]] && !found[what] {
						t.Errorf("%s is found in the events only, of\n%s", what, log.String())
					}
				}
			})
		}
	}
}

// unlike contains the rules whose findings differ between an audit event and the message:
// aud-reported for any event, and others for tools, because an event contains neither a tool's
// annotations nor the other tools in its list.
var unlike = map[string]bool{"aud-reported": true, "xs-tool-reference": true, "xs-toxic-flow": true}

// told is a set of findings, identified by rule, server and tool (if any).
type told map[[3]string]bool

func (c told) Event(*scanner.Event, *scanner.Outcome) error { return nil }

func (c told) Finding(f *scanner.Finding) error {
	name := ""
	if f.Subject == mcp.ToolSubject {
		name = f.Name
	}
	c[[3]string{f.Rule.ID, f.Server, name}] = true
	return nil
}
