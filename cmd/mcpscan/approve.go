package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
)

type approveCmd struct {
	Selectors []string `arg:"" optional:"" help:"What to approve: SERVER for everything on it that waits for approval (definitions and identity), SERVER:NAME for one definition, SERVER NAME… for several." placeholder:"SERVER[:NAME]"`
	Server    string   `help:"Server of the named definitions; with --all, approve only what waits for approval on this server." placeholder:"SERVER"`
	All       bool     `help:"Approve everything that waits for approval, on all servers or only on --server."`
	Reason    string   `help:"Reason for the approval. scan --base ignores approvals without a reason." placeholder:"TEXT"`
	By        string   `help:"Name of the approver; default: MCPSCAN_USER, GITHUB_ACTOR or the current user." placeholder:"NAME"`
	Lockfile  string   `help:"The lockfile." default:"mcpscan.lock" placeholder:"FILE"`
	Now       string   `help:"Time of the approval; default: now." placeholder:"TIME"`
	JSON      bool     `help:"Write JSON instead of text."`
}

// Run approves the selected definitions.
func (c *approveCmd) Run(ctx context.Context, std streams) error {
	if c.All == (len(c.Selectors) > 0) {
		return usage("expected either --all or what to approve: SERVER, SERVER:NAME or SERVER NAME…")
	}
	done, err := approving(ctx, c.Lockfile, c.Now, func(f *lockfile.File, at time.Time) ([]lockfile.Change, error) {
		selectors, err := c.selectors(f)
		if err != nil {
			return nil, err
		}
		return f.Approve(who(c.By), c.Reason, at, selectors...), nil
	})
	if err != nil {
		return err
	}
	if strings.TrimSpace(c.Reason) == "" && len(done) > 0 {
		fmt.Fprintln(std.err, "mcpscan: approved without a reason, so scan --base ignores the approval; to add a reason, run the command again with --reason \"…\"")
	}
	return c.tell(std, done, noneWaits)
}

// approving passes the lockfile and the approval time to the function approve, saves the lockfile, and
// returns what was approved. The lockfile must be intact.
func approving(ctx context.Context, path, now string, approve func(*lockfile.File, time.Time) ([]lockfile.Change, error)) (done []lockfile.Change, err error) {
	at, err := approvalTime(now)
	if err != nil {
		return nil, err
	}
	_, err = lockfile.Edit(ctx, path, false, func(f *lockfile.File) (err error) {
		if err = f.Intact(); err == nil {
			done, err = approve(f, at)
		}
		return err
	})
	return done, unreadable(err)
}

func (c *approveCmd) selectors(f *lockfile.File) (all []lockfile.Selector, err error) {
	server, names := c.ofOne(f)
	if server != "" {
		if f.Servers[server] == nil {
			_, err := f.ParseSelector(server)
			return nil, cmp.Or(err, usage("--server: expected a server, found %q", server))
		}
		if c.All {
			return []lockfile.Selector{{Server: server, All: true, Named: true}}, nil
		}
		for _, name := range names {
			sel, err := f.Select(server, name)
			if err != nil {
				return nil, err
			}
			all = append(all, sel)
		}
		return all, nil
	}
	if c.All {
		for _, name := range f.Names() {
			all = append(all, lockfile.Selector{Server: name, All: true})
		}
		return all, nil
	}
	for _, s := range c.Selectors {
		sel, err := f.ParseSelector(s)
		if err != nil {
			return nil, err
		}
		all = append(all, sel)
	}
	return all, nil
}

// ofOne returns the server and definition names on a command line that selects definitions of one
// server. The server is the one given with --server, or the first argument if definition names follow
// it.
func (c *approveCmd) ofOne(f *lockfile.File) (server string, names []string) {
	if c.Server != "" || len(c.Selectors) < 2 || f.Servers[c.Selectors[0]] == nil {
		return c.Server, c.Selectors
	}
	for _, name := range c.Selectors[1:] {
		if _, err := f.ParseSelector(name); err == nil {
			return "", nil
		}
	}
	return c.Selectors[0], c.Selectors[1:]
}

// approvedRow is one approved definition or identity.
type approvedRow struct {
	Server string `json:"server"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Was    string `json:"was"`
	Digest string `json:"digest"`
	By     string `json:"approved_by"`
}

func rowOf(d lockfile.Change, by string) approvedRow {
	row := approvedRow{Server: text.Visible(d.Server, 200), Kind: d.Kind.String(), Name: text.Visible(d.Name, 200), Was: string(d.Was), By: text.Visible(by, 200)}
	if d.Identity != nil {
		row.Kind = "identity"
	} else {
		row.Digest = d.Entry.Digest.String()
	}
	return row
}

// noneWaits is the reason why a command that approves selected definitions approved none.
const noneWaits = "no selected definition is pending or changed"

// tell lists what was approved; none is the reason if nothing was.
func (c *approveCmd) tell(std streams, done []lockfile.Change, none string) error {
	rows := []approvedRow{}
	for _, d := range done {
		rows = append(rows, rowOf(d, who(c.By)))
	}
	if c.JSON {
		return writeJSON(std.out, rows)
	}
	if len(rows) == 0 {
		return put(std.out, []byte("nothing to approve: "+none+"\n"))
	}
	var b strings.Builder
	identities := 0
	for _, d := range done {
		if d.Identity != nil {
			identities++
		}
		fmt.Fprintf(&b, "approved %s (was %s)\n", text.Visible(selector(d), 400), d.Was)
	}
	what := report.Count(len(done)-identities, "definition")
	if identities > 0 {
		what += fmt.Sprintf(" and the identity of %s", report.Count(identities, "server"))
	}
	fmt.Fprintf(&b, "%s approved in %s by %s\n", what, text.Visible(c.Lockfile, 400), text.Visible(who(c.By), 200))
	b.WriteString("running proxies apply this at once; when a client next requests the list, at the latest after a restart, it sees what was withheld\n")
	return put(std.out, []byte(b.String()))
}
