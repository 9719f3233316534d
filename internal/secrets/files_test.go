package secrets

import (
	"strings"
	"testing"
)

// TestPublicFile checks which paths name public keys. The end is after ".ssh/".
func TestPublicFile(t *testing.T) {
	for path, want := range map[string]bool{
		"~/.ssh/id_rsa.pub":                            true,
		"(`~/.ssh/<key>.pub`).":                        true,
		"read ~/.ssh/id_rsa.pub now":                   true,
		"~/.ssh/id_rsa":                                false,
		"~/.ssh/id_rsa(.pub)":                          false,
		"~/.ssh/id_rsa,~/.ssh/k.pub":                   false,
		"~/.ssh/k.pub/../id_rsa":                       false,
		"~/.ssh/id_rsa and x.pub":                      false,
		strings.Repeat("a", 100) + "~/.ssh/id_rsa.pub": false,
	} {
		if got := PublicFile(path, strings.Index(path, ".ssh/")+len(".ssh/")); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
