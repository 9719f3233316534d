package wire

// Names shares the memory of short strings that recur, such as keys, names and types. It remembers the
// last string for each of a fixed number of hashes, so its own memory is bounded. The zero value is
// ready for use, and so is nil, which shares nothing.
type Names struct{ known [1 << nameBits]string }

// nameBits is the number of bits of a hash: the names of a few servers fit.
const nameBits = 9

// longestName is the maximum length, in bytes, of a string that is shared.
const longestName = 64

// String returns s as a string.
func (n *Names) String(s []byte) string {
	if n == nil || len(s) > longestName {
		return string(s)
	}
	hash := uint32(len(s))
	for _, b := range s {
		hash = (hash ^ uint32(b)) * 16777619
	}
	known := &n.known[hash>>(32-nameBits)]
	if *known != string(s) {
		*known = string(s)
	}
	return *known
}
