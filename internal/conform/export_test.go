package conform

import "github.com/mcpscan/mcpscan/internal/wire"

// Judge checks a value, and reports whether that came to an end: the schema is used, and
// the steps sufficed.
func Judge(schema, value []byte) (v Violation, done bool) {
	var doc wire.Doc
	var r run
	s := read(&doc, schema)
	if s == nil || doc.Parse(value) != nil {
		return v, false
	}
	v = r.check(s, &doc)
	return v, !r.stopped
}

// MaxSteps is what a check may spend, but for its last step.
const MaxSteps = maxSteps

// Steps returns how many steps a check takes.
func Steps(schema, value []byte) int {
	var doc wire.Doc
	var r run
	s := read(&doc, schema)
	if s == nil || doc.Parse(value) != nil {
		return 0
	}
	r.check(s, &doc)
	return r.steps
}

// MessageOf returns what a violation of a keyword is called.
func MessageOf(keyword string) string { return message(keyword) }
