package text

import "bytes"

// passagesIn yields the sentences and lines of s that are long enough. A line break in the middle
// of a sentence does not end a passage.
func passagesIn(s []byte, yield func(Distinct)) {
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && (!mayEnd[s[i]] || !ends(s, i)) {
			continue
		}
		if i-start >= leastPassage {
			passage(s, start, i, yield)
		}
		start = i + 1
	}
}

// mayEnd marks the characters at which a passage can end.
var mayEnd = [256]bool{'"': true, '.': true, '!': true, '?': true, ';': true, '\n': true}

// ends reports whether a passage ends at s[i].
func ends(s []byte, i int) bool {
	switch s[i] {
	case '.', '!', '?', ';':
		return i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n' || s[i+1] == '"' || s[i+1] == '\''
	case '"': // closes a JSON string
		next := bytes.TrimLeft(s[i+1:min(len(s), i+maskReach)], " \t\r\n")
		return len(next) > 0 && (next[0] == ',' || next[0] == ':' || next[0] == '}' || next[0] == ']')
	case '\n':
		next := bytes.TrimLeft(s[i+1:min(len(s), i+maskReach)], " \t\r")
		return len(next) == 0 || next[0] != '"' && next[0] != '\'' && valueClass[next[0]]&alnumClass == 0 || keyed(next)
	}
	return false
}

// keyed reports whether a line begins with a key, as in "sender: Eve", or with the number of a list item.
func keyed(s []byte) bool {
	numbered := true
	for i, b := range s[:min(len(s), labelSize)] {
		if b == ':' || b == '=' {
			return true
		}
		if valueClass[b]&wordClass == 0 {
			return numbered && i > 0 && b == '.'
		}
		numbered = numbered && isDigit(b)
	}
	return false
}

// isLetter marks letters and bytes of non-ASCII characters.
var isLetter = func() (t [256]bool) {
	for b := range 256 {
		t[b] = letter(byte(b)) || b >= 0x80
	}
	return t
}()

// passage yields the sentence s[start:end] if it is long enough, without a leading label.
func passage(s []byte, start, end int, yield func(Distinct)) {
	for start < end && !alnum(s[start]) {
		start++
	}
	if i := bytes.Index(s[start:end], []byte(": ")); i >= 0 && i < labelSize &&
		(passageAt(s, start+i+2, end, yield) || bytes.IndexByte(s[start+i+2:end], ' ') < 0) { // a label and one word are not a sentence
		return
	}
	passageAt(s, start, end, yield)
}

// passageAt yields s[start:end] if it is long enough, and reports whether it did.
func passageAt(s []byte, start, end int, yield func(Distinct)) bool {
	for start < end && !alnum(s[start]) {
		start++
	}
	if end-start < leastPassage {
		return false
	}
	var small [512]byte
	buf := small[:0]
	if end-start >= len(small) {
		buf = make([]byte, 0, end-start+1)
	}
	if buf = letters.append(buf, s[start:end]); len(buf) < leastPassage || different(buf[:leastPassage]) < passageKinds {
		return false
	}
	yield(Distinct{Start: start, End: end, Kind: PassageValue, Digest: sumOf(buf)})
	return true
}
