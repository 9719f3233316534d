package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

type detectionsCmd struct {
	queryFlags
	Severity string `help:"Only findings of this severity or higher." default:"low" enum:"note,low,medium,high,critical"`
}

// Run lists the findings.
func (c *detectionsCmd) Run(ctx context.Context, std streams) error {
	collector := report.NewCollector(severity(c.Severity))
	err := c.run(ctx, std, sink{finding: func(f *scanner.Finding) { _ = collector.Finding(f) }})
	if err != nil {
		return err
	}
	var rows []detectionRow
	r, more := collector.Report(nil, "", scanner.Result{}), 0
	for _, u := range r.Summary.Unlisted {
		more += u.Count
	}
	if more > 0 {
		fmt.Fprintf(std.err, "mcpscan: %s not listed, because the list reached a limit; to shorten it, use --severity\n", report.Count(more, "finding"))
	}
	for _, f := range r.Findings {
		if c.has(f.Session, f.Server, f.Tool) {
			rows = append(rows, detectionRow(f))
		}
	}
	return show(&c.queryFlags, std, rows, func(rows []detectionRow) *table {
		head := []string{"time", "server", "tool", "rule", "severity", "status", "evidence", "line"}
		recurs := slices.ContainsFunc(rows, func(r detectionRow) bool { return r.Last != nil })
		if recurs {
			head = append(head, "times", "last", "last line")
		}
		t := newTable(head...)
		for _, r := range rows {
			cells := []string{stamp(timeOf(r.Timestamp)), r.Server, r.Tool, r.Rule, r.Severity.String(), r.Status, r.Evidence.Text, strconv.Itoa(r.Location.Line)}
			if recurs {
				cells = append(cells, r.lastCells()...)
			}
			t.add(cells...)
		}
		return t
	})
}

// detectionRow is one row of the output of mcpscan detections.
type detectionRow report.Finding

// when returns the time of the last occurrence, so that --since keeps a finding that recurs in the
// period.
func (r detectionRow) when() time.Time {
	if r.Last != nil {
		return timeOf(r.Last.Timestamp)
	}
	return timeOf(r.Timestamp)
}

// lastCells returns the cells with the number of occurrences, and the time and line of the last one.
func (r detectionRow) lastCells() []string {
	if r.Last == nil {
		return []string{strconv.Itoa(r.Occurrences), "", ""}
	}
	return []string{strconv.Itoa(r.Occurrences), stamp(timeOf(r.Last.Timestamp)), strconv.Itoa(r.Last.Location.Line)}
}

// timeOf parses the timestamp of a finding, which is nil if the input has no time.
func timeOf(s *string) time.Time {
	if s == nil {
		return time.Time{}
	}
	t, _ := time.Parse(time.RFC3339Nano, *s)
	return t
}
