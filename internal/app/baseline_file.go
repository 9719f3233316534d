package app

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// baseline returns the known findings from the baseline in effect and the baseline's name. If the change
// under review modifies the baseline, it also describes how.
func (b baseTree) baseline(name string) (known map[string]scanner.Severity, decides string, changed []*configfile.ChangedSettings, err error) {
	was, now, err := b.versions("the baseline", name, maxBaseline, true)
	if err != nil {
		return nil, "", nil, err
	}
	is, err := now.known()
	if err != nil || was == now {
		return is, name, nil, err
	}
	known, err = was.known()
	if err != nil {
		return nil, "", nil, err
	}
	if was != nil {
		decides = was.name
	}
	return known, decides, []*configfile.ChangedSettings{changedSettings(name, was, now, compareBaselines(known, is, now))}, nil
}

// maxBaseline is far above the size of any report, so that every baseline written by mcpscan can be
// read.
const maxBaseline = 1 << 40

// known returns the severities of a baseline's findings, by fingerprint.
func (v *fileVersion) known() (map[string]scanner.Severity, error) {
	known := map[string]scanner.Severity{}
	if v == nil {
		return known, nil
	}
	before, err := report.Read(bytes.NewReader(v.data))
	if err != nil {
		return nil, fmt.Errorf("the baseline: %s: %w", v.name, err)
	}
	for _, finding := range before.Findings {
		if finding.Status != scanner.Suppressed.String() && finding.Status != scanner.Approved.String() { // otherwise, a finding would stay known after its ignore expires
			known[finding.Fingerprint] = max(known[finding.Fingerprint], finding.Severity)
		}
	}
	return known, nil
}

// compareBaselines describes the changes to the findings that a baseline accepts, and to their
// severities.
func compareBaselines(before, now map[string]scanner.Severity, data *fileVersion) (changes []configfile.SettingsChange) {
	keys := []string{"findings"}
	for _, id := range slices.Sorted(maps.Keys(now)) {
		was, known := before[id]
		effect, says := configfile.Accepts, fmt.Sprintf("the baseline accepts the %s finding %s as known", now[id], id)
		switch {
		case known && now[id] == was:
			continue
		case known && now[id] < was:
			effect = configfile.Keeps
		case !scanner.FingerprintForm.MatchString(id):
			effect, says = configfile.Weakens, fmt.Sprintf("the baseline accepts a finding without a fingerprint as known: %q", id)
		}
		line := 1 + bytes.Count(data.data[:max(bytes.Index(data.data, []byte(id)), 0)], []byte("\n"))
		changes = append(changes, configfile.SettingsChange{Effect: effect, Keys: keys, Says: says, Pos: configfile.Position{Line: line, Column: 1}})
	}
	gone := 0
	for id := range before {
		if _, known := now[id]; !known {
			gone++
		}
	}
	if gone > 0 {
		changes = append(changes, configfile.SettingsChange{Keys: keys, Says: fmt.Sprintf("the baseline no longer contains %s", report.Count(gone, "known finding"))})
	}
	return changes
}
