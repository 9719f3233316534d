package conform

import "github.com/mcpscan/mcpscan/internal/wire"

// Both returns what the shape of a schema says of a value, and what the validator does.
func Both(schema, value string) (sure bool, b Breach) {
	var doc wire.Doc
	s := read([]byte(schema))
	if s.shape == nil || doc.Parse([]byte(value)) != nil || !tame(&doc) {
		return false, Breach{}
	}
	var buf []byte
	b = s.check([]byte(schema), &doc)
	return s.compiled != nil && s.shape.surely(&doc, 0, &buf), b
}
