package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// SettingsFile is the name under which mcpscan's own configuration is looked for
// in the working directory.
const SettingsFile = "mcpscan.yaml"

// MaxSettings is the length of the longest file in YAML that is read, in bytes.
const MaxSettings = 4 << 20

// Settings are mcpscan's own configuration: what is checked where, how much it
// weighs, and what somebody has decided to accept. docs/configuration.md tells
// every key.
type Settings struct {
	Path           string
	Profile        ChosenProfile
	AlertThreshold *scanner.Severity // nil where the file does not say
	Similarity     float64           // of server names; 0 where the file does not say
	Detection      Layer             // for all servers
	Definitions    *bool             // false: nothing is looked for in texts but those of results
	Outputs        OutputInspection
	Patterns       []CustomPattern
	Overrides      []Override
	Ignores        []Ignore
	Approval       Approval
	CrossServer    CrossServer
	RateLimits     RateLimits
	Policy         *policy.Lists // nil where the file has none
	Idle           []IdleKey
}

// IdleKey is a key of agentsh or MCPProxy that is accepted and has no effect here.
type IdleKey struct {
	Pos Position
	Msg string
}

// Approval says what mcpscan lock approves without being asked. Nothing lets a
// change of what was approved pass.
type Approval struct {
	Quarantine *bool    // nil is on: new definitions of a known server wait for approval
	TrustFirst *bool    // nil is on: what a server offers when it is locked for the first time is approved
	Skip       []string // globs of servers whose new definitions do not wait
}

// Holds reports whether even a server that is met for the first time waits.
func (a *Approval) Holds() bool { return a.TrustFirst != nil && !*a.TrustFirst }

// Passes reports whether new definitions of a server are approved at once.
func (a *Approval) Passes(server string) bool {
	return a.Quarantine != nil && !*a.Quarantine || slices.ContainsFunc(a.Skip, func(glob string) bool { return globs(glob, server) })
}

// Layer says which rules run and what they weigh.
type Layer struct {
	Categories map[string]bool // of built-in rules, on or off
	Rules      map[string]RuleSetting
}

// ChosenProfile is the profile that the file names; without a name it changes nothing.
type ChosenProfile struct {
	Name               string
	elsewhere, results Layer
}

// layer returns what the profile says of what is in results, or of all else.
func (p *ChosenProfile) layer(output bool) *Layer {
	if output {
		return &p.results
	}
	return &p.elsewhere
}

// RuleSetting changes one rule; nil leaves it as it is.
type RuleSetting struct {
	Severity *scanner.Severity
	Enabled  *bool
}

// Override is a layer for some servers, or some of their tools: globs, of which
// an empty one matches all.
type Override struct {
	Server, Tool string
	Layer
	Pos Position
}

// CustomPattern is a pattern that the user added. ID is that of its rule.
type CustomPattern struct {
	ID          string
	Category    string
	Severity    scanner.Severity
	Description string
	Fields      []string
	Pattern     text.Pattern
	Pos         Position
}

// Ignore is the decision to accept some findings. An empty criterion matches all;
// rule, server and tool are globs.
type Ignore struct {
	Rule, Server, Tool, Fingerprint string
	Reason                          string
	Expires                         time.Time // the end of its last day; zero for never
	Pos                             Position
}

// Vocabulary are the names that settings may use and this package cannot know.
type Vocabulary struct {
	Rules    []scanner.Rule // those that are built in
	Fields   []string       // of custom patterns
	Profiles map[string]Profile
}

// Profile are severities by rule: of all that it finds, and of what it finds in results
// where that is another one.
type Profile struct{ Everywhere, InResults map[string]scanner.Severity }

// SettingsError lists all that is wrong with a settings file.
type SettingsError struct {
	Path     string
	Problems []Problem
}

// maxProblems bounds the list: behind that many the file is something else.
const maxProblems = 20

// Error gives one line for each problem, as path:line:column: message.
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

// ParseSettings reads mcpscan's own configuration. It is strict, because a key
// that is misspelled would otherwise protect nobody: the error is a
// *SettingsError with everything that is wrong.
func ParseSettings(path string, data []byte, v Vocabulary) (*Settings, error) {
	r := &settingsReader{vocabulary: v, settings: &Settings{Path: path}}
	plain, failed := plainText(data)
	var roots []*node
	if failed == nil {
		roots, failed = parseYAML(plain)
	}
	switch {
	case failed != nil:
		r.fail(Position{Line: failed.Line, Column: failed.Column}, "%s", failed.Msg)
	case len(roots) > 1:
		r.fail(roots[1].pos, "a second document: expected one, without ---")
	case len(roots) == 1 && roots[0].kind != kindNull:
		r.root(roots[0])
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Pos.Compare(b.Pos) })
		return nil, &SettingsError{path, r.problems}
	}
	return r.settings, nil
}

// layers returns what applies to a server and a tool, in results or in all else, what
// counts most last.
func (s *Settings) layers(server, tool string, output bool) []*Layer {
	layers := []*Layer{s.Profile.layer(output), &s.Detection}
	for _, forTools := range [...]bool{false, true} {
		for i := range s.Overrides {
			o := &s.Overrides[i]
			if (o.Tool != "") == forTools && globs(o.Server, server) && globs(o.Tool, tool) {
				layers = append(layers, &o.Layer)
			}
		}
	}
	return layers
}

// apply changes what is known of a rule, in results or in all else, by what the layer
// says. What is found in a result has two categories, and neither may be off.
func (l *Layer) apply(r *scanner.Rule, output bool, to *RuleSetting) {
	on, ok := l.Categories[r.Category]
	if there, too := l.Categories[scanner.OutputPoisoning]; too && output {
		on, ok = there && (on || !ok), true
	}
	if ok && !strings.HasPrefix(r.ID, scanner.CustomGroup) && !(on && r.OptIn) {
		to.Enabled = &on
	}
	set := l.Rules[r.ID]
	to.Severity = cmp.Or(set.Severity, to.Severity)
	to.Enabled = cmp.Or(set.Enabled, to.Enabled)
}

// base returns what is known of a rule before any layer.
func (s *Settings) base(r *scanner.Rule, output bool) (set RuleSetting) {
	if set.Enabled = s.asked(r, output); set.Enabled == nil && r.OptIn {
		set.Enabled = new(bool)
	}
	return set
}

// Rule returns what the settings say of a rule where no override speaks, and
// whether it runs anywhere.
func (s *Settings) Rule(r *scanner.Rule) (set RuleSetting, runs bool) {
	if set, runs = s.rule(r, r.Category == scanner.OutputPoisoning); !runs && speaksOfOutputs(r) {
		_, runs = s.rule(r, true)
	}
	return set, runs
}

// general returns what is known of a rule before any override.
func (s *Settings) general(r *scanner.Rule, output bool) RuleSetting {
	set := s.base(r, output)
	s.Profile.layer(output).apply(r, output, &set)
	s.Detection.apply(r, output, &set)
	return set
}

// rule is Rule for results, or for all else.
func (s *Settings) rule(r *scanner.Rule, output bool) (set RuleSetting, runs bool) {
	set = s.general(r, output)
	runs = set.Enabled == nil || *set.Enabled
	for i := range s.Overrides {
		var there RuleSetting
		s.Overrides[i].apply(r, output, &there)
		runs = runs || there.Enabled != nil && *there.Enabled
	}
	return set, runs
}
