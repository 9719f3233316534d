// Package drift compares definitions, servers and lockfiles with what was approved, and rates each
// change by what it allows.
//
// A rule of this family sees the approved and the current definition, the lockfile and the identity
// of the server. It never reports a poisoned text that has not changed; that is left to the other
// families.
//
// Shared with other families:
//
//   - internal/jsonschema: the schemas of both sides
//   - internal/sense: what an added sentence asks for
//   - internal/text: the diff of two texts
package drift
