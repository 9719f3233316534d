package main

import (
	"time"

	"github.com/mcpscan/mcpscan/internal/policy"
)

// listing says which servers are listed how.
type listing struct {
	declared   *policy.Lists // servers of mcpscan.yaml, with the environment that they may have; nil for none
	inheritEnv bool          // servers get the whole environment
	named      []string      // variables that the command line passes to the server

	known    lockedServers // to compare servers with
	separate bool          // a server that only shares its own name with another gets a distinct one
	block    bool          // a server whose file was replaced is not started

	clientName string
	version    string // of mcpscan, for its own name
	compare    bool   // each server is listed under two client names

	maxMessage   int64         // bytes
	startTimeout time.Duration // for the first response
	stepTimeout  time.Duration // for each later one
	timeout      time.Duration // for one server, from its start to its last list

	listed func()          // if set, called once a server is listed; it is then watched for changes of its tools
	until  <-chan struct{} // ends that when closed
}
