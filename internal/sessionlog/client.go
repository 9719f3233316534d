package sessionlog

import (
	"errors"
	"strings"
)

// Client identifies the process that this process serves.
type Client struct {
	Name string // name and process ID, for people
	Key  string // unique on this machine since boot
}

// errNoClient reports that no client was found.
var errNoClient = errors.New("the process that started the proxy cannot be found")

// maxAncestors is the maximum number of processes between a client and a proxy.
const maxAncestors = 16

// plainName reduces a process name to letters, digits and hyphens.
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
