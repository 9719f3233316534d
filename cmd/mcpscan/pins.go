package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

type pinsCmd struct {
	List   pinsListCmd   `cmd:"" help:"List approved, pending and changed definitions."`
	Show   pinsShowCmd   `cmd:"" help:"Show an approved or pending definition."`
	Diff   pinsDiffCmd   `cmd:"" help:"Show what changed since approval."`
	Trust  pinsTrustCmd  `cmd:"" help:"Approve one definition if it still has the digest that you reviewed."`
	Reset  pinsResetCmd  `cmd:"" help:"Remove approvals."`
	Export pinsExportCmd `cmd:"" help:"Export approvals for another program."`
	Import pinsImportCmd `cmd:"" help:"Import approvals from another program, for identical definitions."`
}

// pinFlags selects the lockfile and the output format.
type pinFlags struct {
	Lockfile string `help:"The lockfile." default:"mcpscan.lock" placeholder:"FILE"`
	JSON     bool   `help:"Write JSON instead of text."`
}

// pinNames contains the flags that agentsh uses to name a definition.
type pinNames struct {
	Server string `help:"Name of the server; use it instead of the argument." placeholder:"SERVER"`
	Tool   string `help:"Name of a tool of --server; use it instead of :NAME in the argument." placeholder:"NAME"`
}

// selected returns the selector given as an argument or by the flags. If there is none, it returns an
// error that names what was expected, unless expected is "".
func (n *pinNames) selected(selector, expected string) (string, error) {
	switch {
	case n.Server == "" && n.Tool != "":
		return "", usage("--tool needs --server")
	case n.Server == "" && selector == "" && expected != "":
		return "", usage("expected %s", expected)
	case n.Server == "":
		return selector, nil
	case selector != "":
		return "", usage("%s and --server both name a definition; use one of them", selector)
	case n.Tool == "":
		return n.Server, nil
	}
	return n.Server + ":" + n.Tool, nil
}

// loadLock reads a required lockfile.
func loadLock(name string) (*lockfile.File, error) {
	f, err := lockfile.Load(name)
	return f, unreadable(err)
}

// unreadable returns the error for a required lockfile that cannot be read; if it is missing, the
// error names the command that creates one.
func unreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; to create it, run mcpscan lock; to use another file, name it with --lockfile", err)
	}
	return err
}

// pinRow is one row of the output of mcpscan pins list.
type pinRow struct {
	Server     string `json:"server"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	Digest     string `json:"digest"`   // digest of the definition last seen
	Approved   string `json:"approved"` // approved digest; empty if pending
	ApprovedBy string `json:"approved_by"`
	ApprovedAt string `json:"approved_at"`
	Reason     string `json:"reason"`
	Listed     bool   `json:"listed"`
	AgentSH    string `json:"agentsh"`
	MCPProxy   string `json:"mcpproxy"`
}

func row(server string, k mcp.DefinitionKey, e *lockfile.Entry) pinRow {
	now := e.Last()
	r := pinRow{Server: server, Kind: k.Kind.String(), Name: k.Name, Status: string(e.Status), Digest: now.Digest.String(),
		Listed: !e.Gone, AgentSH: now.AgentSH, MCPProxy: now.MCPProxy}
	if k.Kind == mcp.ServerSubject {
		r.Kind, r.Name = "instructions", "instructions"
	}
	if a := e.Approval; a != nil {
		r.Approved, r.ApprovedBy, r.Reason = e.Digest.String(), a.By, a.Reason
		r.ApprovedAt = a.At.UTC().Format(time.RFC3339)
	}
	return r
}

type pinsListCmd struct {
	Selector string `arg:"" optional:"" help:"Only this server, or only one of its definitions." placeholder:"SERVER[:NAME]"`
	pinNames
	pinFlags
}

// Run lists the definitions.
func (c *pinsListCmd) Run(std streams) error {
	f, err := loadLock(c.Lockfile)
	if err != nil {
		return err
	}
	names, only := f.Names(), lockfile.Selector{All: true}
	selector, err := c.selected(c.Selector, "")
	if err != nil {
		return err
	}
	if selector != "" {
		if only, err = f.ParseSelector(selector); err != nil {
			return err
		}
		names = []string{only.Server}
	}
	rows := []pinRow{}
	waiting := map[string]lockfile.Change{} // identities, by server
	for _, w := range f.Waiting() {
		if w.Identity != nil {
			waiting[w.Server] = w
		}
	}
	var b strings.Builder
	for _, name := range names {
		var own []pinRow
		identity, waits := waiting[name]
		if waits && only.All {
			own = append(own, pinRow{Server: name, Kind: "identity", Name: "identity", Status: string(identity.Was), Listed: true})
		}
		for _, k := range f.Servers[name].Keys() {
			if only.Selects(k) {
				own = append(own, row(name, k, f.Servers[name].Entries[k]))
			}
		}
		rows = append(rows, own...)
		if err := c.table(&b, name, cmp.Or(selector, name), own, identity.Differences); err != nil {
			return err
		}
	}
	if c.JSON {
		return writeJSON(std.out, rows)
	}
	return put(std.out, []byte(b.String()))
}

// table writes the selected entries of one server, and the commands to run next for the same selector.
// changes lists the differences in the server's identity, if the identity is waiting for approval.
func (c *pinsListCmd) table(w io.Writer, server, selector string, rows []pinRow, changes []string) error {
	fmt.Fprintf(w, "Approval status of %s\n", text.Visible(server, 200))
	t := newTable("", "name", "kind", "status", "digest", "")
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.Status]++
		digest, more := shortDigest(r.Digest), ""
		switch {
		case r.Kind == "identity":
			digest, more = "-", text.Visible(text.Mask(strings.Join(changes, "; ")), 400)
		case r.Status == string(lockfile.Changed):
			more = "(was: " + shortDigest(r.Approved) + ")"
		case r.Status == string(lockfile.Pending):
			digest = "-"
		}
		if !r.Listed {
			more = strings.TrimSpace(more + " no longer listed")
		}
		t.add("", r.Name, r.Kind, r.Status, digest, more)
	}
	if err := t.write(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "Summary: %d approved, %d pending, %d changed (total: %d)\n", counts["approved"], counts["pending"], counts["changed"], len(rows))
	if counts["pending"]+counts["changed"] > 0 {
		at := app.LockfileFlag(c.Lockfile) + " " + text.ShellWord(text.Visible(selector, 400))
		fmt.Fprintf(w, "To inspect changes: mcpscan pins diff%s\nTo approve all:     mcpscan approve%s --reason \"…\"\n", at, at)
	}
	fmt.Fprintln(w)
	return nil
}

type pinsShowCmd struct {
	Selector string `arg:"" help:"SERVER:NAME." placeholder:"SERVER:NAME"`
	pinFlags
}

// Run shows one definition.
func (c *pinsShowCmd) Run(std streams) error {
	f, err := loadLock(c.Lockfile)
	if err != nil {
		return err
	}
	found, err := f.Find(c.Selector)
	if err != nil {
		return err
	}
	var rows []pinRow
	var b strings.Builder
	for _, d := range found {
		r := row(d.Server, d.DefinitionKey, d.Entry)
		rows = append(rows, r)
		fmt.Fprintf(&b, "%s %s: %s\n", r.Kind, text.Visible(selector(d), 400), r.Status)
		if d.Entry.Approval != nil {
			fmt.Fprintf(&b, "approved by %s at %s", text.Visible(r.ApprovedBy, 200), r.ApprovedAt)
			if r.Reason != "" {
				fmt.Fprintf(&b, ": %s", text.Visible(r.Reason, 400))
			}
			fmt.Fprintln(&b)
		}
		fmt.Fprintf(&b, "digest   %s\nagentsh  %s\nmcpproxy %s\n", d.Entry.Digest, d.Entry.AgentSH, d.Entry.MCPProxy)
		var definition bytes.Buffer // without the indentation that it has in the lockfile
		if err := json.Indent(&definition, d.Entry.Definition, "", "  "); err != nil {
			return err
		}
		for line := range strings.SplitSeq(definition.String(), "\n") {
			fmt.Fprintln(&b, text.Visible(text.Mask(line), 4000))
		}
	}
	if c.JSON {
		return writeJSON(std.out, rows)
	}
	return put(std.out, []byte(b.String()))
}

type pinsDiffCmd struct {
	Selector string `arg:"" optional:"" help:"SERVER, or SERVER:NAME; default: all." placeholder:"SERVER[:NAME]"`
	pinNames
	Lockfile string `help:"The lockfile." default:"mcpscan.lock" placeholder:"FILE"`
	JSON     bool   `help:"Same as --format json."`
	outputFlags
	engineFlags
}

// Run compares the definitions last seen with the approved ones.
func (c *pinsDiffCmd) Run(ctx context.Context, std streams) error {
	f, err := loadLock(c.Lockfile)
	if err != nil {
		return err
	}
	selector, err := c.selected(c.Selector, "")
	if err != nil {
		return err
	}
	if c.JSON {
		c.Format = []string{"json"}
	}
	only := func(found *scanner.Finding) bool { return !strings.HasPrefix(found.Rule.ID, "lock-") }
	if selector != "" {
		sel, err := f.ParseSelector(selector)
		if err != nil {
			return err
		}
		all := only
		only = func(found *scanner.Finding) bool {
			return all(found) && found.Server == text.Visible(sel.Server, 120) && (sel.All || found.Name == text.Visible(sel.Name, 120) &&
				sel.Selects(mcp.DefinitionKey{Kind: found.Subject, Name: sel.Name}))
		}
	}
	if c.MinSeverity == "" { // a newer version is only a note, but matters for an approval
		c.MinSeverity = "note"
	}
	d := diffCmd{Old: c.Lockfile, New: c.Lockfile, outputFlags: c.outputFlags, engineFlags: c.engineFlags, only: only}
	d.Now = "today" // definitions in a lockfile have no time
	return d.Run(ctx, std)
}

type pinsTrustCmd struct {
	Selector string `arg:"" optional:"" help:"SERVER:NAME." placeholder:"SERVER:NAME"`
	pinNames
	Digest string `help:"The digest that you reviewed: sha256-…, or the hexadecimal digest from agentsh or MCPProxy. Later changes stay unapproved." required:"" aliases:"hash" placeholder:"DIGEST"`
	Reason string `help:"Reason, recorded in the lockfile." placeholder:"TEXT"`
	By     string `help:"Name of the approver; default: MCPSCAN_USER, GITHUB_ACTOR or the current user." placeholder:"NAME"`
	Now    string `help:"Time of the approval; default: now." placeholder:"TIME"`
	pinFlags
}

// Run approves the definition.
func (c *pinsTrustCmd) Run(ctx context.Context, std streams) error {
	named, err := c.selected(c.Selector, "SERVER:NAME, or --server and --tool")
	if err != nil {
		return err
	}
	done, err := approving(ctx, c.Lockfile, c.Now, func(f *lockfile.File, at time.Time) ([]lockfile.Change, error) {
		found, err := f.Find(named)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if !d.Entry.Last().Is(c.Digest) {
				return nil, fmt.Errorf("%s: %s was last seen with the digest %s, not the one that you reviewed; nothing was approved", c.Lockfile, selector(d), d.Entry.Last().Digest)
			}
		}
		sel, err := f.ParseSelector(named)
		if err != nil {
			return nil, err
		}
		return f.Approve(who(c.By), c.Reason, at, sel), nil
	})
	if err != nil {
		return err
	}
	return (&approveCmd{By: c.By, Lockfile: c.Lockfile, JSON: c.JSON}).tell(std, done, noneWaits)
}

type pinsResetCmd struct {
	Selector string `arg:"" optional:"" help:"SERVER, or SERVER:NAME." placeholder:"SERVER[:NAME]"`
	pinNames
	pinFlags
}

// Run removes the approvals.
func (c *pinsResetCmd) Run(ctx context.Context, std streams) error {
	named, err := c.selected(c.Selector, "SERVER or SERVER:NAME, or --server")
	if err != nil {
		return err
	}
	forgotten := 0
	_, err = lockfile.Edit(ctx, c.Lockfile, false, func(f *lockfile.File) error {
		sel, err := f.ParseSelector(named)
		if err == nil {
			forgotten = f.Reset(sel)
		}
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(std.out, []struct {
			Forgotten int `json:"forgotten"`
		}{{forgotten}})
	}
	return put(std.out, fmt.Appendf(nil, "%s removed; to record the current definitions: mcpscan lock\n", report.Count(forgotten, "definition")))
}
