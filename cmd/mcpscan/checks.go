package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// configFlags selects the configuration.
type configFlags struct {
	Config   string `help:"Configuration file; default: mcpscan.yaml in the working directory, if it exists." placeholder:"FILE"`
	NoConfig bool   `help:"Ignore configuration files, including mcpscan.yaml in the working directory."`
}

// engineFlags select the checks and their parameters.
type engineFlags struct {
	configFlags
	Enable     []string `help:"Run only these rules, by ID or category." placeholder:"RULE"`
	Disable    []string `help:"Disable these rules, by ID or category." placeholder:"RULE"`
	Policy     []string `help:"Additional policy for requests: TOML, or YAML as in mcpscan.yaml. Repeatable; the strictest decision counts." placeholder:"FILE" sep:"none"`
	Jobs       int      `short:"j" help:"Number of parallel workers; 0 uses one per core." default:"0"`
	MaxMessage int64    `help:"Maximum message size in bytes; longer messages count as not inspected." default:"33554432"`

	MaxTime time.Duration `help:"Time limit for the run, such as 10m; the rest counts as not inspected. 0 means no limit." default:"0" placeholder:"TIME"`
	late    func() bool   // reports whether the time is up; nil without a limit
}

// baselineFlags selects earlier findings and the date for ignores.
type baselineFlags struct {
	Baseline string `help:"A JSON report: findings that it contains and that are no more severe now are counted, but do not fail the run." placeholder:"REPORT"`
	Now      string `help:"Date against which to check the expiry of ignores if events have no time, as in definition files." placeholder:"DATE"`
}

// checks holds the rules of a run and the decisions about their findings.
type checks struct {
	engine     *scanner.Engine
	options    scanner.Options // of the engine
	rules      []scanner.Rule  // that a report can name, as configured
	triage     *config.Triage
	files      []string // that affect decisions about findings
	idle       []string // parts of the configuration and policies that have no effect
	maxMessage int64    // bytes

	base     baseTree
	changed  []*configfile.ChangedSettings // by the change under review; the base's versions apply
	baseline string                        // the one in effect
}

// readUpTo reads at most limit+1 bytes of a file, so that its parser can detect one longer than
// limit. what names the file in errors.
func readUpTo(what, name string, limit int64) ([]byte, error) {
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

// observer returns a rule that passes to see all that other rules see of messages, and reports
// nothing.
func observer(see func(*scanner.JudgePass)) scanner.Rule {
	return scanner.Rule{ID: "observer", Category: "engine", Title: "What is seen", Why: "Nothing is reported.", Fix: "None.",
		Basis: "It reports nothing.", Refs: []string{"CWE-778"}, Judge: see}
}

// strictProfile is the name of the profile that has its own rules.
const strictProfile = "strict"

// vocabulary returns the names that a configuration may use.
func vocabulary() config.Vocabulary {
	everywhere, inResults := rules.Strict()
	return config.Vocabulary{Rules: rules.All(), Fields: rules.Fields,
		Profiles: map[string]config.Profile{"standard": {}, strictProfile: {Everywhere: everywhere, InResults: inResults}}}
}

// configured returns the rules with the settings applied, and those that the settings disable
// everywhere.
func configured(s *config.Settings) (all []scanner.Rule, off map[string]bool) {
	all, off = rules.All(), map[string]bool{}
	if s.Profile.Name == strictProfile {
		all = rules.AllStrict()
	}
	for _, p := range s.Patterns {
		all = append(all, rules.Custom(rules.CustomPattern{
			ID: p.ID, Category: p.Category, Severity: p.Severity, Description: p.Description, Fields: p.Fields, Pattern: p.Pattern,
			Place: fmt.Sprintf("%s:%d", s.Path, p.Pos.Line),
		}))
	}
	for i := range all {
		set, runs := s.Rule(&all[i])
		if off[all[i].ID] = !runs; set.Severity != nil {
			all[i].Severity = *set.Severity
		}
	}
	return all, off
}

// listing returns how servers are listed with these checks, before flags are applied.
func (c *checks) listing() *listing {
	s := c.triage.Settings
	return &listing{declared: s.Policy, block: s.BlocksBinaries(), maxMessage: c.maxMessage}
}

// checks returns the checks selected by the flags.
func (f *engineFlags) checks() (*checks, error) { return f.checksOf("") }

// checksOf returns the checks selected by the flags, with the base's versions of changed
// files. --enable and --disable override everything else about which rules run.
func (f *engineFlags) checksOf(base baseTree) (*checks, error) {
	if f.Jobs < 0 || f.MaxMessage < 1 || f.MaxTime < 0 {
		return nil, usage("--jobs, --max-message and --max-time must not be negative")
	}
	settings, changed, err := f.settingsOf(base)
	if err != nil {
		return nil, err
	}
	policies, changedPolicies, err := base.policies(f.Policy)
	if err != nil {
		return nil, err
	}
	all, off := configured(settings)
	forced, refused := config.Choice{}, config.Choice{}
	for i, names := range [...][]string{f.Enable, f.Disable} {
		for _, name := range names {
			if !([...]config.Choice{forced, refused}[i]).Choose(name, all) {
				return nil, noRule(name, all)
			}
		}
	}
	run := slices.DeleteFunc(slices.Clone(all), func(r scanner.Rule) bool {
		return refused.All(r.ID) || len(forced) > 0 && forced[r.ID] == 0 || len(forced) == 0 && off[r.ID]
	})
	triage := &config.Triage{Settings: settings, Forced: forced, Refused: refused}
	options := scanner.Options{Workers: f.Jobs, Similarity: settings.Similarity, Limits: settings.Limits(), Pinning: settings.Pinning(), Late: f.late}
	if settings.Outputs.Block { // without it, nothing that servers send is refused
		options.Blocks = triage.Blocks
	}
	if p := settings.Policy; p != nil {
		options.Policy, options.AgentSH, options.Environment = p.Policy(), p.Hashes(), p
		options.Declared = func(server string) bool {
			return slices.ContainsFunc(p.Servers, func(d policy.Declared) bool { return d.ID == server })
		}
	}
	idle, err := addPolicies(&options, policies)
	if err != nil {
		return nil, err
	}
	engine, err := scanner.New(run, options)
	if err != nil {
		return nil, err
	}
	c := &checks{engine: engine, options: options, rules: append(all, scanner.EngineRules()...), triage: triage, maxMessage: f.MaxMessage, files: slices.Concat(f.Policy, policies), idle: idle,
		base: base, changed: append(changed, changedPolicies...)}
	if settings.Path != "" {
		c.files = append(c.files, settings.Path)
	}
	for _, file := range changed {
		c.files = append(c.files, file.Path)
	}
	if p := settings.Policy; p != nil {
		c.idle = slices.DeleteFunc(c.idle, func(line string) bool { return strings.HasPrefix(line, settings.Path+":") }) // named by both --config and --policy
		for _, v := range p.Policy().Idle() {
			c.idle = append(c.idle, fmt.Sprintf("%s:%s: %s", settings.Path, v.At, v.Says))
		}
	}
	for _, key := range settings.Idle {
		c.idle = append(c.idle, fmt.Sprintf("%s:%s: %s", settings.Path, key.Pos, key.Msg))
	}
	return c, nil
}

// compare loads the known findings and the date for ignores.
func (c *checks) compare(f baselineFlags) error {
	var err error
	if c.triage.Now, err = date(f.Now); err != nil {
		return err
	}
	if f.Baseline == "" {
		return nil
	}
	known, decides, changed, err := c.base.baseline(f.Baseline)
	if err != nil {
		return err
	}
	c.triage.Baseline, c.baseline = known, decides
	c.changed = append(c.changed, changed...)
	c.files = append(c.files, f.Baseline, decides)
	return nil
}

// date parses a date or a time; "" is the zero time.
func date(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range [...]string{time.DateOnly, time.RFC3339Nano} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--now %q: expected a date such as 2026-01-06, or a time such as 2026-01-06T10:30:00Z", s)
}

// triaged is a sink that triages findings before passing them on.
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

// into returns a sink that triages findings before passing them to s.
func (c *checks) into(s scanner.Sink) scanner.Sink { return triaged{s, c.triage} }

// complete adds the sources of decisions to a report, and warns of ignores that suppressed
// nothing.
func (c *checks) complete(std streams, r *report.Report, quiet bool) {
	s := c.triage.Settings
	r.Config = c.config()
	if !quiet {
		tellIdle(std, c.idle)
	}
	r.Baseline = c.baseline
	for _, u := range c.triage.Unused() {
		r.UnusedIgnores = append(r.UnusedIgnores, report.UnusedIgnore{Reason: text.Visible(u.Reason, 400), Why: u.Why,
			Location: report.Location{File: s.Path, Line: u.Pos.Line, Column: u.Pos.Column}})
	}
	tellUnused(std, r, quiet)
}

// tellUnused warns of ignores that suppressed nothing.
func tellUnused(std streams, r *report.Report, quiet bool) {
	for _, u := range r.UnusedIgnores {
		if at := u.Location; !quiet {
			fmt.Fprintf(std.err, "mcpscan: %s: this ignore suppresses nothing: %s\n", text.Visible(fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column), 400), text.Visible(u.Why, 400))
		}
	}
}
