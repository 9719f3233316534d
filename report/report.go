// Package report writes the results of a run. The source files of a format are named after it.
//
// Every format is rendered from Report, the public JSON form of a run, so a saved report can be
// rendered again. The scanner's findings arrive here masked, bounded, and without control or invisible
// characters, but a saved report may have been edited. This package must escape all text for the
// format at hand, and must never import rules or replay.
package report

import (
	"slices"

	"github.com/mcpscan/mcpscan/scanner"
)

// Schema identifies the format of the JSON report. New members may be added without changing the
// schema's name; a change in meaning requires a new name.
const Schema = "mcpscan.report/v1"

// Report is the report of one run.
type Report struct {
	Schema   string    `json:"schema"`
	Tool     Tool      `json:"tool"`
	Inputs   []Input   `json:"inputs"`
	Config   *Config   `json:"config,omitempty"`   // nil if no configuration file was used or changed
	Baseline string    `json:"baseline,omitempty"` // the report that this one is compared with
	Summary  Summary   `json:"summary"`
	Findings []Finding `json:"findings"`
	Coverage Coverage  `json:"coverage"`

	UnusedIgnores []UnusedIgnore `json:"unused_ignores,omitempty"`
}

// Config is the configuration that a run used.
type Config struct {
	File           string            `json:"file"`                      // empty if the base had none and the built-in settings were used
	Changed        []string          `json:"changed,omitempty"`         // files that the change under review modifies; the base's versions were used
	AlertThreshold *scanner.Severity `json:"alert_threshold,omitempty"` // findings below it are not alerts
}

// UnusedIgnore is a configured ignore that suppressed nothing.
type UnusedIgnore struct {
	Reason   string   `json:"reason"` // as configured
	Why      string   `json:"why"`    // why it suppressed nothing
	Location Location `json:"location"`
}

// Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Input is something that was scanned: a recording, a definition file, a client configuration,
// a server.
type Input struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Summary counts what was inspected and what was found. Findings includes suppressed, unchanged and
// approved findings; Hidden counts findings below the requested severity, which are not listed.
type Summary struct {
	Servers  int    `json:"servers"`
	Tools    int    `json:"tools"`
	Sessions int    `json:"sessions"`
	Calls    int    `json:"calls"`
	Findings Counts `json:"findings"`
	Hidden   int    `json:"hidden"`

	Suppressed Counts `json:"suppressed"` // findings that ignores accept
	Unchanged  Counts `json:"unchanged"`  // findings in the baseline
	Approved   Counts `json:"approved"`   // findings approved in the lockfile

	ServerNames []string   `json:"server_names,omitempty"` // sorted; only the first maxServerNames
	Unlisted    []Unlisted `json:"unlisted,omitempty"`     // findings omitted for lack of room, worst first

	PerSession   []SessionSummary `json:"per_session,omitempty"` // worst first; empty if there was no session
	MoreSessions int              `json:"more_sessions,omitzero"`
}

// Counts holds the number of findings by severity.
type Counts struct {
	Critical int `json:"critical"`
	High     int `json:"high"`
	Medium   int `json:"medium"`
	Low      int `json:"low"`
	Note     int `json:"note"`
}

// Finding is one result of a rule.
type Finding struct {
	Rule        string           `json:"rule"`
	Category    string           `json:"category"`
	Severity    scanner.Severity `json:"severity"`
	Confidence  string           `json:"confidence"`
	Message     string           `json:"message"`
	Session     string           `json:"session"`
	Server      string           `json:"server"`
	Subject     string           `json:"subject"` // tool, prompt, resource, result, call, …
	Tool        string           `json:"tool"`    // name of the tool, prompt or resource, or empty
	Field       string           `json:"field"`   // JSON Pointer into the definition, result, message or configuration entry
	Evidence    Evidence         `json:"evidence"`
	Signals     []string         `json:"signals,omitempty"` // descriptions of the signals that fired
	Diff        string           `json:"diff,omitempty"`    // what changed, as a unified diff
	Location    Location         `json:"location"`
	Timestamp   *string          `json:"timestamp"` // RFC 3339 with nanoseconds; null if the input has no time
	Fingerprint string           `json:"fingerprint"`
	Status      string           `json:"status"`           // open, unchanged, suppressed, approved
	Reason      string           `json:"reason,omitempty"` // why it is suppressed, or who approved it
	Action      string           `json:"action"`           // alert, block, record
	Occurrences int              `json:"occurrences"`
	Last        *Occurrence      `json:"last_occurrence,omitempty"` // nil if the finding has only one location or is in a configuration
	Related     []Related        `json:"related"`
}

// Occurrence is the location and time of an occurrence of a finding.
type Occurrence struct {
	Location  Location `json:"location"`
	Timestamp *string  `json:"timestamp"` // as in Finding
}

// Evidence is the text that a finding is based on.
type Evidence struct {
	Text    string  `json:"text"`
	Context string  `json:"context"`
	Decoded *string `json:"decoded"`
}

// Location is a position in an input. Lines and columns count from 1, columns in code points.
type Location struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Pointer string `json:"pointer,omitempty"` // JSON Pointer from the root of the document or line, if the message was assembled from parts of it
}

// Related is another location that a finding refers to.
type Related struct {
	Message  string   `json:"message"`
	Location Location `json:"location"`
}

// Coverage records what was inspected and what was not. Skipped input makes a run incomplete;
// Ignored input need not be inspected.
type Coverage struct {
	Events    int       `json:"events"`
	Inspected int       `json:"inspected"`
	Skipped   []Skipped `json:"skipped"`
	Ignored   []Skipped `json:"ignored"`
	Noise     int       `json:"noise"`
	Evicted   int       `json:"evicted"`
}

// Skipped counts what was left out for one reason, with the first location.
type Skipped struct {
	Reason string    `json:"reason"`
	Count  int       `json:"count"`
	First  *Location `json:"first,omitempty"`
}

// Worst returns the highest severity with a finding, and false if there is none.
func (c Counts) Worst() (scanner.Severity, bool) {
	for _, s := range slices.Backward(scanner.Severities[:]) {
		if c.Of(s) > 0 {
			return s, true
		}
	}
	return 0, false
}
