package wire

// longText is from where on the values of a text are counted ahead: the nodes of a long one
// take more memory than the text, and twice that while they are moved to a larger place.
const longText = 1 << 20

// valuesIn counts the values of a text, or more than those where it is no JSON.
func valuesIn(data []byte) int {
	n := 1
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case ',', '[', '{':
			n++
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		}
	}
	return n
}
