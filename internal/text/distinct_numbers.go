package text

// numberAt returns the end of the long number or IBAN at s[i], or 0 if there is none.
func numberAt(s []byte, i int) int {
	if i > 0 && valueClass[s[i-1]]&wordClass != 0 {
		return 0
	}
	from := i
	iban := i+4 <= len(s) && letter(s[i]) && letter(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3])
	switch {
	case iban:
	case s[i] == '+' && i+1 < len(s) && isDigit(s[i+1]):
		i++
	case !isDigit(s[i]):
		return 0
	}
	digits, chars := 0, 0
	for i < len(s) {
		switch {
		case chars > mostDigits:
			return 0
		case isDigit(s[i]):
			digits++
			chars++
		case iban && letter(s[i]):
			chars++
		case (s[i] == ' ' || s[i] == '-') && i+1 < len(s) && (isDigit(s[i+1]) || iban && ibanGroup(s[i+1:])):
		default:
			return longNumber(s, from, i, iban, digits, chars)
		}
		i++
	}
	return longNumber(s, from, i, iban, digits, chars)
}

// ibanGroup reports whether s begins with a group of an IBAN: four characters, or fewer in the last
// group.
func ibanGroup(s []byte) bool {
	n := 0
	for n < len(s) && valueClass[s[n]]&alnumClass != 0 {
		if n++; n > 4 || lower(s[n-1]) == s[n-1] && !isDigit(s[n-1]) {
			return false
		}
	}
	return n > 0
}

// longNumber returns end if s[from:end] is a number distinctive enough to identify an account,
// otherwise 0.
func longNumber(s []byte, from, end int, iban bool, digits, chars int) int {
	switch {
	case end < len(s) && (valueClass[s[end]]&wordClass != 0 || s[end] == '.' && end+1 < len(s) && isDigit(s[end+1])): // continues as something else
		return 0
	case chars > mostDigits, different(s[from:end]) < 3:
		return 0
	case iban:
		if chars < leastIBAN || 2*digits < chars {
			return 0
		}
	case digits < leastDigits, digits == end-from && digits == 13 && s[from] == '1', dated(s[from:end]): // a time in milliseconds has 13
		return 0
	}
	return end
}

// dated reports whether s begins with a date such as 2024-05-15.
func dated(s []byte) bool {
	return len(s) >= 10 && s[4] == '-' && s[7] == '-' && isDigit(s[0]) && isDigit(s[5]) && isDigit(s[8])
}
