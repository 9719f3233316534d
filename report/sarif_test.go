package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/mcpscan/mcpscan/scanner"
)

// readTestdata reads a file from testdata. sarif-2.1.0.json is an unchanged copy of the schema to
// which reports refer, https://json.schemastore.org/sarif-2.1.0.json.
func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sarifLog contains the parts of SARIF that these tests check.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []map[string]any `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Invocations []struct {
			ExecutionSuccessful        bool `json:"executionSuccessful"`
			ToolExecutionNotifications []struct {
				Message struct {
					Text string `json:"text"`
				} `json:"message"`
			} `json:"toolExecutionNotifications"`
			WorkingDirectory struct {
				URI string `json:"uri"`
			} `json:"workingDirectory"`
		} `json:"invocations"`
		Results []sarifResult `json:"results"`
	} `json:"runs"`
}

type sarifResult struct {
	RuleID    string `json:"ruleId"`
	RuleIndex int    `json:"ruleIndex"`
	Level     string `json:"level"`
	Message   struct {
		Text string `json:"text"`
	} `json:"message"`
	Locations []struct {
		PhysicalLocation struct {
			ArtifactLocation struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
		} `json:"physicalLocation"`
	} `json:"locations"`
}

func parseSARIF(t testing.TB, out string) sarifLog {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

func TestSARIFFitsTheSchema(t *testing.T) {
	schema := compile(t, decode(t, readTestdata(t, "sarif-2.1.0.json")))
	empty := NewCollector(scanner.Note).Report(nil, "dev", scanner.Result{})
	for name, r := range map[string]*Report{"sample": sample(t), "decided": decidedSample(t), "empty": empty} {
		out := render(t, "sarif", r, Options{Rules: sampleRules()})
		if err := schema.Validate(decode(t, []byte(out))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(out, `"results": [`) {
			t.Errorf("%s: there are no results, not even an empty list", name)
		}
	}
	broken := strings.Replace(render(t, "sarif", sample(t), Options{}), `"level": "error"`, `"level": "fatal"`, 1)
	if schema.Validate(decode(t, []byte(broken))) == nil {
		t.Error("the schema accepts a level that does not exist")
	}
}

func TestSARIFResult(t *testing.T) {
	run := parseSARIF(t, render(t, "sarif", sample(t), Options{Rules: sampleRules()})).Runs[0]
	if len(run.Tool.Driver.Rules) != 4 {
		t.Errorf("%d rules are declared, want all 4", len(run.Tool.Driver.Rules))
	}
	var got []string
	for _, r := range run.Results {
		got = append(got, fmt.Sprint(r.Level, " ", r.RuleID, " ", r.RuleIndex, " ", r.Locations[0].PhysicalLocation.ArtifactLocation.URI))
	}
	want := "error inj-conceal 0 logs/events.jsonl|error hid-bidi 1 logs/events.jsonl|warning burst 2 logs/events.jsonl"
	if strings.Join(got, "|") != want {
		t.Errorf("results are\n%s\nwant\n%s", strings.Join(got, "|"), want)
	}
	text := "The description tells the model to keep something from the user. Found in: server filesystem, tool read_file, " +
		"field /description. Evidence: »Do not tell the user«. See [related 1](1)."
	if run.Results[0].Message.Text != text {
		t.Errorf("message is\n%s\nwant\n%s", run.Results[0].Message.Text, text)
	}
	inv := run.Invocations[0]
	if inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) != 2 {
		t.Errorf("invocation is %+v, want it unsuccessful with 2 notifications", inv)
	}
}

// TestSARIFSaysWhatWasDecided checks that every finding is written as a result, whatever its
// status.
func TestSARIFSaysWhatWasDecided(t *testing.T) {
	out := render(t, "sarif", decidedSample(t), Options{Rules: sampleRules()})
	if got := len(parseSARIF(t, out).Runs[0].Results); got != 3 {
		t.Errorf("%d results, want 3", got)
	}
	for _, want := range []string{`"baselineState": "new"`, `"baselineState": "unchanged"`, `"kind": "external"`, `"status": "accepted"`, `"justification": "names of files are <U+001B>[31mred<U+001B>[0m"`} {
		if strings.Count(out, want) != 1 {
			t.Errorf("%s occurs %d times, want once", want, strings.Count(out, want))
		}
	}
	if plain := render(t, "sarif", sample(t), Options{}); strings.Contains(plain, "baselineState") || strings.Contains(plain, "suppressions") {
		t.Error("a report without decisions mentions some")
	}
}

func TestSARIFRule(t *testing.T) {
	rules := sampleRules()
	for i := range 30 {
		rules[0].Refs = append(rules[0].Refs, fmt.Sprint("CWE-", i+1))
	}
	rules[0].Why = strings.Repeat("why ", 1000)
	run := parseSARIF(t, render(t, "sarif", sample(t), Options{Rules: rules})).Runs[0]
	properties := run.Tool.Driver.Rules[0]["properties"].(map[string]any)
	if got := fmt.Sprint(properties["tags"]); got != "[security owasp-mcp/mcp03 owasp-llm/llm01 atlas/aml.t0110 "+
		"external/cwe/cwe-1427 external/cwe/cwe-079 external/cwe/cwe-001 external/cwe/cwe-002 external/cwe/cwe-003 external/cwe/cwe-004]" {
		t.Errorf("tags are %s", got)
	}
	if properties["security-severity"] != "9.3" || properties["precision"] != "high" {
		t.Errorf("properties are %v", properties)
	}
	if long := run.Tool.Driver.Rules[0]["fullDescription"].(map[string]any)["text"].(string); len([]rune(long)) > 1024 {
		t.Errorf("the description has %d characters", len([]rune(long)))
	}
	for _, rule := range run.Tool.Driver.Rules {
		if _, ok := rule["name"]; ok {
			t.Errorf("rule %v has a name beside its ID", rule["id"])
		}
	}
	if _, ok := run.Tool.Driver.Rules[3]["properties"].(map[string]any)["security-severity"]; ok {
		t.Error("a note has a security-severity")
	}
}

func TestSARIFKeepsTheWorst(t *testing.T) {
	r := sample(t)
	base := r.Findings[0]
	r.Findings = nil
	for i := range 6000 {
		f := base
		f.Fingerprint, f.Severity = fmt.Sprint("f1:", i), scanner.Low
		if i >= 5000 {
			f.Severity = scanner.High
		}
		f.Message = fmt.Sprint(i)
		r.Findings = append(r.Findings, f)
	}
	run := parseSARIF(t, render(t, "sarif", r, Options{Rules: sampleRules()})).Runs[0]
	if n := len(run.Results); n != 5000 {
		t.Fatalf("%d results, want 5000", n)
	}
	if first, last := run.Results[3999].Message.Text, run.Results[4000].Message.Text; first[:5] != "3999." || last[:5] != "5000." {
		t.Errorf("the results around the limit are %s and %s", first, last)
	}
	if note := run.Invocations[0].ToolExecutionNotifications[0].Message.Text; note != "Only the worst 5000 of 6000 results are listed. The JSON report lists more." {
		t.Errorf("notification is %q", note)
	}
}

func TestSARIFDeclaresUnknownRules(t *testing.T) {
	run := parseSARIF(t, render(t, "sarif", sample(t), Options{Rules: sampleRules()[:1]})).Runs[0]
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex]["id"] != r.RuleID {
			t.Errorf("%s points to rule %d", r.RuleID, r.RuleIndex)
		}
	}
}

func TestSARIFHasNoForeignLinks(t *testing.T) {
	r := sample(t)
	r.Findings[0].Evidence.Text = "[click here](https://evil.example)"
	out := render(t, "sarif", r, Options{Rules: sampleRules()})
	if strings.Contains(out, "](https://evil") {
		t.Error("a server put a link into a message")
	}
}

func TestSARIFWorkingDirectory(t *testing.T) {
	r := sample(t)
	r.Findings[0].Location.File = "/work/repo/logs/a b.jsonl"
	r.Findings[1].Location.File = "/var/log/x.jsonl"
	run := parseSARIF(t, render(t, "sarif", r, Options{Dir: "/work/repo"})).Runs[0]
	if got := run.Invocations[0].WorkingDirectory.URI; got != "file:///work/repo/" {
		t.Errorf("working directory is %q", got)
	}
	if got := run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; got != "logs/a%20b.jsonl" {
		t.Errorf("a file under the working directory is %q", got)
	}
}

func TestArtifactURI(t *testing.T) {
	for _, c := range []struct {
		file, server, dir, want string
		exists                  bool
	}{
		{"./logs/events.jsonl", "", "", "logs/events.jsonl", true},
		{"a b/c#d?e%f.json", "", "", "a%20b/c%23d%3Fe%25f.json", true},
		{"a:b.json", "", "", "a%3Ab.json", true},
		{`logs\events.jsonl`, "", "", "logs/events.jsonl", true},
		{"../x.json", "", "", "../x.json", true},
		{"é.json", "", "", "%C3%A9.json", true},
		{"/r/x.json", "", "/r", "x.json", true},
		{"/r/x.json", "", "/r/", "x.json", true},
		{"/r/x.json", "", "/", "r/x.json", true},
		{"/rest/x.json", "", "/r", "file:///rest/x.json", true},
		{"/r/x.json", "", "", "file:///r/x.json", true},
		{`C:\logs\x.json`, "", "", "file:///C:/logs/x.json", true},
		{`C:\logs\x.json`, "", `C:\logs`, "x.json", true},
		{`\\host\share\x.json`, "", "", "file:////host/share/x.json", true},
		{"mcp://filesystem", "filesystem", "", "mcp/filesystem", false},
		{"https://u:p@h.example/mcp?key=secret#f", "", "", "mcp/h.example-mcp", false},
		{"mcp://x", "../../.github/workflows/ci.yml", "", "mcp/-..-.github-workflows-ci.yml", false},
		{"", "@scope/server", "", "mcp/@scope-server", false},
		{"-", "", "", "mcp/input", false},
	} {
		got, exists := artifactURI(c.file, c.server, c.dir)
		if got != c.want || exists != c.exists {
			t.Errorf("%q of %q in %q is %q, %v; want %q, %v", c.file, c.server, c.dir, got, exists, c.want, c.exists)
		}
	}
}
