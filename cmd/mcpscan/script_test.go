package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/recgen"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/report"
)

func itoa(n int) string { return strconv.Itoa(n) }

// checkSARIF is the script command "sarif FILE", which validates FILE against the
// SARIF 2.1.0 schema in report/testdata.
func checkSARIF(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: sarif FILE")
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(repository(ts), "report", "testdata", "sarif-2.1.0.json"))
	ts.Check(err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	ts.Check(err)
	ts.Check(schema.Validate(doc))
}

func repository(ts *testscript.TestScript) string {
	return filepath.Dir(filepath.Dir(ts.Getenv("EXAMPLES")))
}

// sameFindings is the script command "same-findings A B", which checks that the
// findings in the reports A and B are byte-identical.
func sameFindings(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] same-findings REPORT REPORT")
	}
	var text [2][]byte
	for i, name := range args {
		r, err := report.Read(bytes.NewReader([]byte(ts.ReadFile(name))))
		ts.Check(err)
		if len(r.Findings) == 0 {
			ts.Fatalf("%s has no findings to compare", name)
		}
		text[i], err = json.MarshalIndent(r.Findings, "", " ")
		ts.Check(err)
	}
	if bytes.Equal(text[0], text[1]) == neg {
		ts.Fatalf("findings of %s:\n%s\nfindings of %s:\n%s", args[0], text[0], args[1], text[1])
	}
}

// wantFindings is the script command "findings REPORT WANT [RULE…]". It checks that the report's
// findings from the given rules, which are globs, or from all rules are exactly those in the file
// WANT. Each line there lists a finding's line in the recording, severity, rule and server, and its
// action unless that is alert. Empty lines and comments are ignored.
func wantFindings(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg {
		ts.Fatalf("usage: findings REPORT WANT [RULE…]")
	}
	r, err := report.Read(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	ts.Check(err)
	var got, want []string
	for _, f := range r.Findings {
		if rules := args[2:]; len(rules) > 0 && !slices.ContainsFunc(rules, func(glob string) bool {
			ok, err := path.Match(glob, f.Rule)
			ts.Check(err)
			return ok
		}) {
			continue
		}
		line := strings.TrimSpace(fmt.Sprintf("%d %s %s %s", f.Location.Line, f.Severity, f.Rule, f.Server))
		if f.Action != "alert" {
			line += " " + f.Action
		}
		got = append(got, line)
	}
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			want = append(want, line)
		}
	}
	if !slices.Equal(got, want) {
		ts.Fatalf("%s has\n%s\nwant\n%s", args[0], strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// flood is the script command "flood N FROM TO". It copies FROM to TO and repeats each block of
// lines that contain {N} N times, replacing {N} with the number of the repetition.
func flood(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 || neg {
		ts.Fatalf("usage: flood N FROM TO")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var out, many strings.Builder
	repeat := func() {
		for i := range n {
			out.WriteString(strings.ReplaceAll(many.String(), "{N}", fmt.Sprintf("%06d", i)))
		}
		many.Reset()
	}
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		switch {
		case strings.Contains(line, "{N}"):
			many.WriteString(line)
			continue
		case many.Len() > 0:
			repeat()
		}
		out.WriteString(line)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(out.String()), 0o600))
}

// startEntry is the script command "entry FILE NAME IN OUT". It starts the server NAME
// of a client configuration as a client does, with standard input from IN and output to
// OUT.
func startEntry(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 4 || neg {
		ts.Fatalf("usage: entry FILE NAME IN OUT")
	}
	file, err := config.Parse(args[0], []byte(ts.ReadFile(args[0])))
	ts.Check(err)
	i := slices.IndexFunc(file.Entries, func(s config.Server) bool { return s.Name == args[1] })
	if i < 0 {
		ts.Fatalf("no server %s", args[1])
	}
	server, missing := config.Expand(file.Entries[i], func(name string) (string, bool) { return ts.Getenv(name), true })
	if len(missing) > 0 {
		ts.Fatalf("not set: %v", missing)
	}
	cmd := exec.Command(server.Command, server.Args...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = ts.MkAbs("."), strings.NewReader(ts.ReadFile(args[2])), ts.Stderr()
	cmd.Env = append(os.Environ(), servers.Pairs(server.Env)...)
	out, err := cmd.Output()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), out, 0o600))
}

// waitFile is the script command "waitfile NAME [TEXT]". It waits until a fake server
// has written its address to the file, and sets $URL to it, or until the file contains
// TEXT.
func waitFile(ts *testscript.TestScript, neg bool, args []string) {
	for range 30_000 {
		if data, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && strings.Contains(string(data), strings.Join(args[1:], " ")) {
			ts.Setenv("URL", string(data))
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%v: it was not written", args)
}

// zipFiles is the script command "zipfiles ZIP FILE…".
func zipFiles(ts *testscript.TestScript, neg bool, args []string) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range args[1:] {
		w, err := z.Create(name)
		ts.Check(err)
		_, err = w.Write([]byte(ts.ReadFile(name)))
		ts.Check(err)
	}
	ts.Check(z.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}

// genRecording is the command "genrecording BYTES", which writes a generated
// recording to standard output.
func genRecording() {
	size, err := strconv.ParseInt(os.Args[1], 10, 64)
	if err != nil || recgen.Write(os.Stdout, recgen.Options{Seed: 1, Bytes: size}) != nil {
		os.Exit(1)
	}
}
