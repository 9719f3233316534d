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

// TestLocalReference checks that a reference is decoded except for invalid escapes, and that only
// pointers count.
func TestLocalReference(t *testing.T) {
	for ref, want := range map[string]string{"#": "", "#/$defs/a": "/$defs/a", "#/%24defs/a%20b": "/$defs/a b", "#/%24defs/100%": "/$defs/100%",
		"#%2f%zz%2": "/%zz%2", "#node": "no pointer", "other.json#/a": "no pointer", "": "no pointer"} {
		pointer, ok := LocalReference(ref)
		if !ok {
			pointer = "no pointer"
		}
		if pointer != want {
			t.Errorf("LocalReference(%q) = %q, want %q", ref, pointer, want)
		}
	}
}
