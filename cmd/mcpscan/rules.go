package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/scanner"
)

type rulesCmd struct {
	ID []string `arg:"" optional:"" placeholder:"RULE" help:"Explain these rules, or all rules of a category; default: list all rules."`
	configFlags
}

// Run lists or explains rules.
func (c *rulesCmd) Run(std streams) error {
	all, off, err := app.Rules(c.options())
	if err != nil {
		return err
	}
	if len(c.ID) == 0 {
		t := newTable("rule", "severity", "confidence", "what it finds")
		for _, r := range all {
			severity := r.Severity.String()
			if off[r.ID] {
				severity = "off"
			}
			t.add(r.ID, severity, r.Confidence.String(), r.Title)
		}
		return t.write(std.out)
	}
	var out bytes.Buffer
	for _, name := range c.ID {
		chosen := config.Choice{}
		if !chosen.Choose(name, all) {
			return noRule(name, all)
		}
		for i := range all {
			if chosen[all[i].ID] == 0 {
				continue
			}
			if out.Len() > 0 {
				out.WriteByte('\n')
			}
			explain(&out, &all[i])
		}
	}
	return put(std.out, out.Bytes())
}

func explain(w io.Writer, r *scanner.Rule) {
	fmt.Fprintf(w, "%s: %s\n\nWhy:      %s\nFix:      %s\nSeverity: %s, confidence %s. %s\nCategory: %s\n",
		r.ID, r.Title, r.Why, r.Fix, r.Severity, r.Confidence, r.Basis, r.Category)
	if len(r.Refs) > 0 {
		fmt.Fprintf(w, "See:      %s\n", strings.Join(r.Refs, ", "))
	}
}

// noRule returns the error for a name that is neither a rule nor a category.
func noRule(name string, all []scanner.Rule) error {
	return usage("unknown rule %q%s; to list all rules: mcpscan rules", name, config.Similar(name, ruleNames(all)))
}

// ruleNames returns the IDs and categories of rules.
func ruleNames(all []scanner.Rule) []string {
	var ids, categories []string
	for i := range all {
		ids, categories = append(ids, all[i].ID), append(categories, all[i].Category)
	}
	slices.Sort(categories)
	return append(ids, slices.Compact(categories)...)
}
