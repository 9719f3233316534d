// Package conform checks JSON values against untrusted JSON Schemas.
//
// It supports drafts 7, 2019-09 and 2020-12. A schema can keep a validator running for ever, so
// each check has a limited number of steps. A value counts as conforming if its check exceeds the
// limit or needs an unsupported feature, so violations may be missed.
package conform

import (
	"github.com/mcpscan/mcpscan/internal/wire"
)

// The limits on checks, and on what is cached.
const (
	maxSchema   = 64 << 10 // bytes of a schema
	maxValue    = 64 << 10 // bytes of a value
	maxSteps    = 250_000  // steps of a check; a step is the application of a schema to a value, or a similar amount of other work
	maxDepth    = 4096     // schemas being applied at the same time
	maxSchemas  = 256      // cached schemas
	minSteps    = 250      // steps below which a successful check is not cached, because it is cheap to repeat
	maxVerdicts = 4096     // cached verdicts
	maxRecalled = 4 << 20  // bytes of violating values cached with their verdicts
)

// Digest identifies a schema or a value.
type Digest = [32]byte

// Checker checks values. It caches schemas and verdicts, because calls repeat. It is not safe
// for concurrent use.
type Checker struct {
	schemas  map[Digest]*schema
	verdicts map[[2]Digest]Violation
	recalled int // bytes of values in verdicts
	text     wire.Doc
	run      run
}

// Violation is the first position in a value that violates a schema.
type Violation struct {
	Pointer string // JSON Pointer into the value
	Offset  int    // offset of the violating text
	Value   string // the violating text
	Message string // what is wrong, or "" if nothing is
}

// Check returns the first violation of a schema; violations are ordered by pointer and then by
// keyword. Schema and value are identified by their digests, and parsed only if the result is not
// cached.
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

// schema returns a compiled schema, or nil if it cannot be used.
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

// message describes a violation of a keyword.
func message(keyword string) string {
	switch keyword {
	case "required", "dependentRequired", "dependency":
		return "lacks a member that the schema requires"
	case "additionalProperties":
		return "has a member that the schema does not define"
	case "propertyNames":
		return "has a member with a name that the schema does not allow"
	case "minProperties":
		return "has fewer members than the schema requires"
	case "maxProperties":
		return "has more members than the schema allows"
	case "type":
		return "has a different type than the schema requires"
	case "enum", "const":
		return "is not one of the values that the schema allows"
	case "anyOf", "oneOf":
		return "matches none of the alternatives in the schema, or more than one"
	}
	return "violates the schema"
}
