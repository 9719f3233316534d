package main

import (
	"errors"
)

// eventsFlags selects the file for audit events.
type eventsFlags struct {
	Events string `help:"Write audit events to this file, one JSON object per line." placeholder:"FILE"`
}

// withLost adds the error about an incomplete file to the exit error. An exit code in err takes
// precedence.
func withLost(err, lost error) error {
	if lost == nil {
		return err
	}
	exit := exitOf(err)
	return &exitError{exit.code, errors.Join(exit.err, lost)}
}
