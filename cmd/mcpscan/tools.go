package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

type toolsCmd struct{ queryFlags }

// toolRow is one row of the output of mcpscan tools.
type toolRow struct {
	Server      string    `json:"server"`
	Tool        string    `json:"tool"`
	Digest      string    `json:"digest"`
	Status      string    `json:"status"`   // seen, or changed since it was first seen
	Findings    int       `json:"findings"` // about the tool, its calls and their results
	Worst       string    `json:"worst"`
	First       time.Time `json:"first_seen"`
	Description string    `json:"description"`
}

func (r *toolRow) when() time.Time { return r.First }

// Run lists the tools.
func (c *toolsCmd) Run(ctx context.Context, std streams) error {
	byName := map[[2]string]*toolRow{}
	found := distinctFindings{}
	err := c.run(ctx, std, sink{
		event: func(e *scanner.Event, out *scanner.Outcome) {
			for _, m := range out.Messages {
				for _, d := range m.Definitions {
					if d.Kind == mcp.ToolSubject && c.has(e.Session, e.Server, d.Name) {
						seeTool(byName, e, &d)
					}
				}
				if d := m.Changed; d != nil && c.has(e.Session, e.Server, d.Name) {
					seeTool(byName, e, d)
				}
			}
		},
		finding: func(f *scanner.Finding) {
			if c.has(f.Session, f.Server, f.Name) {
				found.add(f)
			}
		},
	})
	if err != nil {
		return err
	}
	counts := found.countBy(func(f distinctFinding) [2]string { return [2]string{f.server, f.tool} })
	for _, r := range byName {
		if t := counts[[2]string{text.ShownName(r.Server), text.ShownName(r.Tool)}]; t.n > 0 {
			r.Findings, r.Worst = t.n, t.worst.String()
		}
	}
	rows := slices.SortedFunc(maps.Values(byName), func(a, b *toolRow) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool))
	})
	return show(&c.queryFlags, std, rows, func(rows []*toolRow) *table {
		t := newTable("server", "tool", "digest", "status", "findings")
		for _, r := range rows {
			findings := "none"
			if r.Findings > 0 {
				findings = strconv.Itoa(r.Findings) + ", worst " + r.Worst
			}
			t.add(r.Server, r.Tool, shortDigest(r.Digest), r.Status, findings)
		}
		return t
	})
}

func seeTool(byName map[[2]string]*toolRow, e *scanner.Event, d *mcp.Definition) {
	key := [2]string{e.Server, d.Name}
	r := byName[key]
	if r == nil {
		byName[key] = &toolRow{Server: e.Server, Tool: d.Name, Digest: toolDigest(d), Status: "seen", First: e.Recorded(), Description: d.Description}
		return
	}
	if r.Digest != toolDigest(d) {
		r.Status = "changed"
	}
}

// toolDigest returns a tool's digest: the one in an audit log or, in other recordings, mcpscan's
// own.
func toolDigest(d *mcp.Definition) string {
	if d.Foreign {
		return d.AgentSH
	}
	return d.Digest.String()
}

func shortDigest(d string) string {
	d = strings.TrimPrefix(d, "sha256-")
	return d[:min(12, len(d))]
}
