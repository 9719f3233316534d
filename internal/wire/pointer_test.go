package wire

import "testing"

// TestPointerTokens checks that a key survives escaping and unescaping, and that ~01 is
// ~1 rather than a slash.
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
