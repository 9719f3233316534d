// Package session judges calls and results by what happened before them in the session:
// values that flow from one server to another, bursts, paths that escape, secrets in
// results.
//
// A rule of this family sees a call or a result with the windows of its session. It never
// changes what was recorded, or decides about a definition.
//
// What it shares with other families:
//
//   - internal/paths: how a server reads a path
//   - internal/secrets: tokens and placeholders
package session
