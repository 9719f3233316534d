package report

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// MergeError reports why partial reports do not belong to one run.
type MergeError struct {
	At  int // index of the report that does not match the first, or -1
	Msg string
}

func (e *MergeError) Error() string { return e.Msg }

// Merge returns the report of a whole run from the partial reports of all shards, in any order.
// bounds contains the limits that a single run might have reached although no shard did, in which
// case its report could differ.
func Merge(parts []*Partial) (r *Report, bounds []string, err error) {
	if err := complementary(parts); err != nil {
		return nil, nil, err
	}
	first := parts[0]
	c := NewCollector(scanner.Note)
	var res scanner.Result
	var found, again []partialFinding
	var cut *rank
	for _, p := range parts {
		res.Add(p.Result)
		for status := range c.counts {
			c.counts[status].add(p.Counts[status])
		}
		for _, u := range p.All {
			c.room.all[kind{u.Rule, u.Severity}] += u.Count
		}
		c.hidden, c.worsened = c.hidden+p.Hidden, c.worsened+p.Worsened
		for _, name := range p.Servers {
			c.servers.add(name)
		}
		if p.Cut != nil && (cut == nil || p.Cut.compare(*cut) < 0) {
			cut = p.Cut
		}
		found, again = append(found, p.Findings...), append(again, p.Again...)
	}
	c.list(found, again, cut)
	c.sessions.merge(parts)
	bounds = reached(parts, c.room.cut != nil || c.room.bytes > maxReport, c.worsened)
	r = c.Report(first.Inputs, first.Tool.Version, res)
	r.Config, r.Baseline, r.UnusedIgnores = first.Config, first.Baseline, unusedByAll(parts)
	return r, bounds, nil
}

// complementary returns an error unless parts are all the shards of one run.
func complementary(parts []*Partial) error {
	if len(parts) == 0 {
		return &MergeError{-1, "no partial report: expected one for each shard"}
	}
	first, seen := parts[0], map[int]bool{}
	for i, p := range parts {
		switch {
		case p.Tool != first.Tool:
			return &MergeError{i, fmt.Sprintf("it was written by mcpscan %s, but the first report by mcpscan %s: replay all shards with the same version", visible(p.Tool.Version, 80), visible(first.Tool.Version, 80))}
		case p.Of != first.Of:
			return &MergeError{i, fmt.Sprintf("it is one of %d shards, but the first report is one of %d", p.Of, first.Of)}
		case seen[p.Shard]:
			return &MergeError{i, fmt.Sprintf("shard %d of %d was given twice", p.Shard, p.Of)}
		case p.Settings != first.Settings || !slices.Equal(p.Inputs, first.Inputs):
			return &MergeError{i, "its flags, files or configuration differ from the first report's: use the same ones to replay all shards"}
		case p.Events != first.Events:
			return &MergeError{i, fmt.Sprintf("its input contains %d events, but the first report's contains %d: replay all shards over the same input", p.Events, first.Events)}
		}
		seen[p.Shard] = true
	}
	var missing []string
	for i := 1; i <= first.Of; i++ {
		if !seen[i] {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	if len(missing) > 0 {
		more := ""
		if len(missing) > maxListed {
			missing, more = missing[:maxListed], ", …"
		}
		return &MergeError{-1, fmt.Sprintf("%d of %d shards: missing %s%s", len(parts), first.Of, strings.Join(missing, ", "), more)}
	}
	return nil
}

// list adds the findings from all shards as a single run would. A finding whose severity rose is
// listed at its first location if there was room for it when it first occurred, and otherwise at
// the location where its severity rose.
func (c *Collector) list(found, again []partialFinding, cut *rank) {
	slices.SortStableFunc(found, func(a, b partialFinding) int { return cmp.Compare(a.As.Place, b.As.Place) })
	final := map[[16]byte]*Finding{}
	for i := range found {
		final[keyOf(found[i].Finding.Session, found[i].Finding.Fingerprint)] = &found[i].Finding
	}
	all := slices.Concat(found, again)
	slices.SortStableFunc(all, func(a, b partialFinding) int { return cmp.Compare(a.As.Place, b.As.Place) })
	c.room.cut = cut
	listed := map[[16]byte]bool{}
	for _, f := range all {
		key := keyOf(f.Finding.Session, f.Finding.Fingerprint)
		if is := final[key]; is != nil && !listed[key] && c.room.admits(f.Finding.Rule, f.As) {
			listed[key] = true
			out := *is
			out.Location, out.Timestamp, out.Related, out.Field, out.Tool = f.Finding.Location, f.Finding.Timestamp, f.Finding.Related, f.Finding.Field, f.Finding.Tool
			if out.Last != nil && out.Last.Location == out.Location {
				out.Last = nil
			}
			c.add(out, [16]byte{}, f.As)
		}
	}
	if c.room.bytes > maxReport {
		c.trim()
	}
}

// merge adds the sessions of all shards. A shard contains only those of its sessions that are among
// the first maxTracked in the whole input.
func (s *sessions) merge(parts []*Partial) {
	type origin struct{ part, session int }
	var origins []origin
	for i, p := range parts {
		for k := range p.Sessions {
			origins = append(origins, origin{i, k})
		}
	}
	of := func(o origin) *tracked { return &parts[o.part].Sessions[o.session] }
	slices.SortFunc(origins, func(a, b origin) int { return cmp.Compare(of(a).Place, of(b).Place) })
	at := map[origin]int{}
	for i, o := range origins {
		at[o] = i
		s.list = append(s.list, *of(o))
	}
	s.shown = map[[16]byte]shown{}
	for i, p := range parts {
		for _, t := range p.Tools {
			key, _ := hex.DecodeString(t.Tool)
			was, again := s.shown[[16]byte(key)]
			for k, c := range [...]claim{t.First, t.Earliest} {
				if k == 1 && c.When.IsZero() {
					continue
				}
				c.Session = at[origin{i, c.Session}]
				if !again {
					was.First, again = c, true
				}
				was.add(c, s.name)
			}
			s.shown[[16]byte(key)] = was
		}
	}
}

// mergeSkips adds up entries with the same reason, and sorts them by reason.
func mergeSkips(all []scanner.Skipped) (out []scanner.Skipped) {
	slices.SortStableFunc(all, func(a, b scanner.Skipped) int {
		return cmp.Or(strings.Compare(a.Reason, b.Reason), cmp.Compare(a.Seq, b.Seq))
	})
	for _, s := range all {
		if last := len(out) - 1; last >= 0 && out[last].Reason == s.Reason {
			out[last].Count += s.Count
			continue
		}
		out = append(out, s)
	}
	return out
}

// unusedByAll returns the ignores that suppressed nothing in any shard.
func unusedByAll(parts []*Partial) (out []UnusedIgnore) {
	for _, u := range parts[0].Ignores {
		unused := true
		for _, p := range parts[1:] {
			i := slices.IndexFunc(p.Ignores, func(o UnusedIgnore) bool { return o.Location == u.Location })
			if unused = i >= 0; !unused {
				break
			}
			u.Why = min(u.Why, p.Ignores[i].Why) // the strings sort as expired, expires, matches nothing
		}
		if unused {
			out = append(out, u)
		}
	}
	return out
}

// reached returns the limits that a single run might have reached.
func reached(parts []*Partial, short bool, worsened int) (out []string) {
	for i, b := range parts[0].Result.Bounds {
		used := 0
		for _, p := range parts {
			if i < len(p.Result.Bounds) {
				used += p.Result.Bounds[i].Used
			}
		}
		if used > b.Most {
			out = append(out, fmt.Sprintf("%s: %d in all shards together, but a single run keeps only %d", visible(b.Name, textLimit), used, b.Most))
		}
	}
	if short && worsened > 0 {
		out = append(out, fmt.Sprintf("findings that recurred with a higher severity, or became open: %d, and not all findings are listed", worsened))
	}
	return out
}
