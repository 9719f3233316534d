// Package requests judges what a server asks of a client: sampling, elicitation, addresses
// that a client follows, and what an app may load.
//
// A rule of this family sees requests of servers and the metadata that clients act on. It
// never fetches an address or looks up a host.
//
// What it shares with other families:
//
//   - internal/destination: where an address leads
//   - internal/secrets: names and values of credentials
//   - internal/clause: what a prompt or a form says
package requests
