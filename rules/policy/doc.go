// Package policy reports the decisions of the user's lists, pins and policies, and the reports of
// other engines.
//
// A rule in this family sees the decisions about a message. Only VersionPin makes one itself: it
// refuses calls to tools that changed since they were trusted.
//
// Shared with other families:
//
//   - internal/text: quotes names in messages
package policy
