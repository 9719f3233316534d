package baseline

import (
	"testing"
	"time"
)

// TestStated checks that an approval counts only if people can read who gave it and why.
func TestStated(t *testing.T) {
	at := time.Date(2026, 1, 6, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		by, reason string
		want       bool
	}{
		{"ann", "reviewed", true},
		{"安娜", "已审查", true},
		{"ann", "", false},
		{"ann", " \t", false},
		{"ann", "\u200b", false},
		{"\u3164", "reviewed", false},
		{FirstUse, "reviewed", false},
		{FirstUse + "\u200b", "reviewed", false},
		{" " + Auto, "reviewed", false},
	} {
		if got := (&Approval{By: tt.by, At: at, Reason: tt.reason}).stated(); got != tt.want {
			t.Errorf("by %q because %q: %v", tt.by, tt.reason, got)
		}
	}
}
