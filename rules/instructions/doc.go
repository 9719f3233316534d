// Package instructions finds instructions to the model in definitions and in results, and
// mentions of what an attack needs.
//
// A rule of this family sees each text folded and decoded, with the clause around a match. It
// never takes the word of the text for its own harmlessness: a denial or an example lowers a
// severity only within bounds.
//
// What it shares with other families:
//
//   - internal/clause: negation, quotation, report and question around a match
//   - internal/sense and internal/reading: sentences by what they say
//   - internal/languages: instructions in languages other than English
package instructions
