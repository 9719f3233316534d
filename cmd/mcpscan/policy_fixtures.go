package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

type policyTestCmd struct {
	Policy     []string `required:"" help:"The policy: TOML, or YAML as in mcpscan.yaml. Repeatable; the strictest decision applies." placeholder:"FILE" sep:"none"`
	Fixture    []string `help:"A request as JSON, with the expected decision. Repeatable." placeholder:"FILE" sep:"none"`
	FixtureDir []string `help:"A directory whose .json files, including those in subdirectories, are fixtures." placeholder:"DIR" sep:"none"`
	Expect     string   `help:"Expected decision for every fixture, in addition to its own: allow, log, prompt, deny (or block)." placeholder:"ACTION" default:"" enum:",allow,log,prompt,deny,block"`
	JSON       bool     `help:"Write JSON instead of a table."`
}

// fixture is a request with its expected decision.
type fixture struct {
	name     string
	expected []string // actions; empty for a fixture that is only shown
	event    *scanner.Event
}

// fixtureRow is one row of the output of mcpscan policy test.
type fixtureRow struct {
	Fixture  string   `json:"fixture"`
	Method   string   `json:"method"`
	Target   string   `json:"target"`
	Decision string   `json:"decision"`
	Expected []string `json:"expected"`
	Result   string   `json:"result"` // ok, mismatch, or shown if nothing was expected
	Rule     string   `json:"rule"`
	Reason   string   `json:"reason"`
	File     string   `json:"file"` // file of the policy
	Line     int      `json:"line"`
	Column   int      `json:"column"`
}

// Run tests the fixtures.
func (c *policyTestCmd) Run(ctx context.Context, std streams) error {
	var options scanner.Options
	if _, err := app.AddPolicies(&options, c.Policy); err != nil {
		return err
	}
	fixtures, err := c.fixtures()
	if err != nil {
		return err
	}
	rows, err := decide(ctx, options, fixtures)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(std.out, rows)
	} else {
		t := newTable("result", "fixture", "request", "decision", "expected", "rule", "at")
		for _, r := range rows {
			at := "-"
			if r.Line > 0 {
				at = fmt.Sprintf("%s:%d", r.File, r.Line)
			}
			t.add(r.Result, r.Fixture, strings.TrimSpace(r.Method+" "+r.Target), r.Decision, cmp.Or(strings.Join(r.Expected, " and "), "-"), cmp.Or(r.Rule, "-"), at)
		}
		err = t.write(std.out)
	}
	if err == nil && slices.ContainsFunc(rows, func(r fixtureRow) bool { return r.Result == "mismatch" }) {
		err = &exitError{code: exitFindings}
	}
	return err
}

// decide runs the fixtures through the engine, so that a policy sees them as recorded requests.
func decide(ctx context.Context, o scanner.Options, fixtures []fixture) ([]fixtureRow, error) {
	engine, err := scanner.New(nil, o)
	if err != nil {
		return nil, err
	}
	var events []*scanner.Event
	for _, f := range fixtures {
		events = append(events, f.event)
	}
	var rows []fixtureRow
	_, err = engine.Run(ctx, replay.Events(events), sink{event: func(e *scanner.Event, out *scanner.Outcome) {
		rows = append(rows, fixtures[len(rows)].row(out))
	}})
	return rows, err
}

// row returns the output row for a fixture with the given outcome.
func (f *fixture) row(out *scanner.Outcome) fixtureRow {
	r := fixtureRow{Fixture: f.name, Expected: append([]string{}, f.expected...), Result: "shown"}
	if len(out.Messages) == 0 {
		r.Decision, r.Result = "not read", "mismatch"
		return r
	}
	m := &out.Messages[0]
	d := m.Decision
	r.Method, r.Target, r.Decision, r.Rule, r.Reason = m.Method, m.Target, d.Verdict.String(), d.Rule, d.Reason
	r.File, r.Line, r.Column = d.Location.File, d.Location.Line, d.Location.Column
	for i, word := range f.expected {
		if v, _ := policy.Action(word).Verdict(); v != d.Verdict {
			r.Result = "mismatch"
		} else if i == 0 {
			r.Result = "ok"
		}
	}
	return r
}

// Limits on fixtures.
const (
	maxFixtures = 10_000
	maxFixture  = 16 << 20
)

// fixtures reads all fixtures that the flags name. An unreadable fixture fails the test, because a
// skipped one could go unnoticed.
func (c *policyTestCmd) fixtures() ([]fixture, error) {
	names := slices.Clone(c.Fixture)
	for _, dir := range c.FixtureDir {
		before := len(names)
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.EqualFold(filepath.Ext(name), ".json") {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			return nil, usage("reading the fixtures: %w", err)
		}
		if len(names) == before {
			return nil, usage("no fixture in %s: expected .json files", dir)
		}
	}
	switch {
	case len(names) == 0:
		return nil, usage("nothing to test: name fixtures with --fixture FILE or --fixture-dir DIR")
	case len(names) > maxFixtures:
		return nil, usage("more than %d fixtures: split the test", maxFixtures)
	}
	var out []fixture
	var failed []error
	for i, name := range names {
		f, err := readFixture(name)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		f.event.Session = fmt.Sprintf("fixture %d", i+1)
		if c.Expect != "" {
			f.expected = slices.Compact(append(f.expected, c.Expect))
		}
		out = append(out, f)
	}
	if len(failed) > 0 {
		return nil, errors.Join(failed...)
	}
	return out, nil
}

func readFixture(name string) (fixture, error) {
	data, err := app.ReadUpTo("the fixture", name, maxFixture)
	if err == nil && len(data) > maxFixture {
		err = fmt.Errorf("reading the fixture %s: larger than %d MiB", name, maxFixture>>20)
	}
	if err != nil {
		return fixture{}, err
	}
	return parseFixture(name, data)
}

// fixtureKeys lists the keys that a fixture may have.
var fixtureKeys = []string{"method", "params", "expected", "server", "description", "jsonrpc", "id"}

// parseFixture parses a fixture: a JSON-RPC request, or only its method and params. Its own keys
// are checked strictly, but its params may be as malformed as an attacker's.
func parseFixture(name string, data []byte) (fixture, error) {
	var doc wire.Doc
	at := func(off int, format string, args ...any) error {
		loc := scanner.Origin{File: name, Line: 1, Column: 1, Exact: true}.At(data, off)
		return fmt.Errorf("%s:%d:%d: %s", name, loc.Line, loc.Column, fmt.Sprintf(format, args...))
	}
	if err := doc.Parse(data); err != nil {
		if syntax, ok := errors.AsType[*wire.SyntaxError](err); ok {
			return fixture{}, at(syntax.Offset, "not JSON: %s", syntax.Msg)
		}
		return fixture{}, at(0, "%s", err)
	}
	if doc.Kind(0) != wire.Object {
		return fixture{}, at(0, "expected an object with method, params and expected, found %s", doc.Kind(0))
	}
	for c := doc.First(0); c >= 0; c = doc.Next(c) {
		key := doc.KeyString(c)
		if !slices.Contains(fixtureKeys, key) {
			return fixture{}, at(int(doc.Nodes[c].KeyStart), "unknown key %s%s", config.Quoted(key), config.Hint(key, fixtureKeys))
		}
		if last := doc.Get(0, key); last != c {
			return fixture{}, at(int(doc.Nodes[last].KeyStart), "duplicate key %q; keep one", key)
		}
	}
	f := fixture{name: name, event: &scanner.Event{Direction: mcp.ClientToServer, Origin: scanner.Origin{File: name, Line: 1, Column: 1}}}
	return f, f.fill(&doc, at)
}

// fill sets the fields of a fixture from its JSON members.
func (f *fixture) fill(doc *wire.Doc, at func(int, string, ...any) error) error {
	texts := map[string]string{}
	for _, key := range [...]string{"method", "expected", "server", "description"} {
		i := doc.Get(0, key)
		if i < 0 {
			continue
		}
		s, ok := doc.Str(0, key)
		if !ok {
			return at(int(doc.Nodes[i].Start), "expected a string for %s, found %s", key, doc.Kind(i))
		}
		texts[key] = s
	}
	method, params := texts["method"], doc.Get(0, "params")
	needed := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}[method]
	switch {
	case method == "":
		return at(0, "expected the key method with a value such as \"tools/call\"")
	case params >= 0 && doc.Kind(params) != wire.Object:
		return at(int(doc.Nodes[params].Start), "expected an object for params, found %s", doc.Kind(params))
	case needed != "" && params < 0:
		return at(0, "expected params with %s: the policy needs it to decide on %s", needed, method)
	case needed != "":
		if s, ok := doc.Str(params, needed); !ok || s == "" {
			return at(int(doc.Nodes[params].Start), "expected params with %s: the policy needs it to decide on %s", needed, method)
		}
	}
	if word := texts["expected"]; word != "" || doc.Get(0, "expected") >= 0 {
		if _, known := policy.Action(word).Verdict(); !known {
			return at(int(doc.Nodes[doc.Get(0, "expected")].Start), "unknown action %s%s", config.Quoted(word), config.Hint(word, policy.Actions))
		}
		f.expected = []string{word}
	}
	f.event.Server = texts["server"]
	if slices.Contains([]string{"sampling/createMessage", "elicitation/create", "roots/list"}, method) {
		f.event.Direction = mcp.ServerToClient
	}
	f.event.Frame = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%s`, doc.Raw(doc.Get(0, "method")))
	if params >= 0 {
		f.event.Frame = fmt.Appendf(f.event.Frame, `,"params":%s`, doc.Raw(params))
	}
	f.event.Frame = append(f.event.Frame, '}')
	return nil
}
