package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
)

// lockResult is what mcpscan lock did.
type lockResult struct {
	file      string
	changed   bool // the lockfile was written
	servers   int  // servers that were listed
	total     int  // definitions in the lockfile
	unlisted  []lockfile.Change
	forgotten int // definitions that were removed from the lockfile
	waiting   []lockfile.Change
	unnamed   []string // servers that the lockfile had and that no configuration names
	pruned    bool     // they were removed from the lockfile
	notes     []string // messages from the plans of the targets
}

// prune removes definitions that their servers no longer list and, if servers is set, the servers that
// no configuration names.
func (r *lockResult) prune(f *lockfile.File, servers bool) {
	r.forgotten += f.Prune()
	if r.pruned = servers; !servers {
		return
	}
	for _, server := range r.unnamed {
		f.Reset(lockfile.Selector{Server: server, All: true})
	}
}

// count records what the lockfile contains now.
func (r *lockResult) count(f *lockfile.File) {
	r.waiting = f.Waiting()
	for _, s := range f.Servers {
		r.total += len(s.Entries)
	}
}

// tell reports whether the lockfile changed, and what to do next.
func (r *lockResult) tell(w io.Writer) {
	what := "is up to date"
	if r.changed {
		what = "was written"
	}
	fmt.Fprintf(w, "mcpscan: %s %s: %s listed, %s in the lockfile\n", text.Visible(r.file, 400), what, report.Count(r.servers, "server"), report.Count(r.total, "definition"))
	r.tellUnlisted(w)
	r.tellUnnamed(w)
	tellWaiting(w, r.file, r.waiting)
	tellSome(w, len(r.notes), func(i int) {
		fmt.Fprintf(w, "mcpscan: %s\n", text.Visible(text.Mask(r.notes[i]), 600))
	})
}

// tellUnlisted lists the definitions that their servers no longer list.
func (r *lockResult) tellUnlisted(w io.Writer) {
	tellSome(w, len(r.unlisted), func(i int) {
		fmt.Fprintf(w, "  unlisted %s\n", text.Visible(selector(r.unlisted[i]), 200))
	})
	switch {
	case r.forgotten > 0:
		fmt.Fprintf(w, "mcpscan: removed %s no longer listed by any server\n", report.Count(r.forgotten, "definition"))
	case len(r.unlisted) > 0:
		fmt.Fprintln(w, "To remove these from the lockfile: run the command again with --prune")
	}
}

// tellUnnamed lists the servers that may have been removed or renamed. Their entries stay unless the
// user asks to remove them: a lockfile cannot distinguish such servers from those locked by command or
// through a configuration elsewhere, and without an entry, a server would be approved at first use.
func (r *lockResult) tellUnnamed(w io.Writer) {
	if len(r.unnamed) == 0 {
		return
	}
	what := "these servers are in the lockfile"
	if r.pruned {
		what = "removed these servers and their approvals from the lockfile"
	}
	dir := text.Visible(filepath.Dir(r.file), 400)
	fmt.Fprintf(w, "mcpscan: %s; no target and no configuration in or below %s names them: %s\n", what, dir, quotedNames(r.unnamed))
	if !r.pruned {
		fmt.Fprintf(w, "To remove an entry with its approvals: %s\n", app.ResetCommand(r.file, r.unnamed[0]))
		fmt.Fprintf(w, "To remove all of these: mcpscan lock%s --prune, with targets that cover every configured server\n", app.LockfileFlag(r.file))
	}
}

// tellSome calls tell for the first maxWaiting of n items, and counts the rest.
func tellSome(w io.Writer, n int, tell func(i int)) {
	for i := range min(n, maxWaiting) {
		tell(i)
	}
	if n > maxWaiting {
		fmt.Fprintf(w, "  and %d more\n", n-maxWaiting)
	}
}

// maxWaiting is the maximum number of items that tellSome prints.
const maxWaiting = 20

// tellWaiting lists what is waiting for approval, and the commands to inspect and approve it.
func tellWaiting(w io.Writer, file string, waiting []lockfile.Change) {
	if len(waiting) == 0 {
		return
	}
	tellSome(w, len(waiting), func(i int) {
		c := waiting[i]
		fmt.Fprintf(w, "  %-8s %s\n", c.Was, text.Visible(selector(c), 200))
		for _, difference := range c.Differences {
			fmt.Fprintf(w, "           %s\n", text.Visible(text.Mask(difference), 400))
		}
	})
	var servers []string
	for _, c := range waiting {
		servers = append(servers, c.Server)
	}
	servers = slices.Compact(servers)
	at := app.LockfileFlag(file)
	fmt.Fprintf(w, "To see what changed: mcpscan pins diff%s\n", at)
	fmt.Fprintf(w, "To approve it:       mcpscan approve%s %s --reason \"…\"\n", at, text.ShellWord(text.Visible(servers[0], 200)))
	if len(servers) > 1 {
		fmt.Fprintf(w, "                     (and %s more)\n", report.Count(len(servers)-1, "server"))
	}
}

func selector(c lockfile.Change) string {
	switch {
	case c.Identity != nil:
		return c.Server + " (identity)"
	case c.Kind == mcp.ServerSubject:
		return c.Server + " (instructions)"
	}
	if c.Kind != mcp.ToolSubject {
		return c.Server + ":" + c.Kind.String() + ":" + c.Name
	}
	return c.Server + ":" + c.Name
}
