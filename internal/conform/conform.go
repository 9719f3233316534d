// Package conform checks JSON values against JSON Schemas that nobody vouches for.
//
// It reads the drafts 7, 2019-09 and 2020-12. A schema can be written so that a validator
// never ends, so each check has a number of steps. What cannot be checked within them, or
// is not supported, conforms: a violation may be missed, and none is ever invented.
package conform

import (
	"github.com/mcpscan/mcpscan/internal/wire"
)

// The bounds of what is checked, and of what is remembered of it.
const (
	maxSchema   = 64 << 10 // bytes of a schema
	maxValue    = 64 << 10 // bytes of a value
	maxSteps    = 250_000  // of one check: a step is a schema applied to a value, or as much work
	maxDepth    = 4096     // schemas that are being applied at a time
	maxSchemas  = 256      // schemas that are kept
	minSteps    = 250      // of a check whose verdict is kept: one that takes longer than finding it again
	maxVerdicts = 4096     // values of which it is known whether they conform
	maxRecalled = 4 << 20  // bytes of values that violate a schema, kept with their verdicts
)

// Digest stands for a text that is compared with others.
type Digest = [32]byte

// Checker checks values, and remembers schemas and verdicts: calls repeat. It is for
// one goroutine.
type Checker struct {
	schemas  map[Digest]*schema
	verdicts map[[2]Digest]Violation
	recalled int // bytes of values in verdicts
	text     wire.Doc
	run      run
}

// Violation is the first place of a value that violates a schema.
type Violation struct {
	Pointer string // JSON Pointer into the value
	Offset  int    // of the text there
	Value   string // the text there
	Message string // what is wrong, "" where nothing is
}

// Check returns the first place of a value that violates a schema: the first by its
// pointer, and then by the keyword. Both texts are known by their digests, and read only
// where they were not seen before.
func (c *Checker) Check(schemaDigest, valueDigest Digest, schema, value []byte) Violation {
	if len(value) > maxValue {
		return Violation{}
	}
	s := c.schema(schemaDigest, schema)
	if s == nil {
		return Violation{}
	}
	key := [2]Digest{schemaDigest, valueDigest}
	v, known := c.verdicts[key]
	if known || c.text.Parse(value) != nil {
		return v
	}
	if v = c.run.check(s, &c.text); v.Message == "" && c.run.steps < minSteps {
		return v
	}
	if c.verdicts == nil || len(c.verdicts) >= maxVerdicts || c.recalled+len(v.Value) > maxRecalled {
		c.verdicts, c.recalled = map[[2]Digest]Violation{}, 0
	}
	c.verdicts[key] = v
	c.recalled += len(v.Value)
	return v
}

// schema returns a schema, nil for one that is not used.
func (c *Checker) schema(d Digest, text []byte) *schema {
	s, known := c.schemas[d]
	if !known {
		s = read(&c.text, text)
		if c.schemas == nil || len(c.schemas) >= maxSchemas {
			c.schemas = map[Digest]*schema{}
		}
		c.schemas[d] = s
	}
	return s
}

// message says what a violation of a keyword is.
func message(keyword string) string {
	switch keyword {
	case "required", "dependentRequired", "dependency", "minProperties":
		return "lacks a member that the schema requires"
	case "additionalProperties", "propertyNames", "maxProperties":
		return "has a member that the schema does not know"
	case "type":
		return "has another type than the schema says"
	case "enum", "const":
		return "is none of the values that the schema allows"
	case "anyOf", "oneOf":
		return "fits none of the forms that the schema allows, or more than one"
	}
	return "is not what the schema allows"
}
