package report

import (
	"fmt"
	"slices"
	"strings"
)

// passage identifies the findings in a block: those with the same location, field and time.
type passage struct {
	file  string
	line  int
	field string
	seen  string
}

// group writes the findings about one subject, worst first, in one block per passage.
func (p *textPrinter) group(g []repeated) {
	p.title(heading(g[0].Finding))
	told := map[string]bool{}
	blocks := together(g, func(f repeated) passage { return passage{f.Location.File, f.Location.Line, f.Field, seen(f)} })
	for i, block := range blocks {
		if i > 0 {
			p.w.WriteByte('\n')
		}
		p.findings(block, told)
	}
	p.w.WriteByte('\n')
}

// findings writes the messages in a block, then their evidence. A rule's fix is written once per
// group.
func (p *textPrinter) findings(block []repeated, told map[string]bool) {
	for _, f := range block {
		word := strings.ToUpper(f.Severity.String())
		p.w.WriteString(strings.Repeat(" ", labelIndent))
		p.w.WriteString(p.styled(severityStyles[f.Severity], word))
		p.block(labelIndent+len(word), bodyIndent, visible(f.Rule, textLimit)+remarks(f.Finding)+": "+visible(f.Message, textLimit))
	}
	first := block[0]
	p.line("field", visible(first.Field, textLimit))
	p.evidence(block)
	p.line("signals", strings.Join(signals(block), ", "))
	for _, f := range block {
		p.diff(diffLines(f.Diff))
	}
	p.line("location", keep(place(first.Location)))
	p.line("pointer", keep(visible(first.Location.Pointer, textLimit)))
	p.line("seen", seen(first))
	p.related(block)
	for _, f := range block {
		if !told[f.Rule] {
			p.line("fix", visible(p.fixes[f.Rule], textLimit))
		}
		told[f.Rule] = true
	}
}

// evidence writes the matches in a block, each with its context unless that was already shown.
func (p *textPrinter) evidence(block []repeated) {
	shown := ""
	for _, f := range block {
		before, match, after := inContext(f.Evidence)
		switch {
		case match != "" && strings.Contains(shown, "»"+match+"«"): // another finding has the same evidence
		case match != "" && strings.Contains(strings.NewReplacer("»", "", "«", "").Replace(shown), match):
			p.quote("evidence", p.mark(match))
		default:
			p.quote("evidence", before+p.mark(match)+after)
		}
		shown += before + "»" + match + "«" + after + "\n"
		if d := f.Evidence.Decoded; d != nil && !strings.Contains(shown, "\n"+*d+"\n") {
			p.quote("decoded", visible(*d, textLimit))
			shown += *d + "\n"
		}
	}
}

// signals returns the distinct signals that fired.
func signals(block []repeated) []string {
	var out []string
	for _, f := range block {
		for _, s := range f.Signals {
			if s = visible(s, textLimit); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// related writes the distinct related locations of the findings.
func (p *textPrinter) related(block []repeated) {
	var list []Related
	for _, f := range block {
		for _, rel := range f.Related {
			if !slices.Contains(list, rel) {
				list = append(list, rel)
			}
		}
	}
	for i, rel := range list {
		if i == maxListed {
			p.line("related", fmt.Sprintf("and %d more", len(list)-i))
			return
		}
		at := place(rel.Location)
		if at != "" {
			at = keep(at+":") + " "
		}
		p.line("related", at+visible(rel.Message, textLimit))
	}
}
