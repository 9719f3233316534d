package main

import (
	"context"
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
	for _, f := range collector.Report(nil, "", scanner.Result{}).Findings {
		if c.has(f.Session, f.Server, f.Tool) {
			rows = append(rows, detectionRow(f))
		}
	}
	return show(&c.queryFlags, std, rows, func(rows []detectionRow) *table {
		t := newTable("time", "server", "tool", "rule", "severity", "status", "evidence", "line")
		for _, r := range rows {
			t.add(stamp(r.when()), r.Server, r.Tool, r.Rule, r.Severity.String(), r.Status, r.Evidence.Text, strconv.Itoa(r.Location.Line))
		}
		return t
	})
}

// detectionRow is one row of the output of mcpscan detections.
type detectionRow report.Finding

func (r detectionRow) when() time.Time {
	if r.Timestamp == nil {
		return time.Time{}
	}
	t, _ := time.Parse(time.RFC3339Nano, *r.Timestamp)
	return t
}
