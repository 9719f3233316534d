package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
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
	row := func(name string) *serverRow {
		if byName[name] == nil {
			byName[name] = &serverRow{Server: name, tools: map[string]bool{}, sessions: map[string]bool{}}
		}
		return byName[name]
	}
	err := c.run(ctx, std, sink{
		event: func(e *scanner.Event, out *scanner.Outcome) {
			if len(out.Messages) > 0 && out.ShowsServer(e) && c.has(e.Session, e.Server, "") {
				row(e.Server).see(e, out)
			}
		},
		finding: func(f *scanner.Finding) {
			if c.has(f.Session, f.Server, "") && f.Severity > scanner.Note && f.Status == scanner.Open {
				row(f.Server).Findings++
			}
		},
	})
	if err != nil {
		return err
	}
	var rows []*serverRow
	for _, r := range byName {
		r.Tools, r.Sessions = len(r.tools), len(r.sessions)
		if c.Tool == "" || r.tools[c.Tool] {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b *serverRow) int { return strings.Compare(a.Server, b.Server) })
	return show(&c.queryFlags, std, rows, func(rows []*serverRow) *table {
		t := newTable("server", "transport", "name", "version", "protocol", "tools", "calls", "sessions", "findings")
		for _, r := range rows {
			t.add(r.Server, r.Transport, r.Name, r.Version, r.Protocol, strconv.Itoa(r.Tools), strconv.Itoa(r.Calls), strconv.Itoa(r.Sessions), strconv.Itoa(r.Findings))
		}
		return t
	})
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
