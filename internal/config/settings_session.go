package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/scanner"
)

// CrossServer contains the settings for calls in sessions with several servers. A zero or nil field
// means the engine's default.
type CrossServer struct {
	Enabled         *bool // false disables all of the following
	SimilarityCheck *bool // compare server names
	ReadThenSend    ReadThenSend
	Flow            CrossServerFlow
	Burst           Burst
	Categories      []ToolCategory
}

// ToolCategory sets the category of tools whose server and name match the globs; an empty glob
// matches all.
type ToolCategory struct {
	Server, Tool string
	Category     capability.Category
}

// maxCategories is the maximum number of entries in categories. They are tried one after another for
// each call.
const maxCategories = 1000

// ReadThenSend configures the detection of a send after a read on another server.
type ReadThenSend struct {
	Enabled *bool
	Window  time.Duration
}

// CrossServerFlow configures the detection of a call that is not a send and that follows a read on
// another server.
type CrossServerFlow struct {
	Enabled      *bool
	SameTurnOnly *bool
	Window       time.Duration
}

// Burst configures the detection of more than MaxCalls calls to one server within a window.
type Burst struct {
	Enabled  *bool // true blocks every call beyond the limit; nil blocks only the calls that the burst rule blocks by default
	MaxCalls int
	Window   time.Duration
}

// RateLimits limits how often servers may be called.
type RateLimits struct {
	Enabled      *bool // nil is off
	DefaultRPM   int
	DefaultBurst int
	PerServer    map[string]scanner.RateLimit
}

// Limits returns the limits for the calls in a session.
func (s *Settings) Limits() scanner.Limits {
	c, r := &s.CrossServer, &s.RateLimits
	return scanner.Limits{
		ReadThenSend: c.ReadThenSend.Window,
		Flow:         c.Flow.Window,
		AnyTurn:      c.Flow.SameTurnOnly != nil && !*c.Flow.SameTurnOnly,
		BurstCalls:   c.Burst.MaxCalls,
		BurstWindow:  c.Burst.Window,
		BlockBursts:  s.Profile.Name == "strict" || c.Burst.Enabled != nil && *c.Burst.Enabled,
		Rate:         scanner.RateLimit{CallsPerMinute: r.DefaultRPM, Burst: r.DefaultBurst},
		Rates:        r.PerServer,
		Category:     c.category(),
	}
}

// category returns a function that looks up a tool's category, or nil if none is set. The last
// matching entry wins, as with overrides.
func (c *CrossServer) category() func(server, tool string) (capability.Category, bool) {
	if len(c.Categories) == 0 {
		return nil
	}
	return func(server, tool string) (capability.Category, bool) {
		for _, t := range slices.Backward(c.Categories) {
			if matchesGlob(t.Server, server) && matchesGlob(t.Tool, tool) {
				return t.Category, true
			}
		}
		return capability.Unknown, false
	}
}

// enabledKey returns the value of the key that switches a rule on or off, alone or together with other
// rules, or nil if that key is not set. For a rule without a key of its own, this is the key for
// findings in results if output is set, or else detection.enabled for a rule that reads texts.
func (s *Settings) enabledKey(r *scanner.Rule, output bool) *bool {
	c, enabled := &s.CrossServer, (*bool)(nil)
	switch r.ID {
	case "rate-limit":
		return s.RateLimits.Enabled
	case "version-pin", "binary-mismatch":
		return s.pinned(r.ID)
	case "xs-server-lookalike":
		enabled = c.SimilarityCheck
	case "read-then-send":
		enabled = c.ReadThenSend.Enabled
	case "cross-server-flow":
		enabled = c.Flow.Enabled
	case "burst":
		enabled = c.Burst.Enabled
	default:
		if output {
			return s.Outputs.Enabled
		}
		if readsTexts(r) {
			return s.Definitions
		}
		return nil
	}
	if c.Enabled != nil && !*c.Enabled {
		return c.Enabled
	}
	return enabled
}

// pinned returns the policy's switch for a pinning rule, or nil if it is not set.
func (s *Settings) pinned(rule string) *bool {
	switch {
	case s.Policy == nil:
		return nil
	case rule == "version-pin":
		return s.Policy.Pinning.Enabled
	}
	return s.Policy.Pinning.Binary
}

// BlocksBinaries reports whether a server whose binary does not match the pinned one must not be
// started.
func (s *Settings) BlocksBinaries() bool {
	return s.pinsBlock() && (s.Policy.Pinning.Binary == nil || *s.Policy.Pinning.Binary)
}

// pinsBlock reports whether changed definitions are blocked.
func (s *Settings) pinsBlock() bool {
	if s.Policy == nil {
		return false
	}
	pins := &s.Policy.Pinning
	return pins.Enabled != nil && *pins.Enabled && (pins.OnChange == nil || *pins.OnChange == scanner.Block)
}

// Pinning returns the settings for tools that changed since they were trusted.
func (s *Settings) Pinning() *scanner.Pinning {
	p := scanner.DefaultPinning()
	if s.Policy == nil {
		return &p
	}
	pins := s.Policy.Pinning
	if pins.OnChange != nil {
		p.OnChange = *pins.OnChange
	}
	p.Reviewed = pins.TrustFirst != nil && !*pins.TrustFirst
	return &p
}

func (r *settingsReader) crossServer(n *node) {
	c := &r.settings.CrossServer
	r.object(n, keys{
		"enabled":     to(&c.Enabled, r.bool),
		"shadow_tool": r.shadowTool,
		"read_then_send": r.within(keys{
			"enabled": to(&c.ReadThenSend.Enabled, r.bool),
			"window":  to(&c.ReadThenSend.Window, r.window),
		}),
		"cross_server_flow": r.within(keys{
			"enabled":        to(&c.Flow.Enabled, r.bool),
			"same_turn_only": to(&c.Flow.SameTurnOnly, r.bool),
			"window":         to(&c.Flow.Window, r.window),
		}),
		"burst": r.within(keys{
			"enabled":   to(&c.Burst.Enabled, r.bool),
			"max_calls": to(&c.Burst.MaxCalls, r.calls),
			"window":    to(&c.Burst.Window, r.window),
		}),
		"categories": func(n *node) {
			if len(n.items) > maxCategories {
				r.fail(n.pos, "more than %d categories, which are tried one after another for every call; use globs", maxCategories)
				return
			}
			r.list(n, r.toolCategory)
		},
	})
}

// toolCategory reads one entry of categories.
func (r *settingsReader) toolCategory(n *node) {
	var t ToolCategory
	said := false
	before := len(r.problems)
	r.object(n, keys{
		"server": to(&t.Server, r.glob),
		"tool":   to(&t.Tool, r.glob),
		"category": func(n *node) {
			t.Category = capability.ParseCategory(r.oneOf(n, "category", capability.CategoryNames()...))
			said = true
		},
	})
	switch {
	case len(r.problems) > before:
	case t.Server == "" && t.Tool == "":
		r.fail(n.pos, "this category matches all tools: name a server or a tool")
	case !said:
		r.fail(n.pos, "an entry needs a category: %s", strings.Join(capability.CategoryNames(), ", "))
	default:
		r.scope(n.pos, "this category", t.Server, t.Tool)
		r.settings.CrossServer.Categories = append(r.settings.CrossServer.Categories, t)
	}
}

func (r *settingsReader) rateLimits(n *node) {
	l := &r.settings.RateLimits
	r.object(n, keys{
		"enabled":       to(&l.Enabled, r.bool),
		"default_rpm":   to(&l.DefaultRPM, r.calls),
		"default_burst": to(&l.DefaultBurst, r.calls),
		"per_server": func(n *node) {
			if n.kind != kindObject && n.kind != kindNull {
				r.fail(n.pos, "expected server names with their limits, found %s", n.kind)
			}
			l.PerServer = map[string]scanner.RateLimit{}
			r.members(n, func(m member) {
				var own scanner.RateLimit
				r.object(m.value, keys{
					"calls_per_minute": to(&own.CallsPerMinute, r.calls),
					"burst":            to(&own.Burst, r.calls),
				})
				l.PerServer[m.key] = own
				r.oneServer(m.pos, "the limit of "+Quoted(m.key), m.key)
			})
		},
	})
}

// longestWindow is the maximum length of the window for a flow or a burst.
const longestWindow = 24 * time.Hour

// window parses a duration. A bare number is invalid because it has no unit.
func (r *settingsReader) window(n *node) time.Duration {
	d, err := time.ParseDuration(n.text)
	if n.kind != kindString || err != nil || d <= 0 || d > longestWindow {
		r.fail(n.pos, `expected a duration such as "30s", above 0 and up to %gh`, longestWindow.Hours())
		return 0
	}
	return d
}

// calls parses a number of calls.
func (r *settingsReader) calls(n *node) int {
	i, err := strconv.Atoi(n.text)
	if n.kind != kindNumber || err != nil || i < 1 || i > scanner.MostCalls {
		r.fail(n.pos, "expected a number of calls, from 1 to %d", scanner.MostCalls)
		return 0
	}
	return i
}
