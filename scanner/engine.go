package scanner

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Options configures an engine.
type Options struct {
	Workers  int // goroutines that inspect; 0 means one per core
	Sessions int // maximum number of open sessions; 0 means 2048

	// Similarity is the minimum similarity, from 0 to 1, of two server names that count as
	// look-alikes; 0 means names.DefaultSimilarity.
	Similarity float64

	Limits Limits // limits on the calls of a session
	Policy Policy // policy for requests; nil for none

	Pinning     *Pinning    // for called tools; nil means DefaultPinning
	Environment Environment // policy for environment variables; nil for none
	// Declared reports whether the user has declared a server; nil if no server is declared.
	Declared func(server string) bool
	// Trusted reports whether mcpscan lock approves new definitions of a known server; nil if it approves
	// those of no server.
	Trusted func(server string) bool
	AgentSH bool // compute the agentsh digest of tools, for a policy that compares it
	// Late reports whether the time limit of the run has passed: from then on, events
	// count as not inspected. It is nil if there is no limit.
	Late func() bool
	// Blocks reports whether a finding in text from a server blocks that text: a result or,
	// with a [Live], a definition. It must be pure; nil means that no finding blocks.
	Blocks func(*Finding) bool
}

// Engine runs rules over events.
type Engine struct {
	rules      []Rule
	message    []*Rule // rules with a Message check, in table order
	judges     []*Rule
	unusual    []*Rule
	lines      []*Rule
	definition []*Rule
	result     []*Rule
	config     []*Rule
	configs    []*Rule
	settings   []*Rule
	compare    *Rule // first rule with a Compare check
	matcher    *text.Matcher
	owner      []owner // owners of the matcher's patterns
	values     bool    // a rule needs flows
	pins       bool    // the rule pinRule runs
	arguments  bool    // a policy or rule needs the arguments of requests
	options    Options // with the defaults filled in
	shard      Shard

	comparison
}

// comparison holds the snapshots that definitions are compared with.
type comparison struct {
	approved *Snapshot // approved definitions; nil for none
	base     *Snapshot // what definitions in a lockfile are compared with
	revised  bool      // base is the previous version of the lockfile
	versions bool      // approved is not a lockfile, but an older version of what the input offers
	pair     bool
	keep     bool

	renamed map[string]*Offer // for a new server in the lockfile: the server in base that was probably renamed to it
}

// Against returns a copy of the engine that compares definitions with the approved ones. The copy
// compares a lockfile with base (its previous version), or with approved if base is nil.
func (e *Engine) Against(approved, base *Snapshot) *Engine {
	other := *e
	other.comparison = comparison{approved: approved, base: cmp.Or(base, approved), revised: base != nil}
	return &other
}

// Since returns a copy of the engine that compares servers with older versions of them. The copy
// compares only what the servers list, not the configurations that name them. If pair is set, the
// first server that appears in the input is compared with the only one in before, whatever their
// names.
func (e *Engine) Since(before *Snapshot, pair bool) *Engine {
	other := *e
	other.comparison = comparison{approved: before, base: before, versions: true, pair: pair}
	return &other
}

// Keeping returns a copy of the engine that compares nothing and keeps every definition as it was
// sent, for a Snapshot.
func (e *Engine) Keeping() *Engine {
	other := *e
	other.comparison, other.shard = comparison{keep: true}, Shard{}
	return &other
}

// Over returns a copy of the engine that reports only on the sessions in one shard.
func (e *Engine) Over(s Shard) *Engine {
	other := *e
	other.shard = s
	return &other
}

// keeps reports whether the JSON of a definition with this digest is needed after Inspect.
func (e *Engine) keeps(d mcp.Digest) bool {
	for _, s := range [...]*Snapshot{e.approved, e.base} {
		if s != nil && !s.digests[d] {
			return true
		}
	}
	return e.keep
}

// owner identifies the owner of a pattern: a rule, or noRule for a pattern that indicates
// disguised text.
type owner struct{ rule, index int }

const noRule = -1

// maxWorkers bounds the goroutines that inspect events. No machine needs more, and each takes memory.
const maxWorkers = 1024

// New returns an engine for a set of rules. It returns an error if a rule is incomplete or a
// duplicate, or has an invalid pattern.
func New(rules []Rule, o Options) (*Engine, error) {
	o.Similarity = cmp.Or(o.Similarity, names.DefaultSimilarity)
	o.Pinning = cmp.Or(o.Pinning, new(DefaultPinning()))
	o.Limits.complete()
	if o.Late == nil {
		o.Late = func() bool { return false }
	}
	if o.Sessions <= 0 {
		o.Sessions = defaultSessions
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Workers = min(o.Workers, maxWorkers)
	e := &Engine{rules: rules, options: o, arguments: o.Policy != nil}
	seen := map[string]bool{}
	var patterns []text.Pattern
	for i := range rules {
		r := &rules[i]
		if err := r.validate(); err != nil {
			return nil, err
		}
		if seen[r.ID] {
			return nil, fmt.Errorf("duplicate rule %q", r.ID)
		}
		seen[r.ID] = true
		for k, p := range r.AllPatterns() {
			patterns = append(patterns, p)
			e.owner = append(e.owner, owner{i, k})
		}
		e.register(r)
	}
	for k, p := range text.Disguises() {
		patterns = append(patterns, p)
		e.owner = append(e.owner, owner{noRule, k})
	}
	m, err := text.NewMatcher(patterns)
	if err != nil {
		return nil, fmt.Errorf("compiling the rules: %w", err)
	}
	e.matcher = m
	return e, nil
}

// register adds a rule to the lists of the checks that it implements.
func (e *Engine) register(r *Rule) {
	add := func(list *[]*Rule, has bool) {
		if has {
			*list = append(*list, r)
		}
	}
	add(&e.message, r.Message != nil)
	add(&e.judges, r.Judge != nil)
	add(&e.unusual, r.Unusual != nil)
	add(&e.lines, r.Lines != nil)
	add(&e.definition, r.Definition != nil)
	add(&e.result, r.Result != nil)
	add(&e.config, r.Config != nil)
	add(&e.configs, r.Configs != nil)
	add(&e.settings, r.Settings != nil)
	e.arguments = e.arguments || r.Judge != nil && r.Arguments
	e.values = e.values || r.Flows
	e.pins = e.pins || r.ID == pinRule
	if r.Compare != nil && e.compare == nil {
		e.compare = r
	}
}

// Rules returns the rules of the engine.
func (e *Engine) Rules() []Rule { return e.rules }

// crashed returns the finding for a check that panicked.
func crashed(r *Rule, e *Event, why any) Finding {
	return Finding{
		Rule: &ruleCrashed, Category: ruleCrashed.Category, Severity: ruleCrashed.Severity,
		Message: show(fmt.Sprintf("the rule %s crashed on this event and did not finish inspecting it: %v", r.ID, why), messageChars), Name: r.ID, Subject: mcp.MessageSubject,
		Location: Location{e.Origin.File, e.Origin.Line, e.Origin.Column, e.Origin.Pointer}, Action: "alert",
	}
}

// crashReason is the reason that the coverage gives for an event on which a rule crashed.
func crashReason(r *Rule) string {
	return "the rule " + r.ID + " crashed and did not inspect the whole event"
}

// ruleCrashed is reported by the engine itself and cannot be disabled.
var ruleCrashed = Rule{
	ID: "rule-crashed", Category: "engine", Title: "A rule crashed on this event",
	Why:      "The rule inspected only part of this event, or nothing. An attacker may have found an input that disables a check.",
	Fix:      "Report the input as a bug in mcpscan, and inspect the event yourself.",
	Severity: Medium, Confidence: ConfidenceHigh,
	Basis: "The crash affects only one rule; the other rules inspected the event.",
	Refs:  []string{"CWE-248"},
}

// EngineRules returns the rules that the engine itself reports.
func EngineRules() []Rule { return []Rule{ruleCrashed} }
