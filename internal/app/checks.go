package app

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// Options selects the checks of a run, and their parameters.
type Options struct {
	Config   string // configuration file; "" for mcpscan.yaml, if it exists
	NoConfig bool   // use no configuration
	Base     string // a lockfile, or a directory with the files of the commit before the change under review,
	// which then supplies the settings in effect

	Enable, Disable []string // rule IDs or categories; they override all other settings that select rules
	Policies        []string // files, in addition to the policy of the configuration

	Workers    int
	MaxMessage int64       // in bytes
	Late       func() bool // reports whether the time is up; nil without a limit
}

// Checks holds the rules of a run, and what determines the severity and status of their findings.
type Checks struct {
	engine     *scanner.Engine
	Options    scanner.Options // options of the engine
	Rules      []scanner.Rule  // rules that a report can name, as configured
	Triage     *config.Triage
	Files      []string // files that affect decisions about findings
	Idle       []string // parts of the configuration and policies that have no effect
	maxMessage int64    // in bytes

	base     string                        // Options.Base
	changed  []*configfile.ChangedSettings // files modified by the change under review; the base's versions apply
	baseline string                        // the baseline in effect

	sources []source // the settings and policies
	rulesOf *Checks  // the checks whose engine these use; nil for their own

	lockfile         string            // path of the lockfile with which definitions are compared
	lockfileSeen     fs.FileInfo       // the lockfile when it was last read; nil if it did not exist
	locking          sync.Mutex        // guards Locked, which Renew changes
	Locked           *lockfile.File    // nil if there is none
	Before           *lockfile.File    // version of the lockfile in the base; nil if there is none
	Enabled          map[string]bool   // servers that the configurations enable; nil if unknown
	approved, before *scanner.Snapshot // approved definitions in the lockfile and in its version in the base; nil if nothing is compared
}

// ReadUpTo reads at most limit+1 bytes of a file, so that its parser can tell whether it is longer
// than limit. The parameter what, such as "the policy", describes the file in errors.
func ReadUpTo(what, name string, limit int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", what, err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return data, nil
}

// UnknownRuleError is the error for a name that is neither a rule nor a category.
type UnknownRuleError struct {
	Name  string
	Rules []scanner.Rule
}

func (e *UnknownRuleError) Error() string { return fmt.Sprintf("unknown rule %q", e.Name) }

// strictProfile is the name of the profile that has its own rules.
const strictProfile = "strict"

// Vocabulary returns the names that a configuration may use.
func Vocabulary() config.Vocabulary {
	everywhere, inResults := rules.Strict()
	return config.Vocabulary{Rules: rules.All(), Fields: rules.Fields,
		Profiles: map[string]config.Profile{"standard": {}, strictProfile: {Everywhere: everywhere, InResults: inResults}}}
}

// Rules returns the rules that a report can name, configured according to o, and those that the
// configuration disables everywhere.
func Rules(o Options) (all []scanner.Rule, off map[string]bool, err error) {
	settings, _, err := o.settings()
	if err != nil {
		return nil, nil, err
	}
	all, off = configured(settings)
	return append(all, scanner.EngineRules()...), off, nil
}

// configured returns the rules with the settings applied, and those that the settings disable
// everywhere.
func configured(s *config.Settings) (all []scanner.Rule, off map[string]bool) {
	all, off = rules.All(), map[string]bool{}
	if s.Profile.Name == strictProfile {
		all = rules.AllStrict()
	}
	for _, p := range s.Patterns {
		all = append(all, rules.Custom(p, s.Path))
	}
	for i := range all {
		set, runs := s.Rule(&all[i])
		if off[all[i].ID] = !runs; set.Severity != nil {
			all[i].Severity = *set.Severity
		}
	}
	return all, off
}

// Listing returns the settings for listing servers.
func (c *Checks) Listing() *servers.Listing {
	s := c.Triage.Settings
	return &servers.Listing{Declared: s.Policy, Block: s.BlocksBinaries(), MaxMessage: c.maxMessage}
}

// Load returns the checks selected by o.
func Load(o Options) (*Checks, error) {
	settings, changed, err := o.settings()
	if err != nil {
		return nil, err
	}
	policies, changedPolicies, err := treeOf(o.Base).policies(o.Policies)
	if err != nil {
		return nil, err
	}
	all, off := configured(settings)
	forced, refused := config.Choice{}, config.Choice{}
	for i, names := range [...][]string{o.Enable, o.Disable} {
		for _, name := range names {
			if !([...]config.Choice{forced, refused}[i]).Choose(name, all) {
				return nil, &UnknownRuleError{name, all}
			}
		}
	}
	run := slices.DeleteFunc(slices.Clone(all), func(r scanner.Rule) bool {
		return refused.All(r.ID) || len(forced) > 0 && forced[r.ID] == 0 || len(forced) == 0 && off[r.ID]
	})
	triage := &config.Triage{Settings: settings, Forced: forced, Refused: refused}
	with := scanner.Options{Workers: o.Workers, Similarity: settings.Similarity, Limits: settings.Limits(), Pinning: settings.Pinning(), Late: o.Late}
	with.Trusted = settings.Approval.Passes
	if settings.Outputs.Block { // otherwise, findings block nothing that servers send
		with.Blocks = triage.Blocks
	}
	if p := settings.Policy; p != nil {
		with.Policy, with.AgentSH, with.Environment = p.Policy(), p.Hashes(), p
		with.Declared = func(server string) bool {
			return slices.ContainsFunc(p.Servers, func(d policy.Declared) bool { return d.ID == server })
		}
	}
	idle, err := AddPolicies(&with, policies)
	if err != nil {
		return nil, err
	}
	engine, err := scanner.New(run, with)
	if err != nil {
		return nil, err
	}
	c := &Checks{engine: engine, Options: with, Rules: append(all, scanner.EngineRules()...), Triage: triage, maxMessage: o.MaxMessage, Files: slices.Concat(o.Policies, policies), Idle: idle,
		base: o.Base, changed: append(changed, changedPolicies...)}
	if settings.Path != "" {
		c.Files = append(c.Files, settings.Path)
	}
	c.sources = sourcesOf(o, settings, policies)
	for _, file := range changed {
		c.Files = append(c.Files, file.Path)
	}
	if p := settings.Policy; p != nil {
		c.Idle = slices.DeleteFunc(c.Idle, func(line string) bool { return strings.HasPrefix(line, settings.Path+":") }) // a file can be named by both --config and --policy
		for _, v := range p.Policy().Idle() {
			c.Idle = append(c.Idle, fmt.Sprintf("%s:%s: %s", settings.Path, v.At, v.Says))
		}
	}
	c.addIdle(settings.Idle)
	if _, err := os.Lstat(config.MisnamedSettings); err == nil && o.Config == "" && !o.NoConfig {
		c.Idle = append(c.Idle, fmt.Sprintf("%[1]s: this file is not read, because the configuration file must be named %[2]s: rename this file, or add --config %[1]s", config.MisnamedSettings, config.SettingsFile))
	}
	return c, nil
}

func (c *Checks) addIdle(keys []config.IdleKey) {
	for _, key := range keys {
		c.Idle = append(c.Idle, fmt.Sprintf("%s:%s: %s", c.Triage.Settings.Path, key.Pos, key.Msg))
	}
}

// Compare sets the current time, which decides whether an ignore has expired for findings without a
// time, and loads the known findings from a baseline, which is a JSON report. Either argument may be "".
func (c *Checks) Compare(baseline, now string) error {
	var err error
	if c.Triage.Now, err = Date(now); err != nil || baseline == "" {
		return err
	}
	known, decides, changed, err := treeOf(c.base).baseline(baseline)
	if err != nil {
		return err
	}
	c.Triage.Baseline, c.baseline = known, decides
	c.changed = append(c.changed, changed...)
	c.Files = append(c.Files, baseline, decides)
	return nil
}

// Date parses a date or a time. "" is the zero time, and "today" is the current date in UTC, for callers
// that cannot compute it, such as a hook or an action.
func Date(s string) (time.Time, error) {
	switch s {
	case "":
		return time.Time{}, nil
	case "today":
		return time.Now().UTC().Truncate(24 * time.Hour), nil
	}
	for _, layout := range [...]string{time.DateOnly, time.RFC3339Nano} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--now %q: expected today, a date such as 2026-01-06, or a time such as 2026-01-06T10:30:00Z", s)
}

// triaged is a sink that sets the severity and status of findings before passing them on. It drops
// the findings of disabled rules.
type triaged struct {
	scanner.Sink
	triage *config.Triage
}

func (t triaged) Finding(f *scanner.Finding) error {
	decided := *f
	if !t.triage.Decide(&decided) {
		return nil
	}
	return t.Sink.Finding(&decided)
}

// Into returns a sink that sets the severity and status of findings before passing them to s, and
// drops the findings of disabled rules.
func (c *Checks) Into(s scanner.Sink) scanner.Sink { return triaged{s, c.Triage} }

func (t triaged) Event(e *scanner.Event, out *scanner.Outcome) error {
	t.triage.See(e, out)
	return t.Sink.Event(e, out)
}

// Complete adds the sources of decisions to a report: the configuration, the baseline, and ignores
// that suppressed nothing. It adds the other settings without effect to c.Idle.
func (c *Checks) Complete(r *report.Report) {
	r.Config, r.Baseline = c.config(), c.baseline
	all := c.Enabled != nil && r.Coverage.Complete()
	c.addIdle(c.Triage.Unmatched(all))
	for _, u := range c.Triage.Unused(all) {
		r.UnusedIgnores = append(r.UnusedIgnores, report.UnusedIgnore{Reason: text.Visible(u.Reason, 400), Why: u.Why,
			Location: report.Location{File: c.Triage.Settings.Path, Line: u.Pos.Line, Column: u.Pos.Column}})
	}
}
