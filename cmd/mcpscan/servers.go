package main

import (
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

type serversCmd struct{ queryFlags }

// serverRow is one row of the output of mcpscan servers.
type serverRow struct {
	Server    string    `json:"server"`
	Transport string    `json:"transport"`
	Name      string    `json:"name"`
	Version   string    `json:"version"`
	Protocol  string    `json:"protocol"`
	Tools     int       `json:"tools"`
	Calls     int       `json:"calls"`
	Sessions  int       `json:"sessions"`
	Findings  int       `json:"findings"`
	Last      time.Time `json:"last_seen"`

	tools, sessions map[string]bool
}

func (r *serverRow) when() time.Time { return r.Last }

// Run lists the servers.
func (c *serversCmd) Run(ctx context.Context, std streams) error {
	byName := map[string]*serverRow{}
	found := distinctFindings{}
	err := c.run(ctx, std, sink{
		event: func(e *scanner.Event, out *scanner.Outcome) {
			if len(out.Messages) > 0 && out.ShowsServer(e) && c.has(e.Session, e.Server, c.Tool) {
				if byName[e.Server] == nil {
					byName[e.Server] = &serverRow{Server: e.Server, tools: map[string]bool{}, sessions: map[string]bool{}}
				}
				byName[e.Server].see(e, out)
			}
		},
		finding: func(f *scanner.Finding) {
			if c.has(f.Session, f.Server, c.Tool) {
				found.add(f)
			}
		},
	})
	if err != nil {
		return err
	}
	rows := c.rows(byName, found.countBy(func(f distinctFinding) [2]string { return [2]string{f.server} }))
	return show(&c.queryFlags, std, rows, func(rows []*serverRow) *table {
		t := newTable("server", "transport", "name", "version", "protocol", "tools", "calls", "sessions", "findings")
		for _, r := range rows {
			t.add(r.Server, r.Transport, r.Name, r.Version, r.Protocol, strconv.Itoa(r.Tools), strconv.Itoa(r.Calls), strconv.Itoa(r.Sessions), strconv.Itoa(r.Findings))
		}
		return t
	})
}

// rows returns the rows with their numbers of findings, and adds a row for each server that only
// findings name.
func (c *serversCmd) rows(byName map[string]*serverRow, found map[[2]string]findingCount) []*serverRow {
	shown := map[string]bool{}
	for name, r := range byName {
		r.Findings = found[[2]string{text.ShownName(name)}].n
		shown[text.ShownName(name)] = true
	}
	for key, t := range found {
		if name := key[0]; !shown[name] {
			byName[name] = &serverRow{Server: name, Findings: t.n}
		}
	}
	var rows []*serverRow
	for _, r := range byName {
		r.Tools, r.Sessions = len(r.tools), len(r.sessions)
		if c.Tool == "" || slices.ContainsFunc(slices.Collect(maps.Keys(r.tools)), c.names.tool.passes) {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b *serverRow) int { return strings.Compare(a.Server, b.Server) })
	return rows
}

func (r *serverRow) see(e *scanner.Event, out *scanner.Outcome) {
	r.Transport, r.sessions[e.Session] = e.Transport, true
	if e.Recorded().After(r.Last) {
		r.Last = e.Recorded()
	}
	for _, m := range out.Messages {
		if s := m.Server; s != nil && (s.Name != "" || s.Protocol != "") {
			r.Name, r.Version, r.Protocol = s.Name, s.Version, s.Protocol
		}
		r.Calls += m.Calls
		for _, d := range m.Definitions {
			if d.Kind == mcp.ToolSubject {
				r.tools[d.Name] = true
			}
		}
	}
}
