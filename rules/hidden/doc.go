// Package hidden finds text that models read but people do not see: invisible and bidirectional
// characters, terminal sequences, comments in markup, look-alike letters.
//
// Most rules in this family see the characters of each text as sent; hid-markup-comment sees folded
// text, and hid-ui-model-split sees definitions. The rules read the message that invisible characters
// spell, but leave all other encodings to internal/text.
//
// Shared with other families:
//
//   - internal/text: folding and decoding
//   - internal/names: words that mix alphabets
package hidden
