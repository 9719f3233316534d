// Package policy reports what lists, pins and policies of the user decided, and what other
// engines reported.
//
// A rule of this family sees decisions that were made about a message. It never decides
// anything itself.
//
// What it shares with other families:
//
//   - internal/text: names quoted for a message
package policy
