// Package requests inspects what a server requests from a client: sampling, elicitation, addresses
// to follow, and the origins from which an app may load content.
//
// A rule in this family sees server requests, and metadata that clients act on; url-dangerous-scheme
// also sees links in texts, and url-ssrf-target the arguments of calls. No rule fetches an address or
// looks up a host.
//
// Shared with other families:
//
//   - internal/destination: hosts and addresses
//   - internal/secrets: names and values of credentials
//   - internal/clause: the wording of prompts and forms
package requests
