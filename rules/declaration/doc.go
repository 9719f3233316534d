// Package declaration inspects the declarations of a tool: its parameters and schemas, its
// annotations, and the abilities that its name indicates.
//
// A rule in this family sees one definition with its JSON Schemas; sch-output-mismatch also sees the
// tool's results. It never compares a definition with an earlier version; rules/drift does that.
//
// Shared with other families:
//
//   - internal/jsonschema: walks, checks and measures a schema
//   - internal/sensitive: parameters that ask for secrets or the conversation
//   - internal/tools: the tools of a message and their verbs
package declaration
