// Package servers knows the servers that a run starts or connects to, and lists what they offer.
//
// A Target is one server, from a command, a URL or a client configuration. Known gives it the name
// that the lockfile has for it. A Listing selects its environment and time limits, and returns the
// events of many targets in order, live as they answer. A Disk finds what a command starts: its file,
// or the package that a launcher fetched, without running it.
//
// Whatever a server was given in secret is masked in what it sends, in messages about it, and when a
// user is asked about it. The package never asks: callers remove the targets that must not start.
package servers
