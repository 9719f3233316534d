package text

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"slices"
)

// DistinctKind is the kind of a value that is unlikely to occur in two places by chance.
type DistinctKind uint8

// The kinds of distinctive values. If the same characters match several kinds, the first kind
// counts.
const (
	SecretValue DistinctKind = iota
	EmailValue
	LinkValue
	AccountValue // an account, card or telephone number, or an IBAN
	TokenValue   // an identifier or a random string
	PassageValue // a sentence or a line
	DistinctKinds
)

var distinctNames = [...]string{"a secret", "an e-mail address", "a link", "an account, card or telephone number", "an identifier", "a passage"}

// String returns the kind as it is written in a sentence.
func (k DistinctKind) String() string { return distinctNames[k] }

// Distinct is a distinctive value in a text. The digest identifies the value regardless of case, of
// white space in and around it, of a link's scheme, and of the separators in a number.
type Distinct struct {
	Start, End int
	Kind       DistinctKind
	Digest     uint64
	Base       bool // only looked up: a link without query, a link's host, or a word that could be a secret
}

// The requirements for a value to count as distinctive.
const (
	leastSecret  = 8
	secretKinds  = 8  // distinct characters of a secret; most words have fewer
	leastToken   = 24 // length of a random string
	tokenKinds   = 10 // distinct characters of a random string
	tokenMixed   = 3  // positions in a random string where a letter and a digit are adjacent
	leastDigits  = 11 // digits of a number: a date has 8, and a time in seconds has 10
	mostDigits   = 34 // characters of an IBAN, which also has letters
	leastIBAN    = 15
	leastPassage = 40 // letters and digits of a passage
	passageKinds = 12 // distinct ones among the first leastPassage of them; a row of numbers has fewer
)

// Character classes of values.
const (
	wordClass  = 1 << iota // letters, digits and the marks between them in identifiers
	localClass             // characters of the local part of an e-mail address
	linkClass              // characters of a link
	digitClass
	alnumClass
	addressClass // every link and e-mail address contains at least one of these characters
)

var valueClass = func() (t [256]uint8) {
	for b := range 256 {
		c := lower(byte(b))
		switch {
		case c >= '0' && c <= '9':
			t[b] = wordClass | localClass | linkClass | digitClass | alnumClass
		case c >= 'a' && c <= 'z':
			t[b] = wordClass | localClass | linkClass | alnumClass
		}
	}
	for _, b := range []byte("-_") {
		t[b] |= wordClass
	}
	for _, b := range []byte(".-_+") {
		t[b] |= localClass
	}
	for _, b := range []byte("-._~:/?#@!$&+,;=%") {
		t[b] |= linkClass
	}
	for _, b := range []byte(".:@") {
		t[b] |= addressClass
	}
	return t
}()

// Distincts yields the distinctive values of s: secrets first, passages last. If documentation is set,
// it yields neither secrets nor passages; otherwise, it also returns the spans of the credentials,
// which include the secrets.
func Distincts(s []byte, documentation bool, yield func(Distinct)) (credentials [][2]int) {
	if !documentation {
		credentials = Credentials(s)
		for _, sp := range credentials {
			if d := NewDistinct(s, sp[0], sp[1], SecretValue); Secretive(s[d.Start:d.End]) {
				if opens(s[:d.Start]) {
					d.Kind = TokenValue
				}
				yield(d)
			}
		}
	}
	for i := 0; i < len(s); {
		if valueClass[s[i]]&alnumClass == 0 && s[i] != '+' {
			i++
			continue
		}
		if !letter(s[i]) || i+2 < len(s) && isDigit(s[i+2]) { // nothing else can begin a number or an IBAN
			if end := numberAt(s, i); end > 0 {
				yield(Distinct{Start: i, End: end, Kind: AccountValue, Digest: digestOf(s[i:end], letters)})
				i = end
				continue
			}
		}
		end, seen := i+1, uint8(0)
		for end < len(s) && valueClass[s[end]]&linkClass != 0 {
			seen |= valueClass[s[end]]
			end++
		}
		if end-i >= leastToken || end-i >= leastSecret && seen&addressClass != 0 {
			distinctRun(s, i, end, yield)
		}
		i = end
	}
	if !documentation {
		passagesIn(s, yield)
	}
	return credentials
}

// NewDistinct returns s[start:end] as a value whose kind is known from its context.
func NewDistinct(s []byte, start, end int, kind DistinctKind) Distinct {
	return Distinct{Start: start, End: end, Kind: kind, Digest: digestOf(s[start:end], notSpaces)}
}

// Lookups yields the words of s to look up among known secrets. Such a word is not distinctive by
// itself: it is reported only if it was seen elsewhere as the value of a name such as "password".
func Lookups(s []byte, yield func(Distinct)) {
	if v := bytes.TrimSpace(s); len(v) <= longestLookup && bytes.ContainsAny(v, "&=<>()'\"`") && !bytes.ContainsAny(v, " \t\n") && mixed(v) && Secretive(v) {
		d := NewDistinct(v, 0, len(v), TokenValue) // it may be a password with characters that otherwise delimit secrets
		d.Base = true
		yield(d)
	}
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && !delimitsSecret[s[i]] {
			i++
		}
		end := start + len(bytes.TrimRight(s[start:i], ".,;:!?)"))
		if end-start <= longestLookup && end-start >= leastSecret && (end-start == len(s) || mixed(s[start:end])) && Secretive(s[start:end]) {
			d := NewDistinct(s, start, end, TokenValue)
			d.Base = true
			yield(d)
		}
		i++
	}
}

// longestLookup is the maximum length, in bytes, of a word that is looked up.
const longestLookup = 200

// delimitsSecret marks the characters that delimit a secret.
var delimitsSecret = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '"': true, '\'': true, '`': true, '=': true, '(': true, '<': true, '>': true, '&': true}

// mixed reports whether s has both letters and other characters.
func mixed(s []byte) bool {
	letters, others := 0, 0
	for _, b := range s {
		if isLetter[b] {
			letters++
		} else {
			others++
		}
	}
	return letters > 0 && others > 0
}

// SecretName reports whether a member with this name holds a secret, rather than a pagination token
// or the key that identifies an entry. NamesSecret accepts tokens and keys as well, because it
// decides what is masked, and masking too much does no harm.
func SecretName(key []byte) bool {
	var small [40]byte
	n := 0
	for _, b := range key {
		if letters[b] == 0 {
			continue
		}
		if n == len(small) {
			return false
		}
		small[n] = letters[b]
		n++
	}
	word := small[:n]
	return string(word) == "token" || slices.ContainsFunc(secretNames, func(end string) bool { return bytes.HasSuffix(word, []byte(end)) })
}

// secretNames lists, without word separators, the suffixes of member names that indicate secrets.
var secretNames = []string{"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "secretkey", "privatekey",
	"accesstoken", "authtoken", "apitoken", "bearertoken", "refreshtoken", "sessiontoken", "authorization"}

// Secretive reports whether a string, found where a secret is expected, is more than a placeholder.
func Secretive(s []byte) bool {
	return len(s) >= leastSecret && different(s) >= secretKinds && !placeholder.Match(s)
}

// distinctRun yields the distinctive values in s[start:end], a run of link characters.
func distinctRun(s []byte, start, end int, yield func(Distinct)) {
	of := s[start:end]
	if at := linkIn(of); at >= 0 {
		to := len(bytes.TrimRight(of, ".,;:!?&"))
		link(s, start+at, start+to, yield)
	} else {
		emails(s, start, end, yield)
	}
	if len(of) < leastToken {
		return
	}
	for i := start; i < end; {
		for i < end && valueClass[s[i]]&wordClass == 0 {
			i++
		}
		from := i
		for i < end && valueClass[s[i]]&wordClass != 0 {
			i++
		}
		if random(s[from:i]) {
			yield(NewDistinct(s, from, i, TokenValue))
		}
	}
	// Base64 can contain + and /, which otherwise separate words.
	if v := bytes.TrimRight(of, "="); bytes.ContainsAny(v, "+/") && !bytes.ContainsAny(v, ".:?&@=%,;") && random(v) {
		yield(NewDistinct(s, start, start+len(v), TokenValue))
	}
}

// random reports whether s is long and mixed enough that it would not occur twice by chance.
func random(s []byte) bool {
	if len(s) < leastToken {
		return false
	}
	mixed := 0
	for i := 1; i < len(s); i++ {
		a, b := valueClass[s[i-1]], valueClass[s[i]]
		if a&b&alnumClass != 0 && (a^b)&digitClass != 0 {
			mixed++
		}
	}
	return mixed >= tokenMixed && different(s) >= tokenKinds
}

// different returns the number of distinct bytes in s.
func different(s []byte) (n int) {
	var seen [4]uint64
	for _, b := range s {
		seen[b>>6] |= 1 << (b & 63)
	}
	for _, set := range seen {
		n += bits.OnesCount64(set)
	}
	return n
}

// alnum reports whether b is a letter, a digit, or part of a non-ASCII character.
func alnum(b byte) bool { return valueClass[b]&alnumClass != 0 || b >= 0x80 }

// form normalises a value's bytes for its digest: letters become lower-case, and ignored bytes
// become 0.
type form [256]byte

var (
	letters   = newForm(alnum)                                // letters and digits
	notSpaces = newForm(func(b byte) bool { return b > ' ' }) // everything but white space
)

func newForm(counts func(byte) bool) *form {
	var f form
	for b := range 256 {
		if counts(byte(b)) {
			f[b] = lower(byte(b))
		}
	}
	return &f
}

// maxDigested is the maximum number of a value's bytes that are hashed; a value can be a whole
// message.
const maxDigested = 64 << 10

// digestOf returns the digest of a value normalised by f.
func digestOf(v []byte, f *form) uint64 {
	v = v[:min(len(v), maxDigested)]
	var small [512]byte
	buf := small[:0]
	if len(v) >= len(small) {
		buf = make([]byte, 0, len(v)+1)
	}
	return sumOf(f.append(buf, v))
}

// append appends v, normalised, to dst, which must have room for it.
func (f *form) append(dst, v []byte) []byte {
	n := len(dst)
	dst = dst[:n+len(v)+1]
	for _, b := range v {
		if dst[n] = f[b]; f[b] != 0 {
			n++
		}
	}
	return dst[:n]
}

func sumOf(v []byte) uint64 {
	sum := sha256.Sum256(v)
	return binary.LittleEndian.Uint64(sum[:])
}
