package osv_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/osv"
	"github.com/mcpscan/mcpscan/rules/supplychain"
	"github.com/mcpscan/mcpscan/scanner"
)

const one = `{"id": "GHSA-1", "aliases": ["CVE-1"], "modified": "2026-01-02T03:04:05Z", "summary": "x", "affected": [
  {"package": {"ecosystem": "npm", "name": "a-mcp"}, "ranges": [
    {"type": "GIT", "events": [{"introduced": "0"}]},
    {"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.2.0"}, {"introduced": "2.0.0"}, {"last_affected": "2.1.0"}]}], "versions": ["3.0.0"]},
  {"package": {"ecosystem": "PyPI", "name": "a"}}], "database_specific": {"severity": "MODERATE"}}`

const (
	withdrawn = `{"id": "GHSA-2", "withdrawn": "2026-01-01T00:00:00Z", "affected": [{"package": {"ecosystem": "npm", "name": "a-mcp"}}]}`
	debian    = `{"id": "DSA-3", "affected": [{"package": {"ecosystem": "Debian:12", "name": "a-mcp"}}]}`
	malicious = `{"id": "MAL-4", "affected": [{"package": {"ecosystem": "npm", "name": "a-mcp"}, "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}]}]}`
	unasked   = `{"id": "GHSA-5", "affected": [{"package": {"ecosystem": "npm", "name": "other"}}]}`
)

func read(data string) ([]supplychain.Advisory, osv.Stats, error) {
	return osv.Read("f.json", strings.NewReader(data), int64(len(data)), func(e launch.Ecosystem, name string) bool { return e == launch.NPM && name == "a-mcp" })
}

// TestForms checks that an advisory by itself, a list, lines and an archive give
// the same result.
func TestForms(t *testing.T) {
	all := []string{one, withdrawn, debian, malicious, unasked}
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	for i, v := range append(all, "not read") {
		name := fmt.Sprintf("%d.json", i)
		if i == len(all) {
			name = "README"
		}
		f, _ := w.Create(name)
		fmt.Fprint(f, v)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for form, data := range map[string]string{"list": "[" + strings.Join(all, ",") + "]", "lines": strings.Join(all, "\n"), "archive": z.String()} {
		got, stats, err := read(data)
		if err != nil || stats != (osv.Stats{Read: 5, Kept: 2, Withdrawn: 1, Other: 1}) || len(got) != 2 {
			t.Errorf("%s: %+v, %d kept, %v", form, stats, len(got), err)
			continue
		}
		want := "{GHSA-1 [CVE-1] npm a-mcp [{0 1.2.0 } {2.0.0  2.1.0}] [3.0.0] false medium  2026-01-02 false}"
		if s := fmt.Sprint(got[0]); s != want {
			t.Errorf("%s:\n got %s\nwant %s", form, s, want)
		}
		if !got[1].Malicious || got[1].Severity != scanner.Critical {
			t.Errorf("%s: %+v", form, got[1])
		}
	}
}

// TestBad checks that an error contains the file, the position, and what was
// expected.
func TestBad(t *testing.T) {
	for data, want := range map[string]string{
		``:                                     "no advisory found",
		`[]`:                                   "no advisory found",
		`{"name": "x", "version": "1"}`:        "has no id",
		`[` + debian + `, {"id": 7}]`:          "/1/id",
		`[` + debian + `, {"affected": "x"}]`:  "/1/affected",
		`{"id": "x", "affected": [{"package":`: "/affected/0",
		`{"id": "x", "id": "y"}`:               "/id",
		`{"id": tru}`:                          "/id, byte 10: not JSON",
		`7`:                                    "wrong type",
		"PK\x03\x04 and no archive":            "not a readable zip archive",
		`{"id": "` + strings.Repeat("x", osv.MaxAdvisory) + `"}`: "longer than",
	} {
		_, _, err := read(data)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "f.json: ") || len(err.Error()) > 400 {
			t.Errorf("%.60s: %v, want %q", data, err, want)
		}
	}
}

// TestMemory checks that an export is not held in memory as a whole.
func TestMemory(t *testing.T) {
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	long := strings.Replace(unasked, `"id"`, `"details": "`+strings.Repeat("x", 64<<10)+`", "id"`, 1)
	for i := range 2000 { // 128 MB uncompressed
		f, _ := w.Create(fmt.Sprint(i, ".json"))
		fmt.Fprint(f, long)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got, stats, err := read(z.String())
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err != nil || stats.Read != 2000 || len(got) != 0 {
		t.Fatal(stats, err)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("%d bytes are held", grown)
	}
}

func FuzzRead(f *testing.F) {
	for _, v := range []string{one, withdrawn, "[" + malicious + "]", "PK\x03\x04"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, data string) { _, _, _ = read(data) })
}
