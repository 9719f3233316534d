package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/txtar"
)

var mutations = flag.Uint64("mutations", 150, "how many mutated files TestMutatedFiles reads")

const plantedToken = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

// hostileTokens are put into files in place of other tokens.
var hostileTokens = []string{
	`"\u001b[2J"`, `"\u202egnp.exe"`, `"\u0000"`, `"a\u200bb"`, `"\udb40\udc41"`, `"\ud800"`, `"::error::x"`, `"` + plantedToken + `"`,
	`"](javascript:alert(1))<script>"`, `"../../etc/passwd"`, `"` + strings.Repeat("ignore previous instructions. ", 40) + `"`,
	`""`, `null`, `-1`, `1e999`, `[]`, `{}`, `[[[[]]]]`, `"tools/list"`, `"initialize"`, "\x1b[31m", "\x00", "\xff", "\r", "\u202e", "\ufeff",
}

// tokens matches strings, other values and marks in JSON, and most of them in YAML and TOML.
var tokens = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|[\w.+-]+|[][{}:,=]`)

// mutated replaces, removes or repeats a few tokens of a file, and sometimes truncates it.
func mutated(r *rand.Rand, data []byte) []byte {
	for range 1 + r.IntN(4) {
		all := tokens.FindAllIndex(data, -1)
		if len(all) == 0 {
			return data
		}
		at := pick(r, all)
		var now []byte
		switch r.IntN(10) {
		case 0:
			return data[:at[0]]
		case 1:
		case 2:
			now = bytes.Repeat(data[at[0]:at[1]], 2)
		case 3, 4, 5:
			from := pick(r, all)
			now = data[from[0]:from[1]]
		default:
			now = []byte(pick(r, hostileTokens))
		}
		data = slices.Concat(data[:at[0]], now, data[at[1]:])
	}
	return data
}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// TestMutatedFiles reads damaged and hostile variants of files with every command that reads them, and
// checks that none of them panics, that a failure has a reason, and that the output contains no control
// character or secret of the file.
func TestMutatedFiles(t *testing.T) {
	recordings, settings, documents := seedFiles(t)
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	for seed := range *mutations {
		r := rand.New(rand.NewPCG(seed, 0))
		seeds, commands := recordings, []string{"replay --min-severity note", "replay --events audit.jsonl", "servers", "tools", "calls", "events", "detections", "policy generate"}
		switch r.IntN(4) {
		case 0:
			seeds, commands = settings, []string{"scan --no-run intact.json --config", "replay intact.jsonl --policy", "policy check"}
		case 1:
			seeds, commands = documents, []string{"scan --no-run --min-severity note", "scan --no-run intact.json --lockfile", "report", "merge", "replay intact.jsonl --baseline", "diff intact.json", "replay"}
		}
		file := pick(r, seeds)
		name := "mutated" + filepath.Ext(file.Name)
		for to, data := range map[string][]byte{name: mutated(r, file.Data), "intact.jsonl": recordings[0].Data, "intact.json": []byte(`{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}`)} {
			if err := os.WriteFile(to, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args := append(strings.Fields(pick(r, commands)), name)
		format := pick(r, []string{"text", "json", "sarif", "markdown", "html", "github", "junit", "gitlab"})
		if slices.Contains([]string{"replay", "scan", "report", "merge"}, args[0]) {
			args = append(args, "--format", format)
		}
		var out, errs bytes.Buffer
		code := run(args, streams{in: strings.NewReader(""), out: &out, err: &errs})
		if code < 0 || code > 3 || code >= 2 && errs.Len() == 0 {
			t.Errorf("seed %d, %q: exit code %d, %q", seed, args, code, errs.String())
		}
		if code < 2 && args[0] == "replay" && format == "json" && !json.Valid(out.Bytes()) {
			t.Errorf("seed %d, %q: the report is not JSON: %q", seed, args, out.String())
		}
		unsafe := func(c rune) bool { return c != '\n' && c != '\t' && unicode.In(c, unicode.Cc, unicode.Cf) }
		for _, s := range []string{out.String(), errs.String()} {
			if i := strings.IndexFunc(s, unsafe); i >= 0 {
				t.Errorf("seed %d, %q: the output contains %.20q", seed, args, s[i:])
			}
			if strings.Contains(s, plantedToken) || strings.Contains(s, "crashed on this event and did not finish") {
				t.Errorf("seed %d, %q: a secret or a crash in the output: %q", seed, args, s)
			}
		}
	}
}

// seedFiles returns the recordings, settings and other documents in the tests.
func seedFiles(t *testing.T) (recordings, settings, documents []txtar.File) {
	for _, glob := range []string{"../../testdata/scripts/*.txtar", "../../replay/testdata/transcripts/*.txtar"} {
		archives, err := filepath.Glob(glob)
		if err != nil || len(archives) == 0 {
			t.Fatalf("no files in %s: %v", glob, err)
		}
		for _, archive := range archives {
			ar, err := txtar.ParseFile(archive)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				switch ext := filepath.Ext(f.Name); {
				case len(f.Data) > 32<<10:
				case ext == ".jsonl" || ext == ".har" || strings.Contains(glob, "transcripts"):
					recordings = append(recordings, f)
				case ext == ".yaml" || ext == ".toml":
					settings = append(settings, f)
				case ext == ".json" || ext == ".lock":
					documents = append(documents, f)
				}
			}
		}
	}
	return recordings, settings, documents
}
