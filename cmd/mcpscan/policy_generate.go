package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

type policyGenerateCmd struct {
	Files           []string `arg:"" help:"Recordings; - reads standard input." placeholder:"FILE"`
	Output          string   `short:"o" help:"Write the policy to this file instead of standard output." placeholder:"FILE"`
	Force           bool     `help:"Replace the --output file if it exists."`
	Hash            string   `help:"Digest that pins tools: mcpscan (the whole definition) or agentsh (name, description and schema)." default:"mcpscan" enum:"mcpscan,agentsh"`
	Jobs            int      `short:"j" help:"Number of parallel workers; 0 uses one per core." default:"0"`
	MaxMessage      int64    `help:"Maximum message size in bytes; longer messages count as not inspected." default:"33554432"`
	AllowIncomplete bool     `help:"Exit 0 instead of 3 if something could not be inspected."`
	Quiet           bool     `short:"q" help:"Write only errors to standard error."`
}

// Run profiles the recordings and writes a policy that allows what they contain.
func (c *policyGenerateCmd) Run(ctx context.Context, std streams) error {
	if c.Jobs < 0 || c.MaxMessage < 1 {
		return usage("--jobs must not be negative, and --max-message must be at least 1")
	}
	if err := (&outputFlags{Output: c.Output}).keepInputs(c.Files); err != nil {
		return err
	}
	if to, err := os.Stat(c.Output); err == nil && to.Mode().IsRegular() && to.Size() > 0 && !c.Force {
		return usage("%s already exists, and may have been edited; choose another file, or add --force to replace it", c.Output)
	}
	profile := policy.NewProfile()
	profile.AgentSH = c.Hash == "agentsh"
	res, err := c.profile(ctx, std, profile)
	if err != nil {
		return err
	}
	if profile.Empty() {
		return &exitError{exitIncomplete, errors.New("the recording has no server, so no policy was written")}
	}
	if err := c.write(std, []byte(profile.YAML(c.head(&res, profile)...))); err != nil {
		return err
	}
	missed := len(res.Coverage.Skipped) > 0 || profile.Lost() > 0
	if missed && !c.Quiet {
		fmt.Fprintln(std.err, "mcpscan: not everything was inspected, so the policy may be incomplete; use --allow-incomplete to accept that")
		tellSkipped(std, res)
	}
	if missed && !c.AllowIncomplete {
		return &exitError{code: exitIncomplete}
	}
	return nil
}

// profile fills a profile by replaying the recordings. The rules also run, so that the policy can
// warn about tools with findings.
func (c *policyGenerateCmd) profile(ctx context.Context, std streams, profile *policy.Profile) (res scanner.Result, err error) {
	run := slices.DeleteFunc(rules.All(), func(r scanner.Rule) bool { return r.OptIn })
	engine, err := scanner.New(append(run, observer(profile.Message)), scanner.Options{Workers: c.Jobs, AgentSH: true})
	if err != nil {
		return res, err
	}
	var findings []scanner.Finding
	res, err = replayed{c.Files, c.MaxMessage, "no policy was written"}.into(ctx, std, engine, sink{finding: func(f *scanner.Finding) {
		if f.Subject == mcp.ToolSubject && f.Severity >= scanner.High && len(findings) < maxReviewed {
			findings = append(findings, *f)
		}
	}})
	if err != nil {
		return res, err
	}
	review(profile, findings)
	return res, nil
}

// maxReviewed is the maximum number of findings reported in a policy.
const maxReviewed = 65536

// review adds the findings in definitions to the profile. It looks up a tool's findings by the
// names shown in reports, which are masked and truncated.
func review(profile *policy.Profile, findings []scanner.Finding) {
	type tool struct{ server, name string }
	of := map[tool][]*scanner.Finding{}
	for i := range findings {
		key := tool{findings[i].Server, findings[i].Name}
		of[key] = append(of[key], &findings[i])
	}
	profile.Tools(func(server, name string) {
		for _, f := range of[tool{text.Visible(text.Mask(server), 120), text.Visible(text.Mask(name), 120)}] {
			profile.Finding(f, server, name)
		}
	})
}

// head returns the comment lines at the top of the policy.
func (c *policyGenerateCmd) head(res *scanner.Result, profile *policy.Profile) []string {
	head := []string{fmt.Sprintf("Made by mcpscan policy generate from %s: %s, %s, %s.", report.Count(len(c.Files), "recording"),
		report.Count(res.Stats.Servers, "server"), report.Count(res.Stats.Tools, "tool"), report.Count(res.Stats.Calls, "call")),
		"It allows exactly what was recorded there. The recorded traffic may itself be malicious: review the policy before you use it."}
	skipped := profile.Lost()
	for _, s := range res.Coverage.Skipped {
		skipped += s.Count
	}
	if skipped > 0 {
		head = append(head, fmt.Sprintf("Incomplete: input was not inspected, or not in full (%s).", report.Count(skipped, "time")))
	}
	return head
}

func (c *policyGenerateCmd) write(std streams, data []byte) error {
	if c.Output == "" || c.Output == "-" {
		return put(std.out, data)
	}
	if err := os.WriteFile(c.Output, data, 0o644); err != nil {
		return usage("writing the policy: %w", err)
	}
	return nil
}
