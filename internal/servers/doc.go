// Package servers describes the servers that a run starts or connects to, and lists what they
// offer.
//
// A Target is one server, from a command, a URL or a client configuration. Known finds its name in
// the lockfile. A Listing selects the servers' environment and time limits, lists many targets in
// parallel, and returns their events server by server. A Disk finds, without running a command, what the
// command starts: a file, or the package that a launcher fetched.
//
// Secrets given to a server are masked in what it sends, in messages about it, and in questions to
// the user. The package never asks for consent: callers remove the targets that must not start.
package servers
