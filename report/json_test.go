package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func jsonOf(t testing.TB, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, "json", r, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(t testing.TB, b []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	return v
}

func compile(t testing.TB, doc any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reportSchema returns the published schema; strict rejects members that it does
// not describe, to detect an outdated schema.
func reportSchema(t testing.TB, strict bool) *jsonschema.Schema {
	t.Helper()
	b, err := os.ReadFile("../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc := decode(t, b)
	if strict {
		closeObjects(doc)
	}
	return compile(t, doc)
}

func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["properties"]; ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, member := range v {
			closeObjects(member)
		}
	case []any:
		for _, item := range v {
			closeObjects(item)
		}
	}
}

func TestReportFitsItsSchema(t *testing.T) {
	for _, r := range []*Report{sample(t), decidedSample(t)} {
		if err := reportSchema(t, true).Validate(decode(t, jsonOf(t, r))); err != nil {
			t.Error(err)
		}
	}
}

func TestSchemaRefusesBrokenReports(t *testing.T) {
	schema := reportSchema(t, false)
	for _, change := range [][2]string{
		{`"severity": "critical"`, `"severity": "fatal"`},
		{`"schema": "mcpscan.report/v1"`, `"schema": "mcpscan.report/v2"`},
		{`"line": 3`, `"line": "3"`},
		{`"fingerprint": "f1:`, `"fingerprint": "f2:`},
		{`"related": []`, `"related": null`},
		{`"hidden": 1`, `"concealed": 1`},
	} {
		b := bytes.Replace(jsonOf(t, sample(t)), []byte(change[0]), []byte(change[1]), 1)
		if !bytes.Contains(b, []byte(change[1])) {
			t.Fatalf("the sample has no %s", change[0])
		}
		if schema.Validate(decode(t, b)) == nil {
			t.Errorf("a report with %s passes", change[1])
		}
	}
}

func TestSchemaDescribesEveryMember(t *testing.T) {
	b, err := os.ReadFile("../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	for name, def := range doc.Defs {
		if def["description"] == nil {
			t.Errorf("%s is not described", name)
		}
		properties, _ := def["properties"].(map[string]any)
		for key, p := range properties {
			if p := p.(map[string]any); p["description"] == nil && p["$ref"] == nil {
				t.Errorf("%s.%s is not described", name, key)
			}
		}
	}
}

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	first := jsonOf(t, decidedSample(t))
	r, err := Read(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if second := jsonOf(t, r); !bytes.Equal(first, second) {
		t.Errorf("wrote\n%s\nthen\n%s", first, second)
	}
}

func TestReadAcceptsUnknownMembers(t *testing.T) {
	b := bytes.Replace(jsonOf(t, sample(t)), []byte(`"rule":`), []byte(`"new": {"a": [1]}, "rule":`), 1)
	b = append([]byte("\xEF\xBB\xBF"), b...) // some editors add a byte order mark
	if _, err := Read(bytes.NewReader(b)); err != nil {
		t.Error(err)
	}
}

func TestReadSaysWhatItFound(t *testing.T) {
	for in, want := range map[string]string{
		`{"schema":"mcpscan.report/v9","findings":7}`: `its schema is "mcpscan.report/v9", expected "mcpscan.report/v1"`,
		`{"$schema":"x","version":"2.1.0","runs":[]}`: `no member "schema", expected "mcpscan.report/v1"`,
		"\x1b[2J":                           `expected JSON with schema "mcpscan.report/v1"`,
		"\xFF\xFE{\x00":                     `it is encoded in UTF-16`,
		``:                                  `expected JSON`,
		`[]`:                                `expected JSON`,
		`{"schema":"mcpscan.report/v1"} {}`: `expected JSON`,
		`{"schema":"mcpscan.report/v1","summary":{"tools":"x"}}`:       `/summary/tools`,
		`{"schema":"mcpscan.report/v1","findings":[{"severity":"!"}]}`: `unknown severity "!"`,
		"{\"schema\":\"\x7f\\u202e\"}":                                 `<U+202E>`,
	} {
		_, err := Read(strings.NewReader(in))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want one with %s", in, err, want)
		} else if raw := rawIn(err.Error()); raw != "" {
			t.Errorf("%q: the error contains a raw %s", in, raw)
		}
	}
}

func TestJSONEscapesWhatCannotBeSeen(t *testing.T) {
	r := sample(t)
	r.Findings[0].Message = "a\x1b\x7f\u202e\u200b\ufeff\U000e0041\u2028 <&> é漢😀\xff"
	out := string(jsonOf(t, r))
	want := `"a\u001b\u007f\u202e\u200b\ufeff\udb40\udc41\u2028 <&> é漢😀` + "\ufffd" + `"`
	if !strings.Contains(out, want) {
		t.Errorf("no %s in\n%s", want, out)
	}
}

func TestJSONEscaperAcrossWrites(t *testing.T) {
	in := "\"é\u202e漢\U000e0041\""
	for i := range in {
		var b bytes.Buffer
		e := newJSONEscaper(&b)
		for _, part := range []string{in[:i], in[i : i+1], in[i+1:]} {
			if n, err := e.Write([]byte(part)); err != nil || n != len(part) {
				t.Fatal(n, err)
			}
		}
		if err := e.Flush(); err != nil || b.String() != `"é\u202e漢\udb40\udc41"` {
			t.Fatalf("cut at %d: %s, %v", i, b.String(), err)
		}
	}
}

// failing is a writer on a full disk.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsAreReported(t *testing.T) {
	for _, format := range Formats() {
		if err := Write(failing{}, format, sample(t), Options{}); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: error is %v", format, err)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Write(&bytes.Buffer{}, "xml", sample(t), Options{})
	if err == nil || !strings.Contains(err.Error(), strings.Join(Formats(), ", ")) {
		t.Errorf("error is %v, want the formats named", err)
	}
}
