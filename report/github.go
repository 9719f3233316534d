package report

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
)

// maxAnnotations is the number of annotations per level that GitHub keeps for a step.
const maxAnnotations = 10

// The annotation levels.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelNotice  = "notice"
)

// githubLevels maps severities, from note up, to annotation levels.
var githubLevels = [...]string{levelNotice, levelNotice, levelWarning, levelError, levelError}

// writeGitHub writes the report as GitHub Actions workflow commands, which become annotations: the
// worst open findings of each level, a warning if not everything was inspected, and a notice that
// summarises the run. The notice counts the findings that are not open, and those without an
// annotation.
//
// Nothing is wrapped in ::stop-commands::. Untrusted text can never begin a line: every line begins
// with one of our commands. Control and invisible characters in text are escaped, so it contains no
// line feeds; the delimiters of properties are percent-encoded, so text cannot terminate a
// property. Wrapping would need an unguessable token, which a deterministic report cannot have.
func writeGitHub(w *bufio.Writer, r *Report, o Options) error {
	g := &githubWriter{w: w, dir: o.Dir, fixes: fixes(o.Rules),
		room: map[string]int{levelError: maxAnnotations, levelWarning: maxAnnotations, levelNotice: maxAnnotations - 1}} // one notice is the summary
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
		sum = append(sum, fmt.Sprintf("%s without an annotation: GitHub keeps %d annotations of each level.", Count(left, "more open finding"), maxAnnotations))
	}
	g.annotate(levelNotice, Location{}, "mcpscan", sum)
	return nil
}

// skippedLines lists the first maxListed reasons why something was not inspected.
func skippedLines(list []Skipped) []string {
	var out []string
	for i, s := range list {
		if i == maxListed {
			out = append(out, fmt.Sprintf("and %s more", Count(len(list)-i, "reason")))
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

// githubWriter writes workflow commands. Write errors are kept in w until it is flushed.
type githubWriter struct {
	w     *bufio.Writer
	dir   string
	fixes map[string]string // by rule
	room  map[string]int    // annotations left, by level
}

// message describes what is wrong, where, and what to do.
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
	add("Decoded", f.Evidence.decoded())
	if !isFile(f.Location.File) {
		add("Location", place(f.Location))
	}
	add("Seen", seen(f))
	add("What to do", visible(g.fixes[f.Rule], textLimit))
	return lines
}

// annotate writes one command. A location without a file gets no properties, because GitHub would
// interpret a line number alone as a line in the workflow file.
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

// escapeProperty escapes a property value of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
