package text

import "bytes"

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
func toValue(rest []byte) bool { return len(afterName(rest)) > 0 }

// toList reports whether a list follows a name in the singular or plural.
func toList(rest []byte) bool {
	if len(rest) > 0 && lower(rest[0]) == 's' {
		rest = rest[1:]
	}
	rest = afterName(rest)
	return len(rest) > 1 && bytes.HasPrefix(bytes.TrimLeft(rest[1:], " \t\n\v\f\r"), []byte("["))
}

// afterName skips a closing quotation mark and white space, if any. It returns the rest if that begins
// with a colon or an equals sign, otherwise nil.
func afterName(rest []byte) []byte {
	i := 0
	for i < len(rest) && i < 3 && rest[i] == '\\' {
		i++
	}
	if i < len(rest) && (rest[i] == '"' || rest[i] == '\'') {
		i++
	}
	rest = bytes.TrimLeft(rest[i:], " \t\n\v\f\r")
	if len(rest) == 0 || rest[0] != ':' && rest[0] != '=' {
		return nil
	}
	return rest
}

// toPort reports whether four digits and more text follow.
func toPort(rest []byte) bool {
	return len(rest) > 4 && isDigit(rest[0]) && isDigit(rest[1]) && isDigit(rest[2]) && isDigit(rest[3])
}
