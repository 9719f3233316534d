// Package drift compares definitions, servers and lockfiles with their approved versions, and rates
// each change by what it allows.
//
// A rule in this family sees the approved and the current definition, the lockfile and the identity
// of the server. It never reports poisoned text that has not changed; the other families do that.
//
// Shared with other families:
//
//   - internal/jsonschema: the approved and the current schemas
//   - internal/sense: the meaning of an added sentence
//   - internal/text: the diff of two texts
package drift
