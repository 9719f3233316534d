// Package declaration inspects the declarations of a tool: its parameters and schemas, its
// annotations, and the abilities that its name indicates.
//
// A rule in this family sees the tools of one message with their JSON Schemas; sch-output-mismatch sees
// a tool's results and its output schema. No rule compares a definition with an earlier version;
// rules/drift does that.
//
// Shared with other families:
//
//   - internal/jsonschema: walks, checks and measures a schema
//   - internal/sensitive: parameters that ask for secrets or the conversation
//   - internal/tools: the tools of a message and their verbs
package declaration
