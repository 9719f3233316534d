package text

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Credentials returns the spans of the credentials in s, in order of position.
func Credentials(s []byte) (spans [][2]int) {
	keys := bytes.Contains(s, pemMark)
	for start := 0; start < len(s); {
		end := secretsWindow(s, start, keys)
		for _, sp := range secretsIn(s[start:end]) {
			spans = append(spans, [2]int{start + sp[0], start + sp[1]})
		}
		start = end
	}
	return spans
}

// opening matches the text before the value of a secret parameter in a link that grants access by
// itself and is meant to be shared, such as the signature in a signed link or the password in a
// link to a meeting.
var opening = lazyregexp.New(`(?i)[?&;](?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|pwd)=$`)

// opens reports whether s ends right before the value of such a parameter.
func opens(s []byte) bool { return opening.Match(s[max(0, len(s)-labelSize):]) }

// secretsWindow returns the end of the window of s that begins at start and is searched for secrets
// separately: few windows contain any, and only those are slow to search. It ends at white space
// and, if keys is set, after any private key.
func secretsWindow(s []byte, start int, keys bool) int {
	end := min(len(s), start+maskReach)
	if keys {
		end = afterKey(s, start, end)
	}
	for most := min(len(s), end+longReach); end < most && s[end] != ' ' && s[end] != '\n'; {
		end++
	}
	return end
}

// afterKey returns end or, if a private key begins before end and extends past it, the end of that
// key.
func afterKey(s []byte, start, end int) int {
	i := bytes.LastIndex(s[start:end], pemMark)
	if i < 0 {
		return end
	}
	most := min(len(s), start+i+longReach)
	if length := bytes.Index(s[start+i:most], []byte("-----END")); length >= 0 {
		return max(start+i+length, end)
	}
	return most
}

// IsLink reports whether s is a single link and nothing else.
func IsLink(s []byte) bool {
	s = bytes.TrimSpace(s)
	scheme, _, ok := bytes.Cut(s, []byte("://"))
	return ok && len(scheme) <= len("https") && bytes.HasPrefix(bytes.ToLower(scheme), []byte("http")) && !bytes.ContainsAny(s, " \t\n")
}
