// Package instructions finds instructions to the model in definitions and results, and mentions of
// credentials, commands and paths that an attack needs.
//
// A rule in this family sees each text folded and decoded, with the clause around a match;
// inj-out-of-place sees lines as sent. No rule fully trusts a text's claim to be harmless: a negation,
// or calling the text an example, prevents a finding or lowers its severity only within limits.
//
// Shared with other families:
//
//   - internal/clause: negation, quotation, reports and questions around a match
//   - internal/sense and internal/reading: classification of sentences by meaning
//   - internal/languages: instructions in languages other than English
package instructions
