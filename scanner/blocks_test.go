package scanner_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestBlockedResults checks that only the message with a blocking finding is blocked, wherever in a
// batch it is, and that bodies of HTTP responses that are not messages are blocked as well.
func TestBlockedResults(t *testing.T) {
	const clean, bad = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"fine"}]}}`, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"zqmarker"}]}}`
	all := func(*scanner.Finding) bool { return true }
	for _, c := range []struct {
		frame  string
		blocks func(*scanner.Finding) bool
		want   []string // decision about each message
		action string
	}{
		{bad, nil, []string{"allow"}, "alert"},
		{bad, func(*scanner.Finding) bool { return false }, []string{"allow"}, "alert"},
		{bad, all, []string{"block"}, "block"},
		{"[" + clean + "," + bad + "," + clean + "]", all, []string{"allow", "block", "allow"}, "block"},
		{`{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"t","description":"zqmarker"}]}}`, all, []string{"allow"}, "alert"},
		{"http 503: zqmarker", all, []string{"block"}, "block"},
		{`http {"detail":"zqmarker"}`, all, []string{"block"}, "block"},
		{`{"detail":"zqmarker"}`, all, []string{"allow"}, "alert"},
		{`{"error":"invalid_token","error_description":"zqmarker"}`, all, []string{"block"}, "block"},
		{`{"jsonrpc":"2.0","method":"x","params":{"text":"zqmarker"}}`, all, []string{"allow"}, "alert"},
	} {
		var decided []string
		see := only("burst")[0]
		see.ID, see.On, see.Judge = "tst-see", 0, func(p *scanner.JudgePass) {
			d := p.Message.Decision
			decided = append(decided, d.Verdict.String())
			if d.Verdict == scanner.Block && (d.Check != scanner.OutputCheck || d.Rule != "tst-marker" || d.Reason == "") {
				t.Errorf("%s: decided by %+v", c.frame, d)
			}
		}
		e, err := scanner.New([]scanner.Rule{markerRule(), see}, scanner.Options{Blocks: c.blocks})
		if err != nil {
			t.Fatal(err)
		}
		body, overHTTP := strings.CutPrefix(c.frame, "http ")
		sent := frame(0, mcp.ServerToClient, body)
		if overHTTP {
			sent.Transport = "http"
		}
		s := &sink{}
		if _, err := e.Run(context.Background(), &source{[]*scanner.Event{sent}}, s); err != nil {
			t.Fatal(err)
		}
		if len(s.findings) != 1 || s.findings[0].Action != c.action || len(decided) != len(c.want) {
			t.Fatalf("%s: %+v, decided %v", c.frame, s.findings, decided)
		}
		for i := range decided {
			if decided[i] != c.want[i] {
				t.Errorf("%s: decided %v, want %v", c.frame, decided, c.want)
			}
		}
	}
}
