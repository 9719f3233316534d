// Package drift compares definitions, servers and lockfiles with their approved versions, and rates
// each change by what it allows.
//
// A rule in this family sees the approved and the current definition, the lockfile and the identity
// of the server. It never reports poisoned text that has not changed; the other families do that.
//
// The main files that rate changes in a definition:
//
//   - schema_values.go: types, enums and constants
//   - schema_parameters.go, schema_renames.go: new, renamed, removed and newly required parameters
//   - schema_patterns.go, schema_keywords.go: patterns, and the other keywords of a schema
//   - schema_switches.go: defaults, switches, confirmations and relaxed limits
//   - schema_compare.go: variants, and schemas that are too large to compare
//   - schema_stakes.go: which constraints protect something, because calls to the tool have consequences
//   - outside_data.go, hosts.go: parameters for credentials or the conversation, and values that are addresses
//   - text_weight.go, text_intended.go: texts, and what an added sentence tells the model
//   - annotation_escalation.go, meta_escalation.go, other_member.go: annotations, _meta, other members
//
// Shared with other families:
//
//   - internal/jsonschema: the approved and the current schemas
//   - internal/sense: the meaning of an added sentence
//   - internal/text: the diff of two texts
package drift
