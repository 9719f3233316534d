// Package declaration judges what one tool declares about itself: parameters and schemas,
// annotations, and what its name says that it can do.
//
// A rule of this family sees one definition with its JSON Schemas. It never compares it with
// an earlier version; that is rules/drift.
//
// What it shares with other families:
//
//   - internal/jsonschema: walk, check and measure a schema
//   - internal/sensitive: parameters that ask for secrets or the conversation
//   - internal/tools: the tools of a message and their verbs
package declaration
