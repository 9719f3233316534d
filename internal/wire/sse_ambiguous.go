package wire

import "bytes"

// AmbiguousReason is the reason given for refusing or counting lines for which AmbiguousEvent is
// true. Python's str.splitlines, with which some clients split event streams, ends lines at more
// characters than the WHATWG HTML standard; go-sdk ends them at fewer. Such clients can read an
// event in what others read as a comment or an unknown field, or the reverse.
const AmbiguousReason = "clients read different events, because some end lines at control characters, U+0085, U+2028 and U+2029, some end them only at line feeds, and some read each line of data on its own"

// AmbiguousEvent reports whether clients may read different events from lines of an event stream: a
// line is ambiguous, the data is ambiguous, or the data ends inside a JSON value and a line ends at a
// lone carriage return, after which go-sdk reads on.
func AmbiguousEvent(lines, data []byte) bool {
	returns := false
	for len(lines) > 0 {
		line := lines
		if i := bytes.IndexAny(lines, "\r\n"); i >= 0 {
			line, lines = lines[:i], lines[i:]
			returns = returns || len(lines) > 1 && lines[0] == '\r' && lines[1] != '\n'
			lines = lines[1:]
		} else {
			lines = nil
		}
		if ambiguousLine(line) {
			return true
		}
	}
	return returns && Unfinished(data) || AmbiguousData(data)
}

// textBOM is the UTF-8 byte order mark read as Latin-1, which eventsource-parser, the parser of the
// TypeScript SDK, drops at the start of a stream.
const textBOM = "\u00EF\u00BB\u00BF"

// ambiguousLine reports whether clients may read a line other than data differently: it contains a
// character at which some clients end lines, or begins like a message or with textBOM.
func ambiguousLine(line []byte) bool {
	line = bytes.TrimPrefix(line, []byte(bom))
	name, _, _ := bytes.Cut(line, []byte(":"))
	return string(name) != "data" && (EndsElsewhere(line) || BeginsLikeJSON(bytes.TrimLeftFunc(line, isBlank)) || bytes.HasPrefix(line, []byte(textBOM)))
}

// AmbiguousData reports whether clients may read different events from the data of an event: the
// data is not JSON, and it contains a character at which some clients end lines, or an object at
// the start of a line, which some clients read on its own (mcp-go, and many others that split
// streams into lines). JSON is not considered ambiguous: such characters can occur in it only
// inside a string, and a client that reads each line on its own fails at the first line of a value
// of several lines.
func AmbiguousData(data []byte) bool {
	if !EndsElsewhere(data) && !ObjectAfter(data, "\n") {
		return false
	}
	_, err := Skim(data, MaxNodes)
	return err != nil
}

// EndsElsewhere reports whether a line contains a character at which Python's str.splitlines ends
// lines, but the WHATWG HTML standard does not.
func EndsElsewhere(line []byte) bool {
	for i, b := range line {
		switch b {
		case '\v', '\f', 0x1C, 0x1D, 0x1E:
			return true
		case 0xC2:
			if i+1 < len(line) && line[i+1] == 0x85 {
				return true
			}
		case 0xE2:
			if rest := line[i+1:]; len(rest) >= 2 && rest[0] == 0x80 && (rest[1] == 0xA8 || rest[1] == 0xA9) {
				return true
			}
		}
	}
	return false
}
