package main

import (
	"context"
	"slices"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// removed judges the servers of before that NEW lacks, if NEW is meant to have all of them, that is, if
// it is a lockfile or a configuration. With pair, before has one server, which is compared with the
// first server in NEW.
func (c *diffCmd) removed(ctx context.Context, engine *scanner.Engine, before *scanner.Snapshot, pair bool, now []report.Input, met seenServers, entries *newEntries, into scanner.Sink) (res scanner.Result, err error) {
	if !slices.ContainsFunc(now, func(in report.Input) bool { return in.Kind == "lockfile" || in.Kind == "config" }) || pair && len(met)+len(entries.now) > 0 {
		return res, nil
	}
	configured := map[string]bool{}
	for key := range entries.now {
		configured[key.name] = true
	}
	var gone []*scanner.Event
	for _, name := range before.Names() {
		if !met[name] && !configured[name] {
			gone = append(gone, app.RemovedEvent(name, before.Servers[name].Location))
		}
	}
	if res, err = engine.Run(context.WithoutCancel(ctx), replay.Events(gone), into); err != nil {
		return res, readError(err)
	}
	res.Stats = scanner.Stats{} // the new side does not have these servers
	return res, nil
}
