package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxAnnotations is how many annotations of each level GitHub keeps of one step.
const maxAnnotations = 10

// The levels of an annotation.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelNotice  = "notice"
)

// githubLevels are by severity, from note up.
var githubLevels = [...]string{levelNotice, levelNotice, levelWarning, levelError, levelError}

// writeGitHub writes the report as workflow commands of GitHub Actions, which
// become annotations: the worst open findings of each level, a warning where not
// everything was inspected, and a notice that sums the run up and says how many
// findings have no annotation. What is suppressed or unchanged is counted there.
//
// Nothing is wrapped in ::stop-commands::. Every line that is written begins with
// a command of ours, the text in it is visible, so it has no line feeds, and is
// escaped, so it cannot end a property: there is no line for foreign text to begin.
// Wrapping would need a token that the text cannot guess, and a report that is
// the same each time can be read beforehand.
func writeGitHub(w io.Writer, r *Report, o Options) error {
	g := &githubWriter{w: bufio.NewWriter(w), dir: o.Dir, fixes: fixes(o.Rules),
		room: map[string]int{levelError: maxAnnotations, levelWarning: maxAnnotations, levelNotice: maxAnnotations - 1}} // one sums up
	if missing := gaps(r); len(missing) > 0 {
		g.room[levelWarning]--
		at := Location{}
		if missing[0].First != nil {
			at = *missing[0].First
		}
		g.annotate(levelWarning, at, "mcpscan: not everything was inspected", skippedLines(missing))
	}
	list, left := worstFirst(r.Findings), 0
	for _, f := range list {
		level := githubLevels[f.Severity]
		if g.room[level] == 0 {
			left++
			continue
		}
		g.room[level]--
		title := fmt.Sprintf("mcpscan: %s (%s)", visible(f.Rule, maxResultName), f.Severity)
		g.annotate(level, f.Location, title, g.message(f))
	}
	sum := append([]string{verdict(r)}, summary(r)...)
	if left > 0 {
		sum = append(sum, fmt.Sprintf("%d more open findings have no annotation: GitHub keeps %d of each level.", left, maxAnnotations))
	}
	g.annotate(levelNotice, Location{}, "mcpscan", sum)
	if err := g.w.Flush(); err != nil {
		return fmt.Errorf("writing the github report: %w", err)
	}
	return nil
}

// skippedLines lists what was not inspected, shortened for a reader.
func skippedLines(list []Skipped) []string {
	var out []string
	for i, s := range list {
		if i == maxListed {
			out = append(out, fmt.Sprintf("and %s more", count(len(list)-i, "reason")))
			break
		}
		line := fmt.Sprintf("%d × %s", s.Count, visible(s.Reason, textLimit))
		if s.First != nil {
			line += ", first at " + place(*s.First)
		}
		out = append(out, line)
	}
	return out
}

// githubWriter writes workflow commands. The first error of the writer stays in
// w until it is flushed.
type githubWriter struct {
	w     *bufio.Writer
	dir   string
	fixes map[string]string // by rule
	room  map[string]int    // for annotations, by level
}

// message says what is wrong, where, and what to do.
func (g *githubWriter) message(f repeated) []string {
	lines := []string{visible(f.Message, textLimit)}
	add := func(label, s string) {
		if s != "" {
			lines = append(lines, label+": "+s)
		}
	}
	about := heading(f.Finding)
	if f.Field != "" {
		about += ", field " + visible(f.Field, textLimit)
	}
	add("Found in", about)
	add("Evidence", (&textPrinter{}).highlight(f.Evidence))
	if f.Evidence.Decoded != nil {
		add("Decoded", visible(*f.Evidence.Decoded, textLimit))
	}
	if !isFile(f.Location.File) {
		add("Location", place(f.Location))
	}
	add("Seen", seen(f))
	add("What to do", visible(g.fixes[f.Rule], textLimit))
	return lines
}

// annotate writes one command. A location without a file gives no properties: a
// line of nothing would be shown as one of the workflow.
func (g *githubWriter) annotate(level string, at Location, title string, lines []string) {
	var properties []string
	add := func(name, value string) { properties = append(properties, name+"="+escapeProperty(value)) }
	if isFile(at.File) {
		file, _ := inCheckout(visible(at.File, textLimit), g.dir)
		add("file", file)
		if at.Line > 0 {
			add("line", strconv.Itoa(at.Line))
		}
		if at.Line > 0 && at.Column > 0 {
			add("col", strconv.Itoa(at.Column))
		}
	}
	add("title", title)
	fmt.Fprintf(g.w, "::%s %s::%s\n", level, strings.Join(properties, ","), escapeData(strings.Join(lines, "\n")))
}

// escapeData escapes the message of a workflow command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes the value of a property of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
