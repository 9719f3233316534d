package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

// SettingsFile is the name of mcpscan's own configuration file in the working directory.
const SettingsFile = "mcpscan.yaml"

// MisnamedSettings is a name that users may give the file by mistake. It is not read.
const MisnamedSettings = "mcpscan.yml"

// MaxSettings is the maximum size, in bytes, of a YAML file.
const MaxSettings = 4 << 20

// Settings is mcpscan's own configuration: which rules run, their severities, and the accepted
// findings. docs/configuration.md describes every key.
type Settings struct {
	Path           string
	Profile        ChosenProfile
	AlertThreshold *scanner.Severity // nil if not set
	Similarity     float64           // threshold for server names; 0 if not set
	Detection      Layer             // applies to all servers
	Definitions    *bool             // false disables custom patterns and the rules in textCategories, except in results
	Outputs        OutputInspection
	Patterns       []scanner.CustomPattern
	Overrides      []Override
	Ignores        []Ignore
	Approval       Approval
	CrossServer    CrossServer
	RateLimits     RateLimits
	Policy         *policy.Lists // nil if the file has none
	Idle           []IdleKey

	scopes []scope // in the order in which they were read
}

// IdleKey is a key that has no effect.
type IdleKey struct {
	Pos Position
	Msg string
}

// Approval determines which definitions mcpscan lock approves and which ones it leaves pending. No
// setting approves changes to approved definitions.
type Approval struct {
	Quarantine *bool    // nil means true: new definitions of a known server wait for approval
	TrustFirst *bool    // nil means true: everything that a server offers when first locked is approved
	Skip       []string // globs of servers whose new definitions are approved immediately
}

// Holds reports whether all definitions of a new server wait for approval.
func (a *Approval) Holds() bool { return a.TrustFirst != nil && !*a.TrustFirst }

// Passes reports whether new definitions of a server are approved immediately.
func (a *Approval) Passes(server string) bool {
	return a.Quarantine != nil && !*a.Quarantine || slices.ContainsFunc(a.Skip, func(glob string) bool { return matchesGlob(glob, server) })
}

// Layer determines which rules run and their severities.
type Layer struct {
	Categories map[string]bool // built-in rules by category, on or off
	Rules      map[string]RuleSetting
}

// ChosenProfile is the profile that the file selects. If Name is empty, it changes nothing.
type ChosenProfile struct {
	Name               string
	elsewhere, results Layer
}

// layer returns the profile's layer for results, or for everything else.
func (p *ChosenProfile) layer(output bool) *Layer {
	if output {
		return &p.results
	}
	return &p.elsewhere
}

// RuleSetting changes one rule; a nil field changes nothing.
type RuleSetting struct {
	Severity *scanner.Severity
	Enabled  *bool
}

// Override is a layer for some servers, or some of their tools. Server and Tool are globs; an empty
// one matches all.
type Override struct {
	Server, Tool string
	Layer
	Pos Position
}

// Ignore accepts some findings. An empty criterion matches all; rule, server and tool are globs.
type Ignore struct {
	Rule, Server, Tool, Fingerprint string
	Reason                          string
	Expires                         time.Time // end of the last day; zero for never
	Pos                             Position
}

// Vocabulary lists the names that settings may contain and that other packages define.
type Vocabulary struct {
	Rules    []scanner.Rule // the built-in rules
	Fields   []string       // fields of custom patterns
	Profiles map[string]Profile
}

// Profile contains severities by rule ID. For findings in results, InResults takes precedence over
// Everywhere.
type Profile struct{ Everywhere, InResults map[string]scanner.Severity }

// SettingsError lists all problems in a settings file or TOML policy.
type SettingsError struct {
	Path     string
	Problems []Problem
}

// maxProblems is the maximum number of problems listed: a file with more is probably not a settings
// file.
const maxProblems = 20

// Error returns one line per problem, as path:line:column: message.
func (e *SettingsError) Error() string {
	var lines []string
	for i, p := range e.Problems {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("%s: and %d more", e.Path, len(e.Problems)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("%s:%s: %s", e.Path, p.Pos, p.Msg))
	}
	return strings.Join(lines, "\n")
}

// ParseSettings reads mcpscan's own configuration. It rejects unknown keys, because a misspelled
// one would otherwise have no effect without anyone noticing. The error is a *SettingsError with
// all problems.
func ParseSettings(path string, data []byte, v Vocabulary) (*Settings, error) {
	r := &settingsReader{vocabulary: v, settings: &Settings{Path: path}}
	roots := r.parse(data, parseYAML)
	roots = slices.DeleteFunc(roots, func(n *node) bool { return n.kind == kindNull }) // such as the empty document before a directive
	switch {
	case len(roots) > 1:
		r.fail(roots[1].pos, "more than one YAML document: expected one, without ---")
	case len(roots) == 1:
		r.root(roots[0])
	}
	if err := r.err(path); err != nil {
		return nil, err
	}
	return r.settings, nil
}
