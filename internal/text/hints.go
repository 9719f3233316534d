package text

// What is behind a hint, where it tells that there is no secret: most hints are words.

// toUser reports whether an @ comes ahead of a slash or white space.
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

// toFlag reports whether the name of a flag comes.
func toFlag(behind []byte) bool {
	return len(behind) > 0 && (isAlnum(behind[0]) || behind[0] >= 0x80)
}

// toValue reports whether a colon or an equals sign comes, behind the end of a string or not.
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

// toPort reports whether four digits come.
func toPort(behind []byte) bool {
	return len(behind) > 4 && digit(behind[0]) && digit(behind[1]) && digit(behind[2]) && digit(behind[3])
}
