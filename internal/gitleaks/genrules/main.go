// Command genrules generates rules.jsonl from the rule set that gitleaks publishes as
// config/gitleaks.toml in its module (github.com/zricethezav/gitleaks/v8 v8.30.1).
//
//	go run ./internal/gitleaks/genrules gitleaks.toml >internal/gitleaks/rules.jsonl
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/mcpscan/mcpscan/internal/gitleaks"
)

type allowlist struct {
	Condition, RegexTarget    string
	Paths, Regexes, Stopwords []string
}

type ruleSet struct {
	Allowlist allowlist
	Rules     []struct {
		ID, Regex, Path string
		SecretGroup     int
		Entropy         float64
		Keywords        []string
		Allowlists      []allowlist
	}
}

func main() {
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(name string) error {
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var set ruleSet
	if err := toml.Unmarshal(raw, &set); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	all := gitleaks.Rule{ID: gitleaks.OfAll}
	except(&all, set.Allowlist)
	if err := out.Encode(all); err != nil {
		return err
	}
	for _, r := range set.Rules {
		// Skip rules for paths, which do not describe credentials, and generic-api-key, which is a
		// word list: rules/configuration has its own check of names and values.
		if r.Path != "" || r.ID == "generic-api-key" {
			continue
		}
		rule := gitleaks.Rule{ID: r.ID, Regex: r.Regex, Group: r.SecretGroup, Entropy: r.Entropy}
		for _, k := range r.Keywords {
			rule.Keywords = append(rule.Keywords, strings.ToLower(k))
		}
		except(&rule, r.Allowlists...)
		if err := out.Encode(rule); err != nil {
			return err
		}
	}
	return nil
}

// except adds a rule's exceptions. Allowlists that depend on a file's path or on the line around a
// match are omitted, because a value in a configuration has neither.
func except(r *gitleaks.Rule, lists ...allowlist) {
	for _, a := range lists {
		if a.RegexTarget == "" && a.Condition == "" {
			r.Regexes = append(r.Regexes, a.Regexes...)
			r.Stopwords = append(r.Stopwords, a.Stopwords...)
		}
	}
}
