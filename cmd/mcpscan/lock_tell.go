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
	unnamed   []string // servers in the lockfile that no configuration names
	notes     []string // made while the targets were planned
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

// tellUnnamed lists the servers that may have been removed or renamed. Their entries stay: a lockfile
// does not tell them from servers that were locked by their command or from a configuration elsewhere,
// and without an entry, a server would be approved at first use.
func (r *lockResult) tellUnnamed(w io.Writer) {
	if len(r.unnamed) == 0 {
		return
	}
	dir := text.Visible(filepath.Dir(r.file), 400)
	fmt.Fprintf(w, "mcpscan: in the lockfile, but in no target and in no configuration in or below %s: %s\n", dir, quotedNames(r.unnamed))
	fmt.Fprintf(w, "To remove an entry with its approvals: %s\n", app.ResetCommand(r.file, r.unnamed[0]))
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
