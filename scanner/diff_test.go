package scanner

import (
	"testing"
)

// TestJudgeIssueDiff checks that the diff of an issue reaches the finding, and does
// not affect the fingerprint.
func TestJudgeIssueDiff(t *testing.T) {
	p := &JudgePass{judge: newJudge(&Engine{}), event: &Event{}, rule: &Rule{ID: "x"}}
	p.judge.places.reset(p.event)
	p.Report(JudgeIssue{Diff: "-a\x07\n+b"})
	p.Report(JudgeIssue{})
	found := p.judge.found.all
	if found[0].Diff != "-a<U+0007>\n+b" || found[1].Diff != "" || found[0].Fingerprint() != found[1].Fingerprint() {
		t.Errorf("found %+v", found)
	}
}
