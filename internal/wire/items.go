package wire

import (
	"bytes"
	"iter"
)

const space = " \t\r\n"

// Items returns the members or elements of the object or array with which data begins, as raw keys
// (nil in an array) and values. It neither validates them nor limits their number and depth, so it
// also reads the envelope of a message that Parse rejects.
func Items(data []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		data = bytes.TrimLeft(data, space)
		if !BeginsLikeJSON(data) {
			return
		}
		depth, start := 0, 1
		var key []byte
		for i := 0; i < len(data); i++ {
			switch data[i] {
			case '"':
				i = stringEnd(data, i)
			case ':':
				if depth == 1 && key == nil {
					key, start = bytes.Trim(data[start:i], space), i+1
				}
			case '{', '[':
				depth++
			case ',', '}', ']':
				if data[i] != ',' {
					depth--
				}
				if ends := depth == 0; ends || depth == 1 && data[i] == ',' {
					value := bytes.Trim(data[start:i], space)
					if len(value) > 0 && !yield(key, value) || ends {
						return
					}
					key, start = nil, i+1
				}
			}
		}
	}
}

// stringEnd returns the offset of the quote that ends the string at start, or of the end of the data.
func stringEnd(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(data)
}
