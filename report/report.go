// Package report writes what a run found, in one file for each format.
//
// Every format is rendered from Report, the public JSON form of a run, so a
// saved report can be rendered again. Foreign text arrives here visible, masked
// and bounded; this package must still never write it unescaped for the format
// at hand, and it must never import rules or replay.
package report

import "github.com/mcpscan/mcpscan/scanner"

// Schema names the form of the JSON report. Members are added under the same
// name; a changed meaning gets a new one.
const Schema = "mcpscan.report/v1"

// Report is one run.
type Report struct {
	Schema   string    `json:"schema"`
	Tool     Tool      `json:"tool"`
	Inputs   []Input   `json:"inputs"`
	Config   *Config   `json:"config,omitempty"`   // nil where no configuration file was used
	Baseline string    `json:"baseline,omitempty"` // the report that this one is compared with
	Summary  Summary   `json:"summary"`
	Findings []Finding `json:"findings"`
	Coverage Coverage  `json:"coverage"`

	UnusedIgnores []UnusedIgnore `json:"unused_ignores,omitempty"`
}

// Config is the configuration that a run used.
type Config struct {
	File           string            `json:"file"`                      // empty where the base had none, and what is built in decided
	Changed        []string          `json:"changed,omitempty"`         // files of the change under review that did not decide: the base's did
	AlertThreshold *scanner.Severity `json:"alert_threshold,omitempty"` // below it a finding is no alert
}

// UnusedIgnore is an ignore of the configuration that suppressed nothing.
type UnusedIgnore struct {
	Reason   string   `json:"reason"` // that it gives
	Why      string   `json:"why"`    // it suppressed nothing
	Location Location `json:"location"`
}

// Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Input is something that was looked at: a recording, a definition file, a
// client configuration, a server.
type Input struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Summary counts the inputs and the findings. The counts include suppressed, unchanged and
// approved findings; Hidden counts those below the requested severity, which are not listed.
type Summary struct {
	Servers  int    `json:"servers"`
	Tools    int    `json:"tools"`
	Sessions int    `json:"sessions"`
	Calls    int    `json:"calls"`
	Findings Counts `json:"findings"`
	Hidden   int    `json:"hidden"`

	Suppressed Counts `json:"suppressed"` // of the findings
	Unchanged  Counts `json:"unchanged"`  // of the findings
	Approved   Counts `json:"approved"`   // of the findings

	ServerNames []string   `json:"server_names,omitempty"` // the first by name
	Unlisted    []Unlisted `json:"unlisted,omitempty"`     // of the findings: those that there is no room for, the worst first

	PerSession   []SessionSummary `json:"per_session,omitempty"` // the worst first; none where only definitions were looked at
	MoreSessions int              `json:"more_sessions,omitzero"`
}

// Counts are numbers of findings by severity.
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
	Tool        string           `json:"tool"`    // name of the tool, prompt or resource; empty where there is none
	Field       string           `json:"field"`   // JSON Pointer into the definition, result, message or entry of a configuration
	Evidence    Evidence         `json:"evidence"`
	Signals     []string         `json:"signals,omitempty"` // what fired, in words
	Diff        string           `json:"diff,omitempty"`    // what changed, as a unified diff
	Location    Location         `json:"location"`
	Timestamp   *string          `json:"timestamp"` // RFC 3339 with nanoseconds; null where the input has no time
	Fingerprint string           `json:"fingerprint"`
	Status      string           `json:"status"`           // open, unchanged, suppressed, approved
	Reason      string           `json:"reason,omitempty"` // why it is suppressed, or who approved it
	Action      string           `json:"action"`           // alert, block, record
	Occurrences int              `json:"occurrences"`
	Related     []Related        `json:"related"`
}

// Evidence is the text that a finding rests on.
type Evidence struct {
	Text    string  `json:"text"`
	Context string  `json:"context"`
	Decoded *string `json:"decoded"`
}

// Location is a place in an input. Lines and columns count from 1, columns in
// code points.
type Location struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Pointer string `json:"pointer,omitempty"` // from the root of the document or line, where the message was put together of parts of it
}

// Related is another location of a finding.
type Related struct {
	Message  string   `json:"message"`
	Location Location `json:"location"`
}

// Coverage says what was inspected and what was not. Skipped makes a run incomplete; Ignored
// is what a run need not inspect.
type Coverage struct {
	Events    int       `json:"events"`
	Inspected int       `json:"inspected"`
	Skipped   []Skipped `json:"skipped"`
	Ignored   []Skipped `json:"ignored"`
	Noise     int       `json:"noise"`
	Evicted   int       `json:"evicted"`
}

// Skipped counts what was left out for one reason, with its first location.
type Skipped struct {
	Reason string    `json:"reason"`
	Count  int       `json:"count"`
	First  *Location `json:"first,omitempty"`
}

// Worst returns the highest severity with a finding, and false if there is none.
func (c Counts) Worst() (scanner.Severity, bool) {
	for _, n := range [...]struct {
		count    int
		severity scanner.Severity
	}{{c.Critical, scanner.Critical}, {c.High, scanner.High}, {c.Medium, scanner.Medium}, {c.Low, scanner.Low}, {c.Note, scanner.Note}} {
		if n.count > 0 {
			return n.severity, true
		}
	}
	return 0, false
}
