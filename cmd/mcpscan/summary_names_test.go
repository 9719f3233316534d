package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/rules"
)

// TestNamesOfTheSummary checks that each agentsh name explained in docs/configuration.md selects at
// least one rule, and all rules that the table there lists for it.
func TestNamesOfTheSummary(t *testing.T) {
	_, table, ok := strings.Cut(readFile(t, root, "docs", "configuration.md"), "| its name | meaning here |\n| --- | --- |\n")
	if !ok {
		t.Fatal("docs/configuration.md has no table of names")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	code := regexp.MustCompile("`([^`]+)`")
	all, names := rules.All(), 0
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		for _, name := range code.FindAllStringSubmatch(cells[1], -1) {
			names++
			chosen := config.Choice{}
			if !chosen.Choose(name[1], all) {
				t.Errorf("%s means nothing", name[1])
			}
			for _, beside := range code.FindAllStringSubmatch(cells[2], -1) {
				if rule := (config.Choice{}); rule.Choose(beside[1], all) && rule.All(beside[1]) && !chosen.All(beside[1]) {
					t.Errorf("%s does not mean %s", name[1], beside[1])
				}
			}
		}
	}
	if names < 8 {
		t.Errorf("the table has %d names, and the summary of attacks 8", names)
	}
}
