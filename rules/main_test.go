package rules_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often: the tests judge small inputs one after another, and spend a
// fifth of their time on collections otherwise.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
