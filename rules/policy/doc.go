// Package policy reports decisions based on the user's lists, pins and policies, and detections
// that other engines reported.
//
// A rule in this family sees the decisions about a message, or an audit event of another engine. Only
// VersionPin makes a decision itself: it refuses calls to tools that changed since they were trusted.
//
// Shared with other families:
//
//   - internal/text: quotes names in messages
package policy
