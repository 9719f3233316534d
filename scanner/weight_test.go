package scanner

import "testing"

// TestWeight checks that a low-confidence rule's findings above low weigh less than their severity.
func TestWeight(t *testing.T) {
	for _, c := range []struct {
		confidence     Confidence
		severity, want Severity
	}{
		{ConfidenceMedium, High, High}, {ConfidenceMedium, Medium, Medium},
		{ConfidenceLow, Critical, High}, {ConfidenceLow, High, Medium}, {ConfidenceLow, Medium, Note}, {ConfidenceLow, Low, Low},
	} {
		f := Finding{Rule: &Rule{Confidence: c.confidence}, Severity: c.severity}
		if got := f.Weight(); got != c.want {
			t.Errorf("%s at confidence %d: %s, want %s", c.severity, c.confidence, got, c.want)
		}
	}
}
