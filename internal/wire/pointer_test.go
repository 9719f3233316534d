package wire

import "testing"

// TestPointerTokens: a key is the same after it was written into a pointer and read out
// of it, and ~01 is ~1 and no slash.
func TestPointerTokens(t *testing.T) {
	for key, token := range map[string]string{"": "", "plain": "plain", "a/b": "a~1b", "m~n": "m~0n", "~1": "~01", "~/~0": "~0~1~00"} {
		if got := EscapePointer(key); got != token {
			t.Errorf("EscapePointer(%q) = %q, want %q", key, got, token)
		}
		if got := UnescapePointer(token); got != key {
			t.Errorf("UnescapePointer(%q) = %q, want %q", token, got, key)
		}
	}
}
