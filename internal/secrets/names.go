package secrets

import (
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// NamesSecret reports whether a variable, header or flag is named like a secret.
func NamesSecret(name string) bool {
	return (text.NamesSecret(name) || authHeader.MatchString(name)) && !PublicName.MatchString(name)
}

var authHeader = lazyregexp.New(`(?i)^(?:authorization|proxy-authorization|cookie|x-(?:[a-z0-9]+-)*(?:key|token|secret))$`)

var PublicName = lazyregexp.New(`(?i)public|publishable|token_?(?:url|path|file|endpoint|limit|type|count)|max_?tokens?|` +
	`(?:sort|primary|partition|foreign|cache|public|project)[_-]?key|key[_-]?(?:id|name|path|file)$`)
