package wire

// longText is the minimum size, in bytes, of a text whose values are counted before parsing,
// because the nodes of a long text take more memory than the text itself, and twice that while the
// slice grows.
const longText = 1 << 20

// valuesIn returns an upper bound on the number of values in a text. For valid JSON, it exceeds the
// number by one for each empty container.
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
