package scanner

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Options of an engine.
type Options struct {
	Workers  int // goroutines that inspect; 0 means one for each core
	Sessions int // sessions kept open at once; 0 means 2048

	// Similarity is the threshold, from 0 to 1, at which two server names are look-alikes; 0
	// means DefaultSimilarity.
	Similarity float64

	Limits Limits // of the calls of a session
	Policy Policy // that requests are judged by; nil for none

	Pinning     *Pinning    // of tools that are called; nil means DefaultPinning
	Environment Environment // that configurations are judged by; nil for none
	// Declared reports whether the user has declared a server; nil if no server is declared.
	Declared func(server string) bool
	AgentSH  bool // tools get the digest of agentsh, for a policy that compares it
	// Late reports whether the time limit of the run has passed: what was not judged by then
	// counts as not inspected. Nil without a limit.
	Late func() bool
	// Blocks reports whether a finding in a result's texts blocks the result. It is pure; nil
	// if nothing is blocked.
	Blocks func(*Finding) bool
}

// Engine runs rules over events.
type Engine struct {
	rules      []Rule
	message    []*Rule // those with a Message check, in the order of the table
	judges     []*Rule
	unusual    []*Rule
	lines      []*Rule
	definition []*Rule
	result     []*Rule
	config     []*Rule
	configs    []*Rule
	settings   []*Rule
	compare    *Rule // the first with a Compare check
	matcher    *text.Matcher
	owner      []owner // of each pattern of the matcher
	values     bool    // a rule asks for flows
	pins       bool    // calls of tools that are not as they were trusted are refused
	workers    int

	sessions   int
	similarity float64
	limits     Limits
	policy     Policy
	pinning    Pinning
	variables  Environment
	declared   func(string) bool
	agentsh    bool
	shard      Shard
	blocks     func(*Finding) bool
	late       func() bool
	arguments  bool // somebody looks at the arguments of requests

	comparison
}

// comparison is what definitions are compared with.
type comparison struct {
	approved *Snapshot // nil for nothing
	base     *Snapshot // what those of a lockfile are compared with
	pair     bool
	keep     bool
}

// Against returns an engine with the same rules that compares definitions with the approved
// ones, and a lockfile with the lockfile before it; nil is the same. For a pair, the first
// server that appears is compared with the only approved one, whatever their names.
func (e *Engine) Against(approved, base *Snapshot, pair bool) *Engine {
	other := *e
	other.comparison = comparison{approved: approved, base: cmp.Or(base, approved), pair: pair}
	return &other
}

// Keeping returns an engine with the same rules that keeps every definition as it
// was sent, for a Snapshot.
func (e *Engine) Keeping() *Engine {
	other := *e
	other.comparison, other.shard = comparison{keep: true}, Shard{}
	return &other
}

// Over returns an engine with the same rules that reports on a shard of the sessions.
func (e *Engine) Over(s Shard) *Engine {
	other := *e
	other.shard = s
	return &other
}

// keeps reports whether a definition is needed after Inspect.
func (e *Engine) keeps(d mcp.Digest) bool {
	for _, s := range [...]*Snapshot{e.approved, e.base} {
		if s != nil && !s.digests[d] {
			return true
		}
	}
	return e.keep
}

// owner of a pattern: a rule, or noRule for what gives a disguise of text away.
type owner struct{ rule, index int }

const noRule = -1

// New returns an engine for a set of rules. A rule without an explanation, a duplicate, or an
// invalid pattern is an error.
func New(rules []Rule, o Options) (*Engine, error) {
	e := &Engine{rules: rules, workers: o.Workers, sessions: o.Sessions, similarity: cmp.Or(o.Similarity, names.DefaultSimilarity), limits: o.Limits, policy: o.Policy,
		pinning: DefaultPinning(), variables: o.Environment, declared: o.Declared, agentsh: o.AgentSH, blocks: o.Blocks, late: o.Late}
	if o.Pinning != nil {
		e.pinning = *o.Pinning
	}
	e.limits.complete()
	if e.late == nil {
		e.late = func() bool { return false }
	}
	e.arguments = o.Policy != nil
	if e.sessions <= 0 {
		e.sessions = defaultSessions
	}
	if e.workers <= 0 {
		e.workers = runtime.GOMAXPROCS(0)
	}
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

// register lists a rule under the checks that it has.
func (e *Engine) register(r *Rule) {
	if r.Message != nil {
		e.message = append(e.message, r)
	}
	if r.Judge != nil {
		e.judges = append(e.judges, r)
		e.arguments = e.arguments || r.Arguments
	}
	e.values = e.values || r.Flows
	e.pins = e.pins || r.ID == pinRule
	if r.Unusual != nil {
		e.unusual = append(e.unusual, r)
	}
	if r.Lines != nil {
		e.lines = append(e.lines, r)
	}
	if r.Definition != nil {
		e.definition = append(e.definition, r)
	}
	if r.Result != nil {
		e.result = append(e.result, r)
	}
	if r.Config != nil {
		e.config = append(e.config, r)
	}
	if r.Configs != nil {
		e.configs = append(e.configs, r)
	}
	if r.Compare != nil && e.compare == nil {
		e.compare = r
	}
	if r.Settings != nil {
		e.settings = append(e.settings, r)
	}
}

// Rules returns the rules of the engine.
func (e *Engine) Rules() []Rule { return e.rules }

// crashed is the finding for a check that panicked.
func crashed(r *Rule, e *Event, why any) Finding {
	return Finding{
		Rule: &ruleCrashed, Category: ruleCrashed.Category, Severity: ruleCrashed.Severity,
		Message: show(fmt.Sprintf("the rule %s failed on this event and could not judge it: %v", r.ID, why), messageChars), Name: r.ID, Subject: mcp.MessageSubject,
		Location: Location{e.Origin.File, e.Origin.Line, e.Origin.Column, e.Origin.Pointer}, Action: "alert",
	}
}

// ruleCrashed is the engine's own: it cannot be switched off.
var ruleCrashed = Rule{
	ID: "rule-crashed", Category: "engine", Title: "A rule failed on this event",
	Why:      "The rule did not inspect this event. An attacker may have found an input that disables a check.",
	Fix:      "Report the input as a bug of mcpscan, and read the event yourself.",
	Severity: Medium, Confidence: ConfidenceHigh,
	Basis: "One rule did not judge the event; the others did.",
	Refs:  []string{"CWE-248"},
}

// EngineRules returns the rules that the engine itself reports.
func EngineRules() []Rule { return []Rule{ruleCrashed} }
