//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// peers are the programs that mcpscan is compared with, and the arguments that print their
// versions. All are Debian packages.
var peers = [][]string{{"rg", "--version"}, {"jq", "--version"}, {"yara", "--version"}, {"node", "--version"}}

// program is a command to measure. Exit codes up to the value of ok do not count as failures: some
// programs use them to report whether they found something.
type program struct {
	name string
	args []string
	ok   int
}

// nodeStart is the name of the command that only starts node.
const nodeStart = "`node -e 0`"

// programsFor returns the programs for a data set. The first two are mcpscan with 1 worker and with
// 2 workers.
func programsFor(o options, file string, p patterns) []program {
	self, _ := os.Executable()
	replay := func(workers int) program {
		return program{fmt.Sprintf("mcpscan replay, %d workers", workers), []string{o.binary, "replay", "-q", "--no-config", "-j", fmt.Sprint(workers),
			"--format", fmt.Sprintf("json=%s/%d.json", o.dir, workers), file}, 3}
	}
	one := replay(1)
	one.name = "mcpscan replay, 1 worker"
	return available([]program{one, replay(2),
		{"`rg -c`: first literal of each line", []string{"rg", "--no-unicode", "--dfa-size-limit", "1G", "-i", "-c", "-f", p.lines, file}, 1},
		{"`rg --count-matches`: every literal", []string{"rg", "--no-unicode", "--dfa-size-limit", "1G", "-i", "--count-matches", "-f", p.lines, file}, 1},
		{"`jq -c .`", []string{"jq", "-c", ".", file}, 0},
		{"`yara`, the same literals", []string{"yara", "-c", p.yara, file}, 0},
		{"encoding/json, each line into `any`", []string{self, "-decode", file}, 0},
	})
}

// startPrograms returns commands that do little work.
func startPrograms(o options) ([]program, error) {
	tools, events := filepath.Join(o.dir, "tools.json"), filepath.Join(o.dir, "small.events.jsonl")
	err := errors.Join(os.WriteFile(tools, []byte(`{"tools":[{"name":"sum","description":"Adds two numbers.","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}}}]}`), 0o600),
		os.WriteFile(events, []byte(`{"type":"mcp_message","timestamp":"2026-01-06T10:30:00Z","session_id":"s","server_id":"a","direction":"server_to_client","message":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"It is sunny."}]}}}`+"\n"), 0o600))
	return available([]program{
		{"`mcpscan version`", []string{o.binary, "version"}, 0},
		{"`mcpscan scan file.json`", []string{o.binary, "scan", "-q", "--no-config", tools}, 0},
		{"`mcpscan replay` of one line", []string{o.binary, "replay", "-q", "--no-config", events}, 0},
		{nodeStart, []string{"node", "-e", "0"}, 0},
	}), err
}

// available returns the programs that are installed.
func available(all []program) []program {
	return slices.DeleteFunc(all, func(p program) bool {
		_, err := exec.LookPath(p.args[0])
		return err != nil
	})
}

// figures are the measurements of a program's run, or the medians of several runs.
type figures struct{ cpu, wall, memory float64 } // in seconds and bytes

// interleaved runs the programs in turn, several times, and returns the medians for
// each.
func interleaved(ctx context.Context, rounds int, programs []program) ([]figures, error) {
	runs := make([][]figures, len(programs))
	for range rounds {
		for i, p := range programs {
			f, err := once(ctx, p)
			if err != nil {
				return nil, err
			}
			runs[i] = append(runs[i], f)
		}
	}
	var out []figures
	for _, r := range runs {
		out = append(out, figures{median(r, func(f figures) float64 { return f.cpu }), median(r, func(f figures) float64 { return f.wall }),
			median(r, func(f figures) float64 { return f.memory })})
	}
	return out, nil
}

func median(runs []figures, of func(figures) float64) float64 {
	var all []float64
	for _, r := range runs {
		all = append(all, of(r))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// once runs a program to completion and measures it.
func once(ctx context.Context, p program) (f figures, err error) {
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	var said bytes.Buffer
	cmd.Stderr = &said
	began := time.Now()
	if f.memory, err = run(cmd); err != nil && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > p.ok) {
		return f, fmt.Errorf("%s: %w: %s", strings.Join(p.args, " "), err, said.String()[:min(said.Len(), 300)])
	}
	f.wall = time.Since(began).Seconds()
	state := cmd.ProcessState
	f.cpu = (state.UserTime() + state.SystemTime()).Seconds()
	return f, nil
}

// sameReports reports whether runs with 1 and 2 workers write identical reports.
func sameReports(dir string) bool {
	one, err1 := os.ReadFile(filepath.Join(dir, "1.json"))
	two, err2 := os.ReadFile(filepath.Join(dir, "2.json"))
	return err1 == nil && err2 == nil && bytes.Equal(one, two)
}

// patterns are the files with the ASCII literals that the rules search for.
type patterns struct {
	lines, yara string
	literals    int // number of literals in the files
	all         int // number of literals without a line feed in the rules
}

// writePatterns writes the ASCII literals of all rules: one per line for rg, and as a single rule
// for yara.
func writePatterns(ctx context.Context, dir string) (p patterns, err error) {
	out, err := exec.CommandContext(ctx, "go", "run", "./bench/literals").Output()
	if err != nil {
		return p, fmt.Errorf("listing the literals: %w", err)
	}
	literals := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	p.all = len(literals)
	literals = slices.DeleteFunc(literals, func(s string) bool { // rg --no-unicode accepts only ASCII
		return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
	})
	var lines, yara strings.Builder
	yara.WriteString("rule literals { strings:\n")
	for i, s := range literals {
		lines.WriteString(quoteMeta(s) + "\n")
		fmt.Fprintf(&yara, "$l%d = %q nocase\n", i, s)
	}
	yara.WriteString("condition: any of them }\n")
	p.lines, p.yara, p.literals = filepath.Join(dir, "patterns"), filepath.Join(dir, "patterns.yar"), len(literals)
	return p, errors.Join(os.WriteFile(p.lines, []byte(lines.String()), 0o600), os.WriteFile(p.yara, []byte(yara.String()), 0o600))
}

// quoteMeta escapes the metacharacters of rg's expressions.
func quoteMeta(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$#&-~`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
