// Package hidden finds text that a person does not see and a model does: invisible and
// bidirectional characters, terminal sequences, comments in markup, look-alike letters.
//
// A rule of this family sees the characters of each text as they were sent. It never decodes;
// internal/text has done that, and what was decoded is judged by the other families.
//
// What it shares with other families:
//
//   - internal/text: folding and decoding
//   - internal/names: words that mix alphabets
package hidden
