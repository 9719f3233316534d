// Package requests inspects what a server asks of a client: sampling, elicitation, addresses that
// clients follow, and what an app may load.
//
// A rule of this family sees server requests and the metadata that clients act on. It never fetches
// an address or looks up a host.
//
// Shared with other families:
//
//   - internal/destination: where an address leads
//   - internal/secrets: names and values of credentials
//   - internal/clause: the wording of prompts and forms
package requests
