package rules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/internal/intent"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/rules/instructions"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestRules runs all cases. Each archive in testdata/RULE is one case: a sentence, the input in one
// of the forms below, and in "want" the expected findings of that rule, one per line:
//
//	SEVERITY SUBJECT NAME POINTER
//
// with the name of the server for a configuration, and with - for an empty name or pointer. A case
// with an empty "want" is a near twin, which must have no findings. If other rules' findings change
// the result, "alone" contains this rule's findings without the other rules. The forms of input are
//
//	description      the description of one tool
//	result           the text of one tool result
//	definition.json  a document of definitions
//	frames           one frame per line, as [SERVER[/SESSION]] DIRECTION FRAME with > from the client and < from the server; <<N times TEXT>> repeats a text N times, with # for the number
//	events.jsonl     a recording
//	exchange.har     a recording with HTTP headers
//	config/PATH      a client configuration at PATH; several are inspected in one run, and those in config/home/ belong to the user
//	mcpscan.lock     a lockfile
//	mcpscan.yaml     settings, which are compared with base.yaml
//
// An archive may also contain the approved state:
//
//	approved.json    a document of definitions of one server, whatever its name
//	approved.lock    a lockfile; if the input is a lockfile, its previous version
//
// and a policy:
//
//	policy.yaml      the policy keys of mcpscan.yaml
func TestRules(t *testing.T) {
	for _, rule := range rules.All() {
		for _, file := range cases(t, rule.ID) {
			t.Run(rule.ID+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				ar := archive(t, file)
				want := lines(member(ar, "want"))
				for name, set := range map[string][]scanner.Rule{"alone": {rule}, "with all others": rules.All()} {
					want := want
					if has(ar, "alone") && name == "alone" {
						want = lines(member(ar, "alone"))
					}
					got := findings(t, set, ar, rule.ID)
					if name != "alone" && instructions.Doubtful(&rule, intent.Results) {
						got, want = withoutDoubt(&rule, got), withoutDoubt(&rule, want)
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s:\ngot:\n%s\nwant:\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
				}
			})
		}
	}
}

// TestLearnedIsLast checks that the rules whose findings the classifier uses inspect a text before
// it is classified. Rules with patterns run before all others.
func TestLearnedIsLast(t *testing.T) {
	all := rules.All()
	at := slices.IndexFunc(all, func(r scanner.Rule) bool { return r.ID == instructions.LearnedID })
	for _, r := range all[at+1:] {
		if instructions.Doubtful(&r, intent.Results) && (r.Definition != nil || r.Result != nil) {
			t.Errorf("%s comes after %s", r.ID, instructions.LearnedID)
		}
	}
}

// withoutDoubt returns a rule's findings with the severities that they have if the classifier
// considers all texts benign.
func withoutDoubt(r *scanner.Rule, findings []string) []string {
	lowered := slices.Clone(findings)
	for i, f := range lowered {
		var s scanner.Severity
		if severity, rest, found := strings.Cut(f, " "); found && s.UnmarshalText([]byte(severity)) == nil {
			lowered[i] = instructions.Doubted(r, s, nil, intent.Results, true).String() + " " + rest
		}
	}
	slices.Sort(lowered)
	return lowered
}

// TestEveryRuleProvesItself checks that each rule has three cases with findings,
// one of them at the declared severity, and three near twins.
func TestEveryRuleProvesItself(t *testing.T) {
	for _, rule := range rules.All() {
		fire, silent, reached := 0, 0, false
		for _, file := range cases(t, rule.ID) {
			want := lines(member(archive(t, file), "want"))
			if len(want) == 0 {
				silent++
				continue
			}
			fire++
			reached = reached || slices.ContainsFunc(want, func(l string) bool { return strings.HasPrefix(l, rule.Severity.String()+" ") })
		}
		if fire < 3 || silent < 3 {
			t.Errorf("testdata/%s has %d cases that fire and %d near twins; each rule needs three of both", rule.ID, fire, silent)
		}
		if !reached {
			t.Errorf("no case in testdata/%s wants the severity that the rule declares, %s", rule.ID, rule.Severity)
		}
	}
}

// inputs contains the members of an archive that contain input.
var inputs = []string{"description", "result", "definition.json", "frames", "events.jsonl", "exchange.har", "mcpscan.lock", "mcpscan.yaml"}

// besides maps each archive member that may accompany an input to its kind. A case has at most one
// of each kind.
var besides = map[string]string{"alone": "alone", "approved.json": "approved", "approved.lock": "approved", "policy.yaml": "policy", "base.yaml": "base"}

// archive reads a case, and rejects members that the harness would ignore.
func archive(t *testing.T, file string) *txtar.Archive {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(ar.Comment)) == "" {
		t.Errorf("%s does not begin with a sentence that says what it shows", file)
	}
	var names []string
	for _, f := range ar.Files {
		names = append(names, f.Name)
		if strings.HasPrefix(f.Name, "config/") {
			names[len(names)-1] = "config"
		} else if kind := besides[f.Name]; kind != "" {
			if names[len(names)-1] = kind; slices.Contains(names[:len(names)-1], kind) {
				t.Errorf("%s: %q occurs twice", file, f.Name)
			}
		} else if f.Name != "want" && !slices.Contains(inputs, f.Name) {
			t.Errorf("%s: unknown member %q: expected want and one of %s", file, f.Name, strings.Join(inputs, ", "))
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return name == "alone" || name == "approved" || name == "policy" || name == "base"
	})
	if names = slices.Compact(names); len(names) != 2 || !slices.Contains(names, "want") {
		t.Errorf("%s has the members %q: expected want and one input", file, names)
	}
	return ar
}

// TestNoStrayTestdata checks that every folder of cases belongs to a rule.
func TestNoStrayTestdata(t *testing.T) {
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if !slices.ContainsFunc(rules.All(), func(r scanner.Rule) bool { return r.ID == d.Name() }) {
			t.Errorf("testdata/%s belongs to no rule in All", d.Name())
		}
	}
}

// TestEveryRuleFileIsListed checks that All contains every rule.
func TestEveryRuleFileIsListed(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		declared += strings.Count(string(src), "= scanner.Rule{\n")
	}
	if listed := len(rules.All()); listed != declared {
		t.Errorf("All lists %d rules and the package declares %d: add the new one to All", listed, declared)
	}
}

func TestRulesAreValid(t *testing.T) {
	if _, err := scanner.New(rules.All(), scanner.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range rules.All() {
		for _, p := range r.AllPatterns() {
			if err := p.Validate(); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
		}
	}
}

func cases(t *testing.T, rule string) []string {
	files, err := filepath.Glob(filepath.Join("testdata", rule, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func has(ar *txtar.Archive, name string) bool {
	return slices.ContainsFunc(ar.Files, func(f txtar.File) bool { return f.Name == name })
}

func member(ar *txtar.Archive, name string) string {
	for _, f := range ar.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func lines(s string) []string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// findings runs rules over the input of a case, and returns one rule's findings.
func findings(t *testing.T, set []scanner.Rule, ar *txtar.Archive, rule string) []string {
	t.Helper()
	c := &collect{rule: rule}
	res, err := against(t, under(t, set, member(ar, "policy.yaml")), ar).Run(context.Background(), source(t, ar), c)
	if err != nil {
		t.Fatal(err)
	}
	// A near twin that is not valid JSON would have no findings for the wrong reason.
	if !strings.HasPrefix(rule, "prt-") && len(res.Coverage.Skipped)+res.Coverage.Noise > 0 {
		t.Errorf("the input was not inspected in full: %+v", res.Coverage)
	}
	return c.got
}

// against returns an engine that compares a case's input with the approved state in the case.
func against(t *testing.T, e *scanner.Engine, ar *txtar.Archive) *scanner.Engine {
	t.Helper()
	var events []*scanner.Event
	var err error
	pair := has(ar, "approved.json")
	switch {
	case pair:
		events, err = replay.Definitions("approved.json", []byte(member(ar, "approved.json")))
	case has(ar, "approved.lock"):
		events, err = locked("approved.lock", member(ar, "approved.lock"), true)
	default:
		return e
	}
	approved := scanner.NewSnapshot()
	if err == nil {
		_, err = e.Keeping().Run(context.Background(), replay.Events(events), approved)
	}
	if err != nil {
		t.Fatal(err)
	}
	if pair {
		return e.Since(approved, true)
	}
	return e.Against(approved, approved)
}

func locked(name, text string, approved bool) ([]*scanner.Event, error) {
	f, err := lockfile.Parse(name, []byte(text))
	if err != nil {
		return nil, err
	}
	return f.Events(approved), nil
}

// engines caches the engine of each set of rules, because compiling it takes longer
// than a case.
var engines = map[string]*scanner.Engine{}

// engine returns an engine for one rule or for all.
func engine(t *testing.T, set []scanner.Rule) *scanner.Engine {
	t.Helper()
	return under(t, set, "")
}

// under returns an engine with a policy.
func under(t *testing.T, set []scanner.Rule, policy string) *scanner.Engine {
	t.Helper()
	key := "all"
	if len(set) == 1 {
		key = set[0].ID
	}
	key += "\x00" + policy
	if engines[key] == nil {
		engines[key] = compiled(t, set, policy)
	}
	return engines[key]
}

// compiled returns a new engine with a policy.
func compiled(t *testing.T, set []scanner.Rule, policy string) *scanner.Engine {
	t.Helper()
	settings, err := config.ParseSettings("policy.yaml", []byte(policy), config.Vocabulary{})
	if err != nil {
		t.Fatal(err)
	}
	options := scanner.Options{Workers: 2, Pinning: settings.Pinning(), Limits: settings.Limits()}
	if p := settings.Policy; p != nil {
		options.Policy, options.AgentSH, options.Environment = p.Policy(), p.Hashes(), p
	}
	e, err := scanner.New(set, options)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

type collect struct {
	rule string
	got  []string
}

func (c *collect) Event(*scanner.Event, *scanner.Outcome) error { return nil }

func (c *collect) Finding(f *scanner.Finding) error {
	if f.Rule.ID == "rule-crashed" {
		c.got = append(c.got, f.Message)
	}
	if f.Rule.ID == c.rule {
		dash := func(s string) string {
			if s == "" {
				return "-"
			}
			return strings.ReplaceAll(s, " ", "_")
		}
		name := f.Name
		if f.Subject == mcp.ConfigSubject {
			name = f.Server
		}
		c.got = append(c.got, fmt.Sprintf("%s %s %s %s", f.Severity, f.Subject, dash(name), dash(f.Pointer)))
	}
	return nil
}

func source(t *testing.T, ar *txtar.Archive) scanner.Source {
	t.Helper()
	if events := configurations(t, ar); events != nil {
		return replay.Events(events)
	}
	for _, f := range ar.Files {
		text := strings.TrimSuffix(string(f.Data), "\n")
		switch f.Name {
		case "description":
			return frames(t, described("the_tool", text))
		case "result":
			return frames(t, said(text))
		case "definition.json":
			events, err := replay.Definitions(f.Name, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			return replay.Events(events)
		case "mcpscan.lock":
			events, err := locked(f.Name, string(f.Data), false)
			if err != nil {
				t.Fatal(err)
			}
			return replay.Events(events)
		case "mcpscan.yaml":
			return replay.Events([]*scanner.Event{settings(t, member(ar, "base.yaml"), string(f.Data))})
		case "frames":
			return frames(t, unrolled(text))
		case "events.jsonl", "exchange.har":
			src, err := replay.Open(f.Name, strings.NewReader(text+"\n"), replay.Options{MaxMessage: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			return src
		}
	}
	t.Fatal("the archive has no input")
	return nil
}

// settings returns the event for a change of mcpscan.yaml.
func settings(t *testing.T, before, now string) *scanner.Event {
	t.Helper()
	v := config.Vocabulary{Rules: rules.All(), Fields: rules.Fields}
	var parsed [2]*config.Settings
	for i, text := range [...]string{before, now} {
		s, err := config.ParseSettings("mcpscan.yaml", []byte(text), v)
		if err != nil {
			t.Fatal(err)
		}
		parsed[i] = s
	}
	return &scanner.Event{Kind: scanner.SettingsEvent, Origin: scanner.Origin{File: "mcpscan.yaml", Line: 1, Column: 1}, Settings: &configfile.ChangedSettings{
		Path: "mcpscan.yaml", Was: []byte(before), Now: []byte(now), Changes: config.Compare(parsed[0], parsed[1], []byte(now), v)}}
}

// configurations returns the events for the client configurations in an archive.
func configurations(t *testing.T, ar *txtar.Archive) []*scanner.Event {
	t.Helper()
	var events []*scanner.Event
	for _, f := range ar.Files {
		name, ok := strings.CutPrefix(f.Name, "config/")
		if !ok {
			continue
		}
		file, err := config.Parse(name, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range file.Entries {
			if len(s.Problems) > 0 {
				t.Errorf("%s: server %s: %s", f.Name, s.Name, s.Problems)
			}
		}
		file.SeeThrough(func(program string) bool { return program == "/usr/local/bin/mcpscan" })
		file.User = strings.HasPrefix(name, "home/")
		events = append(events, &scanner.Event{Kind: scanner.ConfigEvent, Config: &file.ClientConfig, Origin: scanner.Origin{File: name, Line: 1, Column: 1}})
	}
	return events
}

// frames returns the events for lines such as "srv/s2 < {…}".
func frames(t *testing.T, text string) scanner.Source {
	t.Helper()
	var events []*scanner.Event
	now := time.Date(2026, 1, 6, 10, 30, 0, 0, time.UTC)
	for i, l := range strings.Split(text, "\n") {
		head, frame, direction := l, "", mcp.Unknown
		if h, f, ok := cutAny(l, "< ", "> "); ok {
			head, frame, direction = h, f, mcp.ServerToClient
			if l[len(h)] == '>' {
				direction = mcp.ClientToServer
			}
		}
		if direction == mcp.Unknown {
			t.Fatalf("line %d: expected [SERVER[/SESSION]] < or > FRAME", i+1)
		}
		server, session, _ := strings.Cut(strings.TrimSpace(head), "/")
		if server == "" {
			server = "srv"
		}
		if session == "" {
			session = "s1"
		}
		events = append(events, &scanner.Event{Time: now.Add(time.Duration(i) * time.Second), Session: session, Server: server, Transport: "stdio",
			Direction: direction, Frame: []byte(frame), Origin: scanner.Origin{File: "frames", Line: i + 1, Column: 1, Exact: true}})
	}
	return replay.Events(events)
}

// cutAny cuts s at the first separator that occurs in it.
func cutAny(s string, seps ...string) (before, after string, ok bool) {
	at, length := -1, 0
	for _, sep := range seps {
		if i := strings.Index(s, sep); i >= 0 && (at < 0 || i < at) {
			at, length = i, len(sep)
		}
	}
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+length:], true
}

// quote returns a JSON string without escaping non-ASCII characters.
func quote(s string) string {
	b := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20 || r == 0x7F:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, '"'))
}
