package proxy

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/sessionlog"
	"github.com/mcpscan/mcpscan/internal/text"
)

// sessionSecrets masks the secrets that the servers of the other proxies in a session were given. The
// session contains only their digests, so a proxy learns a secret only from a message that contains it
// in plain form; from then on, the secret is masked in every form that text.Secrets recognises.
type sessionSecrets struct {
	mu      sync.Mutex
	digests map[int][]secretDigest // of secrets that are not known yet, by their length
	count   int
	found   []string
	masks   text.Secrets // built from found
}

// secretDigest is what a proxy writes about a secret to the session.
type secretDigest struct {
	check uint8 // rules out most other texts without computing sum, and reveals little about the secret
	sum   [16]byte
	salt  string
}

const (
	leastShared = 8    // minimum length in bytes: shorter secrets are easily guessed from a digest
	mostShared  = 1024 // maximum length in bytes
	maxDigests  = 1024 // digests from all proxies in a session
	maxGiven    = 64   // secrets that one proxy shares
	givenMark   = "given "
)

func newSecretDigest(salt string, secret []byte) secretDigest {
	sum := sha256.Sum256(append([]byte(salt), secret...))
	return secretDigest{check: checkOf(secret), sum: [16]byte(sum[:16]), salt: salt}
}

func checkOf(secret []byte) uint8 {
	h := fnv.New32a()
	h.Write(secret)
	return uint8(h.Sum32())
}

// givenEntry returns the entry with the digests of the secrets that a server was given, or nil if there
// are none to share. Words are not shared: they occur in other servers' messages anyway.
func givenEntry(secrets []string) []sessionlog.Entry {
	salt := rand.Text()
	line := []byte(givenMark + salt)
	count := 0
	for _, s := range secrets {
		if len(s) < leastShared || len(s) > mostShared || text.IsWord(s) || count == maxGiven {
			continue
		}
		count++
		d := newSecretDigest(salt, []byte(s))
		line = fmt.Appendf(line, " %d:%02x:%x", len(s), d.check, d.sum)
	}
	if count == 0 {
		return nil
	}
	return []sessionlog.Entry{{Data: line, Keep: true}}
}

// learn takes the digests from another proxy's entry, and reports whether the entry contains digests.
func (s *sessionSecrets) learn(entry []byte) bool {
	rest, ok := strings.CutPrefix(string(entry), givenMark)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	salt, list, _ := strings.Cut(rest, " ")
	if len(salt) > mostShared {
		return true
	}
	for field := range strings.FieldsSeq(list) {
		var length int
		var sum []byte
		d := secretDigest{salt: salt}
		if n, err := fmt.Sscanf(field, "%d:%02x:%x", &length, &d.check, &sum); n != 3 || err != nil || len(sum) != len(d.sum) ||
			length < leastShared || length > mostShared || s.count == maxDigests {
			continue
		}
		d.sum = [16]byte(sum)
		if s.count++; s.digests == nil {
			s.digests = map[int][]secretDigest{}
		}
		s.digests[length] = append(s.digests[length], d)
	}
	return true
}

// mask masks the secrets of other servers in a message.
func (s *sessionSecrets) mask(message []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := len(s.found)
	for length := range s.digests {
		s.search(message, length)
	}
	if len(s.found) > known {
		s.masks = text.NewSecrets(s.found, nil)
	}
	return s.masks.MaskMessage(message)
}

// search searches a message for secrets of one length, at the places where a word can begin and end.
func (s *sessionSecrets) search(message []byte, length int) {
	for at := 0; at+length <= len(message); at++ {
		if !separates(message, at) || !separates(message, at+length) {
			continue
		}
		value := message[at : at+length]
		check := checkOf(value)
		is := func(d secretDigest) bool { return d.check == check && newSecretDigest(d.salt, value) == d }
		if slices.ContainsFunc(s.digests[length], is) {
			s.found = append(s.found, string(value))
			s.digests[length] = slices.DeleteFunc(s.digests[length], is)
		}
	}
	if len(s.digests[length]) == 0 {
		delete(s.digests, length)
	}
}

// separates reports whether a word can begin or end at an offset. A letter after a backslash belongs to
// an escape sequence, and not to the word that follows.
func separates(message []byte, at int) bool {
	if at == 0 || at == len(message) || !alphanumeric(message[at-1]) || !alphanumeric(message[at]) {
		return true
	}
	return at > 1 && message[at-2] == '\\'
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
