package scanner

import (
	"fmt"
	"slices"
)

// Severity rates how much harm the cause of a finding can do.
type Severity uint8

// The severities, in order.
const (
	Note Severity = iota
	Low
	Medium
	High
	Critical
)

// Severities lists all severities in ascending order.
var Severities = [...]Severity{Note, Low, Medium, High, Critical}

var severityNames = [...]string{"note", "low", "medium", "high", "critical"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText encodes the severity as its name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText decodes the name of a severity.
func (s *Severity) UnmarshalText(b []byte) error {
	i := slices.Index(severityNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("unknown severity %q: expected note, low, medium, high or critical", b)
	}
	*s = Severity(i)
	return nil
}

// Confidence is how often a rule is right when it fires.
type Confidence uint8

// The confidences, in order.
const (
	ConfidenceLow Confidence = iota
	ConfidenceMedium
	ConfidenceHigh
)

var confidenceNames = [...]string{"low", "medium", "high"}

func (c Confidence) String() string { return confidenceNames[c] }

// MarshalText encodes the confidence as its name.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
