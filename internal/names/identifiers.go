package names

import (
	"slices"
	"strings"
)

// identifierBytes is the maximum number of bytes of an identifier that are split into words.
const identifierBytes = 400

// Spell writes an identifier as lower-case words: chatHistory, chat_history and CHAT-history all
// become "chat history", and APIKey becomes "api key".
func Spell(identifier string) string {
	return strings.Join(Words(identifier[:min(len(identifier), identifierBytes)]), " ")
}

// LastWord returns the last word of an identifier, in lower case and without trailing digits. In
// most names, this word is the head noun, and finding it is cheaper than splitting the identifier.
func LastWord(identifier string) string {
	letter := func(i int) bool { return identifier[i] >= 0x80 || lowerLetter(identifier[i]|0x20) }
	to := len(identifier)
	for to > 0 && !letter(to-1) {
		to--
	}
	from := to
	for from > 0 && letter(from-1) {
		from--
		if upper := identifier[from] >= 'A' && identifier[from] <= 'Z'; upper &&
			(from > 0 && lowerLetter(identifier[from-1]) || from+1 < to && lowerLetter(identifier[from+1])) {
			break
		}
	}
	return strings.ToLower(identifier[from:to])
}

func lowerLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// Set returns a set of the space-separated words.
func Set(words string) map[string]bool {
	list := strings.Fields(words)
	s := make(map[string]bool, len(list))
	for _, w := range list {
		s[w] = true
	}
	return s
}

// HasWord reports whether a name contains a word of set.
func HasWord(name string, set map[string]bool) bool {
	return slices.ContainsFunc(Words(name), func(w string) bool { return set[w] })
}
