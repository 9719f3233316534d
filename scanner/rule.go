package scanner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Pattern describes what a rule searches for in folded text, which is lower case and has no
// diacritics or invisible characters. See [text.Pattern].
type Pattern = text.Pattern

// Rule is a check with its documentation, which is the single source for docs/rules.md,
// `mcpscan rules` and the SARIF help.
type Rule struct {
	ID       string // kebab case, starting with the group (inj-, hid-, prt- …); rules of the agentsh design keep their names
	Category string // one of Categories
	Title    string // the problem, in a few words
	Why      string // why the problem matters: its consequence, or what an attacker gains; one to three sentences
	Fix      string // what the user should do

	Severity   Severity // the default; a check may report a different severity and say why in its message
	Confidence Confidence
	Basis      string   // justification of severity and confidence
	Refs       []string // taxonomy ids, such as OWASP-MCP:MCP03, OWASP-LLM:LLM01, ATLAS:AML.T0110, CWE-1427

	// OptIn means that the rule runs only if a configuration or flag enables it.
	OptIn bool

	// Patterns are searched for in every text field, for all rules in one pass. Text is called for
	// a field in which at least one of the rule's patterns matches.
	Patterns []Pattern
	Text     func(*TextPass)

	// MorePatterns returns patterns that are slow to build. They come before Patterns. They are
	// built when an engine is created, so that commands without an engine need not build them.
	MorePatterns func() []Pattern

	// Definition is called for each string of a definition, whether or not a pattern matched.
	// It can analyse every sentence, because definitions are short. Pattern matching alone is
	// not enough for definitions, because a model follows them before it calls anything.
	Definition func(*TextPass)

	// Result is called for each string that is neither in a definition nor from the client
	// (results, errors, notifications, requests to the client), whether or not a pattern matched.
	Result func(*TextPass)

	// Unusual is called for a text field with unusual characters, or with white space that
	// pushes part of it out of view. Printable ASCII, tabs, line feeds, and carriage returns at
	// the end of a line are not unusual. Unusual sees the text as sent, and reports with
	// ReportSource.
	Unusual func(*TextPass)

	// Lines is called for a text with several lines, to compare the lines. It sees the text as
	// sent, and reports with ReportSource.
	Lines func(*TextPass)

	// Client means that Text, Unusual and Lines also inspect messages from the client. Most
	// rules do not set it, because a user's request is not an attack by a server.
	Client bool

	// Markup means that the rule reports markup. It does not inspect the text that is left when
	// markup is removed.
	Markup bool

	// Message is called for each JSON-RPC message, document of definitions, lockfile entry and
	// audit event.
	Message func(*MessagePass)

	// Compare is called for each definition that differs from its approved version, before
	// Judge and in parallel with other events. It returns the results of a slow comparison
	// that Judge needs; see [JudgePass.Comparison]. If several rules have a Compare check,
	// only the first one is called, and its result must serve all of them.
	Compare func(*ComparePass) any

	// Judge is called for each message, one at a time, with the session's state before it.
	Judge func(*JudgePass)

	// On is a set of traits: Judge is called for messages that have at least one of them. If it
	// is empty, Judge is called for every message.
	On mcp.Traits

	// Arguments means that Judge uses the arguments of requests, which are passed to the judge
	// only if needed.
	Arguments bool
	// Flows means that Judge uses [JudgePass.Flows], so values must be extracted from messages.
	Flows bool

	// Config is called for each client configuration.
	Config func(*ConfigPass)

	// Configs is called for each client configuration in input order, and sees the entries of
	// earlier ones.
	Configs func(*ConfigPass)

	// Settings is called for each file that affects findings and is modified by the change
	// under review.
	Settings func(*SettingsPass)
}

// OutputPoisoning is the category of findings in the text of a server's responses, whatever the rule's
// category.
const OutputPoisoning = "output_poisoning"

// Categories lists the categories of findings: those in the agentsh documentation, and others.
var Categories = []string{"hidden_instructions", "credential_theft", "exfiltration", "shell_injection", "path_traversal",
	"tool_shadowing", "cross_server_flow", "burst", "version_pin", "name_similarity", OutputPoisoning,
	"policy", "configuration", "supply_chain", "protocol", "schema", "audit", "engine", "custom"}

// CustomGroup is the ID prefix of user-defined rules. They need no taxonomy references.
const CustomGroup = "custom-"

// CustomPattern is a pattern added by a user. Package rules makes a rule from it.
type CustomPattern struct {
	ID          string // ID of the rule: custom-…
	Category    string
	Severity    Severity
	Description string
	Fields      []string // elements of rules.Fields; none means everything except what the client sends
	Pattern     Pattern
	Pos         configfile.Position // in the user's configuration
}

// validID matches rule IDs, in kebab case.
var validID = lazyregexp.New(`^[a-z]+(-[a-z0-9]+)*$`)

// validRef matches references to the taxonomies.
var validRef = lazyregexp.New(`^(OWASP-MCP:MCP\d{2}|OWASP-LLM:LLM\d{2}|ATLAS:AML\.T\d{4}(\.\d{3})?|CWE-\d+)$`)

// validate rejects a rule that lacks documentation or would never run.
func (r *Rule) validate() error {
	for _, f := range [...]struct{ name, value string }{
		{"Category", r.Category}, {"Title", r.Title}, {"Why", r.Why}, {"Fix", r.Fix}, {"Basis", r.Basis},
	} {
		if f.value == "" {
			return fmt.Errorf("rule %q: %s is empty", r.ID, f.name)
		}
	}
	for _, ref := range r.Refs {
		if !validRef.MatchString(ref) {
			return fmt.Errorf("rule %q: the reference %q must look like OWASP-MCP:MCP03, OWASP-LLM:LLM01, ATLAS:AML.T0110 or CWE-1427", r.ID, ref)
		}
	}
	switch {
	case !slices.Contains(Categories, r.Category):
		return fmt.Errorf("rule %q: unknown category %q: expected one of %s", r.ID, r.Category, strings.Join(Categories, ", "))
	case !validID.MatchString(r.ID):
		return fmt.Errorf("rule %q: the ID must be kebab case, such as inj-override", r.ID)
	case len(r.Refs) == 0 && !strings.HasPrefix(r.ID, CustomGroup):
		return fmt.Errorf("rule %q: Refs is empty", r.ID)
	case r.Text == nil && r.Definition == nil && r.Result == nil && r.Unusual == nil && r.Lines == nil && r.Message == nil && r.Judge == nil && r.Config == nil && r.Configs == nil && r.Settings == nil:
		return fmt.Errorf("rule %q: it has no check", r.ID)
	case (r.Text == nil) != (len(r.Patterns) == 0 && r.MorePatterns == nil):
		return fmt.Errorf("rule %q: Text and Patterns must be set together", r.ID)
	case r.On > mcp.AllTraits || r.On != 0 && r.Judge == nil:
		return fmt.Errorf("rule %q: On requires Judge, and must consist of message traits", r.ID)
	}
	return nil
}

// AllPatterns returns the patterns of the rule, in the order of their indexes in a Match.
func (r *Rule) AllPatterns() []Pattern {
	if r.MorePatterns == nil {
		return r.Patterns
	}
	return slices.Concat(r.MorePatterns(), r.Patterns)
}
