// Package hidden finds text that models read but people do not see: invisible and bidirectional
// characters, terminal sequences, comments in markup, look-alike letters.
//
// A rule in this family sees the characters of each text as sent. It never decodes text;
// internal/text does that, and the other families inspect the decoded text.
//
// Shared with other families:
//
//   - internal/text: folding and decoding
//   - internal/names: words that mix alphabets
package hidden
