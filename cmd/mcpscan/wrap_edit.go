package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/replace"
	"github.com/mcpscan/mcpscan/internal/text"
)

// wrapFlags selects the entries and files to edit.
type wrapFlags struct {
	Name   string `arg:"" optional:"" help:"Name of the server in the client configuration." placeholder:"NAME"`
	All    bool   `help:"All servers."`
	Config string `help:"Client configuration to edit. By default, the configurations in this directory and the user's own are edited." placeholder:"FILE"`
	DryRun bool   `help:"Write nothing; show the changes as a diff."`
	Quiet  bool   `short:"q" help:"Write only errors to standard error."`
}

// maxClientFile is the maximum size of a client configuration to edit.
const maxClientFile = 32 << 20

// editedFile is a file to edit.
type editedFile struct {
	path    string
	project bool // belongs to a project, not to the user or the machine
	named   bool // given on the command line
}

// files returns the configurations to edit.
func (c *wrapFlags) files() (files []editedFile, missed []config.Missed, err error) {
	switch {
	case c.All == (c.Name != ""):
		return nil, nil, usage("expected the name of a server or --all, as in: mcpscan wrap github")
	case c.Config != "":
		path, err := filepath.Abs(c.Config)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return nil, nil, usage("opening %s: %w; expected a client configuration", c.Config, err)
		}
		return []editedFile{{path: c.Config, project: !app.Dirs("", true).Belongs(path), named: true}}, nil, nil
	}
	found, missed := config.Discover(app.Dirs(".", true))
	for _, l := range ownFirst(found) {
		if !l.Extension() { // Claude Desktop reads an extension's command only from its manifest
			files = append(files, editedFile{path: l.Path, project: l.Scope == "project"})
		}
	}
	return files, missed, nil
}

// ownFirst returns each file once: in the home directory, a user file is also found as a project
// file, and the user file takes precedence.
func ownFirst(found []config.Location) []config.Location {
	own := map[string]bool{}
	for _, l := range found {
		if l.Scope != "project" {
			own[filepath.Clean(l.Path)] = true
		}
	}
	return slices.DeleteFunc(found, func(l config.Location) bool {
		abs, err := filepath.Abs(l.Path)
		return l.Scope == "project" && err == nil && own[abs]
	})
}

// editing is a function that edits the chosen entries of a file in memory.
type editing func(f *editedFile, data []byte, chosen func(*config.Server) bool) ([]byte, []config.Outcome, error)

// edit edits the files, and reports the outcome for each entry.
func (c *wrapFlags) edit(ctx context.Context, std streams, edit editing, wrap bool) error {
	files, missed, err := c.files()
	if err != nil {
		return err
	}
	e := &editor{wrapFlags: c, std: std, wrap: wrap}
	for _, m := range missed {
		e.fail("%s: %s", m.Path, m.Why)
	}
	for _, f := range files {
		e.file(ctx, f, edit)
	}
	return e.end()
}

// editor edits files one by one.
type editor struct {
	*wrapFlags
	std      streams
	wrap     bool
	names    []string // names of all servers, for suggestions
	found    bool     // a requested entry was found
	changed  int
	projects []string // the project files that were changed
	bare     string   // a changed file whose proxies have no settings
	failed   bool
}

func (e *editor) fail(format string, args ...any) {
	e.failed = true
	fmt.Fprintf(e.std.err, "mcpscan: %s\n", text.Visible(text.Mask(fmt.Sprintf(format, args...)), 1000))
}

// say prints what happened to an entry or a file.
func (e *editor) say(format string, args ...any) {
	to := e.std.out
	if e.DryRun { // standard output has the diff
		to = e.std.err
	}
	fmt.Fprintln(to, text.Visible(text.Mask(fmt.Sprintf(format, args...)), 1000))
}

// file edits one file. It edits in memory first, so that only a file that needs an edit is locked.
func (e *editor) file(ctx context.Context, f editedFile, edit editing) {
	found := e.found
	d := e.draft(&f, edit)
	if d != nil && d.changed() && !e.DryRun {
		turn, err := replace.TakeTurn(ctx, replace.WithoutLinks(f.path))
		if err != nil {
			e.fail("%s is unchanged: %v", f.path, err)
			return
		}
		defer turn.Release()
		e.found = found
		d = e.draft(&f, edit) // another mcpscan may have written the file in the meantime
	}
	if d == nil || d.changed() && !e.write(f, d) {
		return
	}
	for i := range d.outcomes {
		o := &d.outcomes[i]
		if e.wrap && !e.DryRun && o.Changed && o.Options.Config == "" && !o.Options.Observe {
			e.bare = f.path
		}
		e.outcome(f, o)
	}
}

// draft reads and edits a file. It returns nil if the file has none of the requested entries, or
// cannot be edited, which it reports.
func (e *editor) draft(f *editedFile, edit editing) *draft {
	data, err := app.ReadTarget(f.path, maxClientFile)
	if errors.Is(err, app.ErrOverLimit) {
		err = fmt.Errorf("longer than %d bytes", maxClientFile)
	}
	if err != nil {
		e.fail("%s is unchanged: %v", f.path, err)
		return nil
	}
	before, err := config.Parse(f.path, data)
	if errors.Is(err, config.ErrNotConfig) && !f.named {
		return nil
	}
	if err != nil {
		e.fail("%s is unchanged: %v", f.path, err)
		return nil
	}
	for i := range before.Entries {
		e.names = append(e.names, before.Entries[i].Name)
	}
	chosen := func(s *config.Server) bool { return e.All || s.Name == e.Name }
	if !slices.ContainsFunc(before.Entries, func(s config.Server) bool { return chosen(&s) }) {
		return nil
	}
	e.found = true
	after, outcomes, err := edit(f, data, chosen)
	if err != nil {
		e.fail("%s is unchanged: %v", f.path, err)
		return nil
	}
	return &draft{before, data, after, outcomes}
}

// write writes the file or, in a dry run, shows the diff.
func (e *editor) write(f editedFile, d *draft) bool {
	if e.DryRun {
		showDiff(e.std.out, f.path, string(d.before), string(d.after))
		return true
	}
	wrapped := slices.ContainsFunc(d.file.Entries, func(s config.Server) bool { return s.Proxy != nil && s.Proxy.Written })
	backup, err := rewriteFile(f.path, d.before, d.after, e.wrap && !wrapped)
	if err != nil {
		e.fail("%s is unchanged: %v", f.path, err)
		return false
	}
	if backup != "" {
		e.say("backup of %s: %s", f.path, backup)
	}
	if f.project {
		e.projects = append(e.projects, f.path)
	}
	return true
}

// outcome reports the outcome for an entry.
func (e *editor) outcome(f editedFile, o *config.Outcome) {
	done := "unwrapped"
	if e.wrap {
		done = "wrapped"
	}
	at := fmt.Sprintf("%s (%s:%d)", o.Server.Name, f.path, o.Server.Pos.Line)
	switch {
	case o.Changed:
		e.changed++
		if e.DryRun {
			done = "would " + strings.TrimSuffix(done, "ped")
		}
		e.say("%s %s", done, at)
	case o.Why != "":
		e.say("not %s: %s: %s", done, at, o.Why)
		// With --all, skipping a remote server is not a failure.
		if e.failed = e.failed || !e.All || o.Server.Command != ""; e.failed {
			return
		}
	case e.wrap:
		if err := startable(o.Options); err != nil {
			e.fail("already wrapped, but its proxy does not start: %s: %v; repair the file, or name others with --settings and --lockfile", at, err)
			return
		}
		e.say("already wrapped: %s", at)
	case !e.All:
		e.say("not wrapped: %s", at)
	}
}

// end returns the exit error, and prints what to do next.
func (e *editor) end() error {
	switch {
	case e.Name != "" && !e.found:
		err := usage("no server %s in the client configurations%s; to list all servers, run mcpscan doctor; to edit another file, use --config FILE", text.ShellWord(e.Name), config.Similar(e.Name, e.names))
		if e.failed { // it may be in a file that was not read
			return &exitError{exitIncomplete, err}
		}
		return err
	case e.All && !e.found && !e.failed:
		if e.Config != "" {
			return usage("no servers in %s", text.Visible(e.Config, 400))
		}
		return usage("%w with servers; name a file with --config FILE", app.ErrNoConfig)
	}
	if e.changed > 0 && !e.Quiet && !e.DryRun {
		fmt.Fprintln(e.std.err, "mcpscan: restart the clients, because they read their configuration only at startup")
		for _, path := range e.projects {
			if e.wrap {
				fmt.Fprintf(e.std.err, "mcpscan: %s belongs to a project, and now contains a path on this machine; before you commit the file, run mcpscan unwrap --all --config %s\n", text.Visible(path, 400), text.ShellWord(path))
			}
		}
	}
	if e.bare != "" && !e.Quiet {
		fmt.Fprintf(e.std.err, "mcpscan: the proxies in %s report attacks, but do not block them unless blocking is enabled by %s in the directory where the client starts them; to use another file, add --settings FILE\n", text.Visible(e.bare, 400), config.SettingsFile)
	}
	if e.failed {
		return &exitError{code: exitIncomplete}
	}
	return nil
}

// showDiff writes a unified diff with secrets masked. Its output is short even for a long file,
// because few lines differ.
func showDiff(w io.Writer, path, before, after string) {
	for line := range strings.Lines(udiff.Unified(path, path, before, after)) {
		fmt.Fprintln(w, text.Visible(text.Mask(strings.TrimRight(line, "\r\n")), 10_000))
	}
}
