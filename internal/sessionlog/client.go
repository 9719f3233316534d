package sessionlog

import (
	"errors"
	"strings"
)

// Client is the process that this one serves.
type Client struct {
	Name string // for a reader: what it is called, and its process ID
	Key  string // what no other process of this machine has had since it was started
}

// errNoClient says that no client was found.
var errNoClient = errors.New("the process that started the proxy cannot be found")

// maxAncestors bounds the processes between a client and a proxy.
const maxAncestors = 16

// plainName is a name of a process with nothing in it but letters, digits and hyphens.
func plainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	if plain = strings.Trim(plain[:min(len(plain), 24)], "-"); plain == "" {
		return "client"
	}
	return plain
}
