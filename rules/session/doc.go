// Package session inspects messages in the context of their session: values that flow from one server to
// another, bursts of calls, floods of messages, paths that leave their directory, and secrets.
//
// A rule in this family sees a message together with the earlier calls and values of its session. It can
// refuse a call, but never changes session state or withholds a definition.
//
// Shared with other families:
//
//   - internal/paths: how a server interprets a path
//   - internal/secrets: tokens and placeholders
package session
