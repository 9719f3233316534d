package text

// Most hints are ordinary words, so these functions check whether the text after a hint can be a
// secret.

// toUser reports whether an @ occurs before any slash or white space.
func toUser(behind []byte) bool {
	for _, b := range behind {
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
func toFlag(behind []byte) bool {
	return len(behind) > 0 && (isAlnum(behind[0]) || behind[0] >= 0x80)
}

// toValue reports whether a colon or an equals sign follows, possibly after a closing quotation
// mark.
func toValue(behind []byte) bool {
	i := 0
	for i < len(behind) && i < 3 && behind[i] == '\\' {
		i++
	}
	if i < len(behind) && (behind[i] == '"' || behind[i] == '\'') {
		i++
	}
	for i < len(behind) && (behind[i] == ' ' || behind[i] >= '\t' && behind[i] <= '\r') {
		i++
	}
	return i < len(behind) && (behind[i] == ':' || behind[i] == '=')
}

// toPort reports whether four digits follow.
func toPort(behind []byte) bool {
	return len(behind) > 4 && digit(behind[0]) && digit(behind[1]) && digit(behind[2]) && digit(behind[3])
}
