package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

// LoadPolicy reads a policy in the language given by the file extension. It also
// returns the parts of the file that have no effect, so that the caller can warn about them.
func LoadPolicy(name string) (p *policy.Policy, idle []policy.Problem, err error) {
	data, err := ReadUpTo("the policy", name, config.MaxPolicy)
	if err != nil {
		return nil, nil, err
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".toml":
		rules, err := config.ParsePolicy(name, data)
		if err != nil {
			return nil, nil, err
		}
		return rules, rules.Idle(), nil
	case ".yaml", ".yml":
		return listPolicy(name, data)
	}
	return nil, nil, fmt.Errorf("reading the policy %s: expected a file name that ends in .toml, .yaml or .yml", name)
}

// listPolicy returns the policy in a file such as mcpscan.yaml. A policy without effect is an
// error, because the user named it explicitly.
func listPolicy(name string, data []byte) (*policy.Policy, []policy.Problem, error) {
	settings, err := config.ParseSettings(name, data, Vocabulary())
	switch {
	case err != nil:
		return nil, nil, err
	case settings.Policy == nil:
		return nil, nil, fmt.Errorf("%s: not a policy: expected server_policy, tool_policy, allowed_tools or similar keys", name)
	case !settings.Policy.Enforced:
		return nil, nil, fmt.Errorf("%s:%s: this policy has no effect: enforce_policy is not true", name, settings.Policy.At)
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

// AddPolicies adds policies, and the options that they need, to the engine's options. It returns
// the parts of the policies that have no effect.
func AddPolicies(o *scanner.Options, names []string) (idle []string, err error) {
	for _, name := range names {
		p, vain, err := LoadPolicy(name)
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
		if o.Policy == nil {
			o.Policy = p
		} else {
			o.Policy = strictest{o.Policy, p}
		}
	}
	return idle, nil
}

// strictest combines two policies: the stricter verdict wins; if both are equally strict, the first
// one wins.
type strictest struct{ first, second scanner.Policy }

// Decide returns the stricter policy's decision.
func (s strictest) Decide(r *scanner.PolicyRequest) scanner.Decision {
	first, second := s.first.Decide(r), s.second.Decide(r)
	if second.Verdict > first.Verdict {
		return second
	}
	return first
}
