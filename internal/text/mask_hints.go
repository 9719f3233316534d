package text

// Most hints are ordinary words, so these functions check whether the text after a hint can be a
// secret.

// toUser reports whether an @ occurs before any slash or white space.
func toUser(rest []byte) bool {
	for _, b := range rest {
		switch b {
		case '@':
			return true
		case '/', ' ', '\t', '\n', '\f', '\r':
			return false
		}
	}
	return false
}

// toFlag reports whether the text starts with a flag name.
func toFlag(rest []byte) bool {
	return len(rest) > 0 && (isAlnum(rest[0]) || rest[0] >= 0x80)
}

// toValue reports whether a colon or an equals sign follows, possibly after a closing quotation
// mark.
func toValue(rest []byte) bool {
	i := 0
	for i < len(rest) && i < 3 && rest[i] == '\\' {
		i++
	}
	if i < len(rest) && (rest[i] == '"' || rest[i] == '\'') {
		i++
	}
	for i < len(rest) && (rest[i] == ' ' || rest[i] >= '\t' && rest[i] <= '\r') {
		i++
	}
	return i < len(rest) && (rest[i] == ':' || rest[i] == '=')
}

// toPort reports whether four digits and more text follow.
func toPort(rest []byte) bool {
	return len(rest) > 4 && digit(rest[0]) && digit(rest[1]) && digit(rest[2]) && digit(rest[3])
}
