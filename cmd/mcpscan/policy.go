package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/policyfile"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// policyCmd is mcpscan policy.
type policyCmd struct {
	Test     policyTestCmd     `cmd:"" help:"Test a policy on requests in files."`
	Check    policyCheckCmd    `cmd:"" help:"Report unreachable rules and patterns that match nothing."`
	Generate policyGenerateCmd `cmd:"" help:"Generate a policy that allows exactly what recordings show."`
}

// loadPolicy reads a policy in the language given by the file extension. It also
// returns the parts of the file that have no effect, so that the caller can warn about them.
func loadPolicy(name string) (p *policy.Policy, idle []policy.Problem, err error) {
	data, err := readUpTo("the policy", name, policyfile.MaxFile)
	if err != nil {
		return nil, nil, &exitError{exitUsage, err}
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".toml":
		rules, err := policyfile.ParseTOML(name, data)
		if err != nil {
			return nil, nil, &exitError{exitUsage, err}
		}
		return rules, rules.Idle(), nil
	case ".yaml", ".yml":
		return listPolicy(name, data)
	}
	return nil, nil, usage("reading the policy %s: expected a file name that ends in .toml, .yaml or .yml", name)
}

// listPolicy returns the policy of a file such as mcpscan.yaml. A policy without effect is an
// error, because the user asked for it.
func listPolicy(name string, data []byte) (*policy.Policy, []policy.Problem, error) {
	settings, err := config.ParseSettings(name, data, vocabulary())
	switch {
	case err != nil:
		return nil, nil, &exitError{exitUsage, err}
	case settings.Policy == nil:
		return nil, nil, usage("%s: not a policy: expected server_policy, tool_policy, allowed_tools or similar keys", name)
	case !settings.Policy.Enforced:
		return nil, nil, usage("%s:%s: this policy has no effect: enforce_policy is not true", name, settings.Policy.At)
	}
	p := settings.Policy.Policy()
	idle := p.Idle()
	if on := settings.Policy.Pinning.Enabled; on != nil && *on {
		idle = append(idle, policy.Problem{At: settings.Policy.PinningAt, Says: "version_pinning applies only in the configuration: use --config instead of --policy"})
	}
	if on := settings.RateLimits.Enabled; on != nil && *on {
		idle = append(idle, policy.Problem{At: settings.Policy.At, Says: "rate_limits apply only in the configuration: use --config instead of --policy"})
	}
	return p, idle, nil
}

// addPolicies adds policies, and the options that they need, to the engine's options. It returns
// their parts without effect.
func addPolicies(o *scanner.Options, names []string) (idle []string, err error) {
	for _, name := range names {
		p, vain, err := loadPolicy(name)
		if err != nil {
			return nil, err
		}
		for _, v := range vain {
			idle = append(idle, fmt.Sprintf("%s:%s: %s", name, v.At, v.Says))
		}
		if lists := p.Lists(); lists != nil {
			o.AgentSH = o.AgentSH || lists.Hashes()
			if o.Environment == nil {
				o.Environment = lists
			}
		}
		o.Policy = together(o.Policy, p)
	}
	return idle, nil
}

// together returns a policy with the strictest verdict of several, some of which may be nil. It
// returns nil if all are.
func together(policies ...scanner.Policy) scanner.Policy {
	all := strictest(slices.DeleteFunc(policies, func(p scanner.Policy) bool { return p == nil }))
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// strictest is a list of policies: the strictest verdict wins, and the first policy among equals.
type strictest []scanner.Policy

// Decide returns the decision of the strictest policy.
func (s strictest) Decide(r *scanner.PolicyRequest) (d scanner.Decision) {
	for i, p := range s {
		if own := p.Decide(r); i == 0 || own.Verdict > d.Verdict {
			d = own
		}
	}
	return d
}

// policyCheckCmd is mcpscan policy check.
type policyCheckCmd struct {
	Policy     string   `arg:"" help:"The policy: a TOML file, or a YAML file with the keys of mcpscan.yaml." placeholder:"POLICY"`
	Recordings []string `arg:"" optional:"" help:"Recordings that every pattern of the policy should match; - reads standard input." placeholder:"RECORDING"`
	JSON       bool     `help:"Write JSON instead of lines."`
	MaxMessage int64    `help:"Maximum message size in bytes." default:"33554432"`
}

// checkRow is one line of mcpscan policy check.
type checkRow struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Run checks the policy.
func (c *policyCheckCmd) Run(ctx context.Context, std streams) error {
	loaded, _, err := loadPolicy(c.Policy)
	if err != nil {
		return err
	}
	problems := loaded.Check()
	var incomplete error
	if len(c.Recordings) > 0 {
		unused, err := c.watch(ctx, std, loaded.Watch())
		if incomplete = err; unused == nil && err != nil {
			return err
		}
		problems = append(problems, unused...)
	}
	slices.SortStableFunc(problems, func(a, b policy.Problem) int { return a.At.Compare(b.At) })
	var rows []checkRow
	var lines strings.Builder
	for _, found := range problems {
		rows = append(rows, checkRow{c.Policy, found.At.Line, found.At.Column, found.Says})
		fmt.Fprintf(&lines, "%s\n", text.Visible(text.Mask(fmt.Sprintf("%s:%s: %s", c.Policy, found.At, found.Says)), 1000))
	}
	if c.JSON {
		err = writeJSON(std.out, rows)
	} else {
		err = put(text.Guard(std.out), []byte(lines.String()))
	}
	if err == nil && len(rows) > 0 {
		err = &exitError{code: exitFindings}
	}
	return cmp.Or(err, incomplete)
}

// watch returns the patterns that match nothing in the recordings. The error is set if something
// was not read.
func (c *policyCheckCmd) watch(ctx context.Context, std streams, w *policy.Watch) ([]policy.Problem, error) {
	engine, err := scanner.New(nil, scanner.Options{Policy: w})
	if err != nil {
		return nil, err
	}
	res, err := replayed{c.Recordings, c.MaxMessage, "nothing was compared"}.into(ctx, std, engine, sink{event: func(e *scanner.Event, out *scanner.Outcome) {
		for _, m := range out.Messages {
			for _, d := range m.Definitions {
				if d.Kind == mcp.ToolSubject {
					w.Tool(e.Server, d.Name)
				}
			}
			if m.Kind == mcp.Audit && m.Target != "" {
				w.Tool(e.Server, m.Target)
			}
		}
	}})
	switch {
	case err != nil:
		return nil, err
	case res.Coverage.Events == 0:
		return nil, &exitError{exitIncomplete, errors.New("the recordings are empty")}
	}
	unused := append([]policy.Problem{}, w.Unused()...)
	if tellSkipped(std, res); len(res.Coverage.Skipped) > 0 {
		err = &exitError{code: exitIncomplete}
	}
	return unused, err
}

// tellIdle warns of settings that should protect the user but have no effect.
func tellIdle(std streams, idle []string) {
	for _, line := range idle {
		fmt.Fprintf(std.err, "mcpscan: %s\n", text.Visible(line, 1000))
	}
}
