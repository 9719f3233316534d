package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/rules/crossserver"
	"github.com/mcpscan/mcpscan/rules/drift"
	"github.com/mcpscan/mcpscan/rules/instructions"
	"github.com/mcpscan/mcpscan/rules/policy"
	"github.com/mcpscan/mcpscan/rules/session"
	"github.com/mcpscan/mcpscan/scanner"
)

// The strict profile follows the agentsh design literally: it reports the patterns of the design
// wherever they match, with the severities of the design and without this project's exceptions.
// docs/seeds.md says where and why the default profile differs.

// Strict returns the severities of the agentsh design by rule ID, for findings in general and for
// findings in results, where any injected text counts as output poisoning.
func Strict() (everywhere, inResults map[string]scanner.Severity) {
	everywhere = map[string]scanner.Severity{
		instructions.MentionedCredential.ID:    scanner.Critical,
		instructions.MentionedExfilCommand.ID:  scanner.High,
		instructions.MentionedDirective.ID:     scanner.High,
		instructions.MentionedShellSyntax.ID:   scanner.Medium,
		instructions.MentionedPathTraversal.ID: scanner.Medium,
		crossserver.ShadowTool.ID:              scanner.Critical,
		session.ReadThenSend.ID:                scanner.Critical,
		session.CrossServerFlow.ID:             scanner.High,
		session.Burst.ID:                       scanner.High,
		crossserver.ServerLookalike.ID:         scanner.High,
		policy.VersionPin.ID:                   scanner.Critical,
		drift.BinaryMismatch.ID:                scanner.Critical,
		drift.InSession.ID:                     scanner.Critical,
		drift.Description.ID:                   scanner.Critical, // agentsh's hash covers name, description and schema
		drift.SchemaBreaking.ID:                scanner.Critical,
		drift.SchemaCompatible.ID:              scanner.Critical,
	}
	inResults = map[string]scanner.Severity{}
	for _, r := range All() {
		if strings.HasPrefix(r.ID, "men-") || strings.HasPrefix(r.ID, "inj-") {
			inResults[r.ID] = scanner.Critical
		}
	}
	return everywhere, inResults
}

// AllStrict returns every rule with the patterns and checks of the strict profile.
func AllStrict() []scanner.Rule {
	all := All()
	for i := range all {
		r := &all[i]
		r.Patterns = append(slices.Clone(r.Patterns), designPatterns(r.ID)...)
		switch r.ID {
		case crossserver.ShadowTool.ID:
			r.Judge = crossserver.JudgeShadows(scanner.Block)
		case crossserver.ServerLookalike.ID:
			r.Judge = crossserver.JudgeServerName(crossserver.AlikeByLetters)
		}
	}
	return all
}

// mentioned maps each rule to the patterns of the agentsh design that the strict profile adds to it.
// Dots in file names are escaped. The white space after IMPORTANT: is inside the negative lookahead:
// outside it, a backtracking engine could match fewer spaces and so evade the exceptions.
var mentioned = map[string]map[string]string{
	"men-credential": {
		"ssh_dir":      `~/\.ssh`,
		"ssh_key":      `\.ssh/id_`,
		"env_file":     `\.env`,
		"credentials":  `credentials`,
		"api_key":      `api[_-]?key`,
		"secret_key":   `secret[_-]?key`,
		"access_token": `access[_-]?token`,
		"private_key":  `private[_-]?key`,
		"passwd_file":  `passwd`,
		"shadow_file":  `shadow`,
	},
	"men-exfil-command": {
		"curl_upload": `curl\s+.*\s+https?://`,
		"wget":        `wget\s+`,
		"netcat":      `nc\s+-`,
		"netcat_full": `netcat`,
		"base64_curl": `base64.*\|.*curl`,
		"pipe_curl":   `\|\s*curl`,
	},
	"men-directive": {
		"important_suspicious": `IMPORTANT:(?!\s*(?:read|see|note the))`,
		"hidden_directive":     `HIDDEN:`,
		"secret_directive":     `SECRET:`,
		"do_not_show":          `DO NOT SHOW`,
		"ignore_previous":      `IGNORE PREVIOUS`,
		"system_override":      `SYSTEM OVERRIDE`,
	},
	"men-shell-syntax": {
		"semicolon_cmd":    `;\s*[a-z]`,
		"pipe_cmd":         `\|\s*[a-z]`,
		"and_cmd":          `&&\s*[a-z]`,
		"cmd_substitution": `\$\(`,
		"backtick_exec":    "`[^`]+`",
	},
	"men-path-traversal": {
		"dot_dot_traversal": `\.\./\.\.`,
		"etc_dir":           `/etc/`,
		"root_dir":          `/root/`,
		"home_hidden":       `/home/[^/]+/\.`,
	},
}

// designPatterns returns the patterns that the agentsh design adds to a rule.
func designPatterns(rule string) (out []scanner.Pattern) {
	for _, name := range slices.Sorted(maps.Keys(mentioned[rule])) {
		p, err := text.Custom(name, mentioned[rule][name])
		if err != nil {
			panic("the pattern " + name + " of the strict profile: " + err.Error())
		}
		out = append(out, p)
	}
	return out
}
