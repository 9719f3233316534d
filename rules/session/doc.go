// Package session inspects calls and results in the context of their session: values that flow from
// one server to another, bursts of calls, paths that leave their directory, and secrets in results.
//
// A rule in this family sees a call or a result together with the earlier calls and values of its
// session. It can refuse a call, but never changes session state or withholds a definition.
//
// Shared with other families:
//
//   - internal/paths: how a server interprets a path
//   - internal/secrets: tokens and placeholders
package session
