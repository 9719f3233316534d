// Package hidden finds text that models read but people do not see: invisible and bidirectional
// characters, terminal sequences, comments in markup, look-alike letters.
//
// A rule in this family sees the characters of each text as sent. It reads the message that invisible
// characters spell, but leaves all other encodings to internal/text.
//
// Shared with other families:
//
//   - internal/text: folding and decoding
//   - internal/names: words that mix alphabets
package hidden
