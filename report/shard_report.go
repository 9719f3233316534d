package report

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpscan/mcpscan/scanner"
)

// partialSchema identifies the format of a partial report. mcpscan merge accepts only partial reports
// written by its own version.
const partialSchema = "mcpscan.partial/v1"

// Partial is the result of a run over one shard of the sessions. Its size is bounded: it
// contains the findings that a report of all shards could list, and counts of the others.
type Partial struct {
	Schema   string           `json:"schema"`
	Tool     Tool             `json:"tool"`
	Shard    int              `json:"shard"` // counted from 1
	Of       int              `json:"of"`
	Settings string           `json:"settings"` // digest of settings that affect findings: the same for all shards
	Events   int64            `json:"events"`   // of the whole input; the same for all shards
	Rules    []ruleText       `json:"rules"`    // rules that the report can name
	Inputs   []Input          `json:"inputs"`
	Config   *Config          `json:"config,omitempty"`
	Baseline string           `json:"baseline,omitempty"`
	Ignores  []UnusedIgnore   `json:"unused_ignores,omitempty"` // unused by this shard
	Result   scanner.Result   `json:"result"`
	Counts   []Counts         `json:"counts"` // by status
	Hidden   int              `json:"hidden"`
	All      []Unlisted       `json:"all"` // numbers of findings to list, by rule and severity
	Worsened int              `json:"worsened"`
	Findings []partialFinding `json:"findings"`
	Again    []partialFinding `json:"again"` // worse recurrences of these findings
	Cut      *rank            `json:"cut,omitempty"`
	Servers  []string         `json:"servers"`
	Sessions []tracked        `json:"sessions"`
	Tools    []partialTool    `json:"tools"` // tools listed in these sessions
}

type partialFinding struct {
	As      rank    `json:"as"` // rank when it was listed
	Finding Finding `json:"finding"`
}

// partialTool contains the first listings of a tool in a shard's sessions. Tool is a digest of the
// tool's server and name.
type partialTool struct {
	Tool string `json:"tool"`
	shown
}

// ruleText is the descriptive part of a rule.
type ruleText struct {
	ID         string           `json:"id"`
	Category   string           `json:"category"`
	Title      string           `json:"title"`
	Why        string           `json:"why"`
	Fix        string           `json:"fix"`
	Basis      string           `json:"basis"`
	Severity   scanner.Severity `json:"severity"`
	Confidence int              `json:"confidence"`
	Refs       []string         `json:"refs"`
	OptIn      bool             `json:"opt_in,omitzero"`
}

// SetRules adds the rules that the report can name.
func (p *Partial) SetRules(rules []scanner.Rule) {
	for i := range rules {
		r := &rules[i]
		p.Rules = append(p.Rules, ruleText{r.ID, r.Category, r.Title, r.Why, r.Fix, r.Basis, r.Severity, int(r.Confidence), r.Refs, r.OptIn})
	}
}

// RuleTexts returns the rules that the report can name, without their checks.
func (p *Partial) RuleTexts() (rules []scanner.Rule) {
	for _, r := range p.Rules {
		rules = append(rules, scanner.Rule{ID: r.ID, Category: r.Category, Title: r.Title, Why: r.Why, Fix: r.Fix, Basis: r.Basis,
			Severity: r.Severity, Confidence: scanner.Confidence(r.Confidence), Refs: r.Refs, OptIn: r.OptIn})
	}
	return rules
}

// KeepForMerge makes c keep more findings than a report lists: as many as would fit if each had the
// minimum size, because findings in other shards may be smaller.
func (c *Collector) KeepForMerge() { c.room.least = memberBytes }

// Sessions returns the number of sessions in the whole input, including those in other shards, up
// to maxTracked.
func (c *Collector) Sessions() int { return len(c.sessions.list) + c.sessions.other }

// Partial returns the partial report of a run over a shard. c must not be used afterwards. The
// caller adds the shard, the settings and the rules.
func (c *Collector) Partial(inputs []Input, version string, res scanner.Result) *Partial {
	if c.room.bytes > maxReport {
		c.trim()
	}
	p := &Partial{Schema: partialSchema, Tool: Tool{Name: toolName, Version: version}, Events: c.event, Inputs: inputs,
		Result: res, Counts: c.counts[:], Hidden: c.hidden, All: c.room.unlisted(nil), Worsened: c.worsened, Cut: c.room.cut, Servers: c.servers, Sessions: c.sessions.list}
	p.Result.Bounds = append(p.Result.Bounds, scanner.Bound{Name: "distinct findings", Used: len(c.seen), Most: maxDistinct},
		scanner.Bound{Name: "tools that are new to a session", Used: len(c.sessions.shown), Most: maxShown})
	for i, f := range c.findings {
		p.Findings = append(p.Findings, partialFinding{c.room.first[i], f})
	}
	for _, f := range c.again {
		if e := c.seen[keyOf(f.Finding.Session, f.Finding.Fingerprint)]; e.at >= 0 {
			p.Again = append(p.Again, f)
		}
	}
	for key, t := range c.sessions.shown {
		p.Tools = append(p.Tools, partialTool{hex.EncodeToString(key[:]), t})
	}
	slices.SortFunc(p.Tools, func(a, b partialTool) int { return strings.Compare(a.Tool, b.Tool) })
	return p
}

// Write writes the partial report.
func (p *Partial) Write(w io.Writer) error {
	if err := encode(w, "", p, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("writing the partial report: %w", err)
	}
	return nil
}

// ReadPartial reads a report written by Partial.Write and rejects anything else.
func ReadPartial(r io.Reader) (*Partial, error) {
	var p Partial
	err := json.UnmarshalRead(r, &p)
	switch {
	case p.Schema != "" && p.Schema != partialSchema:
		return nil, fmt.Errorf("its schema is %q, expected %q: a partial report written by replay --shard", visible(p.Schema, 80), partialSchema)
	case err != nil:
		return nil, fmt.Errorf("expected a partial report written by replay --shard: %w", shownError{err})
	case p.Schema == "":
		return nil, fmt.Errorf(`it has no member "schema", expected %q: a partial report written by replay --shard`, partialSchema)
	}
	return &p, p.check()
}

// check returns an error if the parts of a partial report are inconsistent.
func (p *Partial) check() error {
	known := func(c claim) bool { return c.Session >= 0 && c.Session < len(p.Sessions) }
	switch {
	case p.Of < 1 || p.Shard < 1 || p.Shard > p.Of || p.Of > MaxShards:
		return fmt.Errorf("shard %d of %d: expected a number from 1 to the number of shards, which is at most %d", p.Shard, p.Of, MaxShards)
	case len(p.Counts) != len(new(Collector).counts):
		return fmt.Errorf("it has counts for %d statuses of findings, expected %d", len(p.Counts), len(new(Collector).counts))
	case slices.ContainsFunc(p.Tools, func(t partialTool) bool { return !known(t.First) || !known(t.Earliest) }):
		return fmt.Errorf("a tool refers to a session that is not in the report")
	}
	for _, r := range p.Rules {
		if r.Confidence < int(scanner.ConfidenceLow) || r.Confidence > int(scanner.ConfidenceHigh) {
			return fmt.Errorf("the rule %s has an unknown confidence", visible(r.ID, 80))
		}
	}
	for _, t := range p.Tools {
		if key, err := hex.DecodeString(t.Tool); err != nil || len(key) != 16 {
			return fmt.Errorf("a tool has the digest %q, expected 32 hexadecimal digits", visible(t.Tool, 80))
		}
	}
	return nil
}

// MaxShards is the maximum number of shards of an input.
const MaxShards = 4096
