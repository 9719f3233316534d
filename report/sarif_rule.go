package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/mcpscan/mcpscan/scanner"
)

const (
	rulesURI  = informationURI + "/blob/main/docs/rules.md#"
	customURI = informationURI + "/blob/main/docs/configuration.md#custom-patterns"

	// GitHub's limits: characters per description, and tags per rule.
	maxDescription = 1024
	maxTags        = 10
)

// sarifSeverities maps severities, from note up, to SARIF's and GitHub's terms. Each score is within the
// range that GitHub displays as the severity of the same name.
var sarifSeverities = [...]struct{ level, problem, score string }{
	scanner.Note:     {"note", "recommendation", ""},
	scanner.Low:      {"note", "recommendation", "3.1"},
	scanner.Medium:   {"warning", "warning", "5.5"},
	scanner.High:     {"error", "error", "8.1"},
	scanner.Critical: {"error", "error", "9.3"},
}

// descriptor declares a rule. It sets no name, because GitHub would show the name instead of the
// ID.
func descriptor(r *scanner.Rule) *sarif.ReportingDescriptor {
	words := sarifSeverities[r.Severity]
	properties := sarif.Properties{
		"tags":             tags(r.Refs),
		"precision":        r.Confidence.String(),
		"problem.severity": words.problem,
	}
	if words.score != "" {
		properties["security-severity"] = words.score
	}
	d := sarif.NewRule(r.ID).
		WithDescription(visible(r.Title, maxDescription-1)).
		WithFullDescription(sarif.NewMultiformatMessageString(visible(r.Why, maxDescription-1))).
		WithHelpURI(ruleURI(r.ID)).
		WithTextHelp(helpText(r)).
		WithMarkdownHelp(helpMarkdown(r)).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(words.level))
	d.Properties = properties
	return d
}

// ruleURI returns the documentation URL of a rule that this version has.
func ruleURI(id string) string {
	if strings.HasPrefix(id, scanner.CustomGroup) {
		return customURI
	}
	return rulesURI + id
}

// unknownDescriptor declares a rule that a saved report names but this version does not have, because
// results without a declared rule are dropped.
func unknownDescriptor(id string) *sarif.ReportingDescriptor {
	text := "A rule that this version of mcpscan does not know: " + ruleID(id)
	if strings.HasPrefix(id, scanner.CustomGroup) {
		text = "A custom pattern from the report's configuration: " + ruleID(id)
	}
	d := sarif.NewRule(ruleID(id)).
		WithDescription(text).
		WithFullDescription(sarif.NewMultiformatMessageString(text)).
		WithTextHelp(text)
	d.Properties = sarif.Properties{"tags": []string{"security"}}
	return d
}

// ruleID returns a rule's ID as reports show it. In a saved report, the ID can be any string, even an
// empty one.
func ruleID(id string) string { return cmp.Or(visible(id, maxResultName), "unknown") }

// tags returns the tags of a rule within GitHub's limits.
func tags(refs []string) []string {
	out := []string{"security"}
	for _, ref := range refs {
		if len(out) == maxTags {
			break
		}
		out = append(out, reference(ref).tag)
	}
	return out
}

func helpText(r *scanner.Rule) string {
	var labels []string
	for _, ref := range r.Refs {
		labels = append(labels, reference(ref).label)
	}
	help := fmt.Sprintf("%s\n\nWhat to do: %s\n\nSeverity %s, confidence %s: %s", r.Why, r.Fix, r.Severity, r.Confidence, r.Basis)
	if len(labels) == 0 {
		return help
	}
	return help + "\n\nReferences: " + strings.Join(labels, ", ")
}

func helpMarkdown(r *scanner.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n**What to do.** %s\n\n**Severity** %s, **confidence** %s: %s\n",
		r.Why, r.Fix, r.Severity, r.Confidence, r.Basis)
	if len(r.Refs) > 0 {
		b.WriteString("\n**References**\n")
	}
	for _, ref := range r.Refs {
		t := reference(ref)
		if t.url == "" {
			fmt.Fprintf(&b, "\n- %s", t.label)
			continue
		}
		fmt.Fprintf(&b, "\n- [%s](%s)", t.label, t.url)
	}
	return b.String()
}
