package wire

// AppendIndented appends node i in canonical order and spelling, one member or element per line,
// indented by two spaces per level. The result has the same canonical form as the node; only the
// original white space, order and spelling are lost.
func (d *Doc) AppendIndented(dst []byte, i, depth int) []byte {
	var open, end byte
	switch d.Kind(i) {
	case Object:
		open, end = '{', '}'
	case Array:
		open, end = '[', ']'
	default:
		return d.AppendCanonical(dst, i)
	}
	dst = append(dst, open)
	if d.Nodes[i].Len == 0 {
		return append(dst, end)
	}
	for k, c := range d.children(i) {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = AppendNewline(dst, depth+1)
		if open == '{' {
			dst = d.AppendCanonicalKey(dst, c)
			dst = append(dst, ": "...)
		}
		dst = d.AppendIndented(dst, c, depth+1)
	}
	return append(AppendNewline(dst, depth), end)
}

// children returns the members of an object in canonical order, or the elements
// of an array.
func (d *Doc) children(i int) []int {
	if d.Kind(i) == Object {
		return d.AppendSorted(nil, i)
	}
	elements := make([]int, 0, d.Nodes[i].Len)
	for c := d.First(i); c >= 0; c = d.Next(c) {
		elements = append(elements, c)
	}
	return elements
}

// AppendNewline appends a newline and the indentation for depth.
func AppendNewline(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}
