package conform

import "github.com/mcpscan/mcpscan/internal/wire"

// Judge checks a value. done reports whether the schema was usable and the check ran to its end.
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

// MaxSteps is the maximum number of steps of a check. Only the check's last operation may exceed
// it.
const MaxSteps = maxSteps

// Steps returns the number of steps that a check takes.
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

// MessageOf returns the message for a violation of a keyword.
func MessageOf(keyword string) string { return message(keyword) }
