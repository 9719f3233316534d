package report

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// The JUnit XML elements that CI systems commonly read. There are no times, because a report
// records no durations.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		junitCounts
		Suite junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		junitCounts
		Cases  []junitCase `xml:"testcase"`
		Output string      `xml:"system-out"`
	}
	junitCounts struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Failure *junitResult `xml:"failure"`
		Error   *junitResult `xml:"error"`
		Skipped *junitResult `xml:"skipped"`
		Output  string       `xml:"system-out,omitempty"`
	}
	junitResult struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Body    string `xml:",chardata"`
	}
)

// writeJUnit writes the report as JUnit XML, for CI systems that display test results.
//
//   - Each distinct finding is a test case. An open finding fails if its severity fails the
//     run (see Options.Fails); a less severe one passes and is reported in the output. A
//     suppressed, unchanged or approved one is skipped, with the reason.
//   - Each reason why something was not inspected is a test case with an error.
//   - A run without any of these has one passing test case, so that the run is shown.
func writeJUnit(w *bufio.Writer, r *Report, o Options) error {
	s := junitSuite{junitCounts: junitCounts{Name: "mcpscan"}, Output: strings.Join(append([]string{verdict(r)}, summary(r)...), "\n")}
	j := &junitWriter{fails: scanner.High, fixes: fixes(o.Rules), named: map[string]int{}}
	switch {
	case o.Fails != nil:
		j.fails = *o.Fails
	case r.Config != nil && r.Config.AlertThreshold != nil:
		j.fails = *r.Config.AlertThreshold
	}
	for _, f := range fold(r.Findings, inFile) {
		s.add(j.finding(f))
	}
	for _, skipped := range gaps(r) {
		s.add(j.notInspected(skipped))
	}
	if len(s.Cases) == 0 {
		s.add(junitCase{Class: "mcpscan", Name: "findings", Output: verdict(r)})
	}
	return writeXML(w, junitSuites{junitCounts: s.junitCounts, Suite: s})
}

// writeXML writes a document. The encoder escapes XML syntax and line feeds, and replaces
// characters that XML cannot represent with U+FFFD.
func writeXML(w *bufio.Writer, doc any) error {
	w.WriteString(xml.Header)
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	return cmp.Or(enc.Encode(doc), w.WriteByte('\n'))
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

// junitWriter turns findings into test cases.
type junitWriter struct {
	fails scanner.Severity // lowest severity at which an open finding fails
	fixes map[string]string
	named map[string]int // number of test cases by class and name, including numbered ones
}

func (j *junitWriter) finding(f repeated) junitCase {
	name := ruleID(f.Rule)
	if f.Tool != "" {
		name += " " + visible(f.Tool, maxResultName)
	} else if f.Subject != "" {
		name += " " + visible(f.Subject, maxResultName)
	}
	class := cmp.Or(visible(f.Server, maxResultName), "mcpscan")
	c := junitCase{Class: class, Name: j.unique(class, name, visible(f.Field, maxResultField))}
	message, body := fmt.Sprintf("%s: %s", f.Severity, visible(f.Message, textLimit)), strings.Join(j.details(f), "\n")
	switch {
	case !f.open():
		c.Skipped = &junitResult{Message: status(f.Finding), Body: message + "\n" + body}
	case f.Severity >= j.fails:
		c.Failure = &junitResult{Type: ruleID(f.Rule), Message: message, Body: message + "\n" + body}
	default:
		c.Output = message + "\n" + body
	}
	return c
}

// unique returns a name that no other test case of the class has, because a CI system may merge
// cases with the same name. If necessary, it adds the field, and then a number.
func (j *junitWriter) unique(class, name, field string) string {
	key := func(s string) string { return class + "\x00" + s }
	out := name
	if j.named[key(out)] > 0 {
		name = strings.TrimSuffix(name+" "+field, " ")
		for out = name; j.named[key(out)] > 0; out = fmt.Sprintf("%s (%d)", name, j.named[key(name)]) {
			j.named[key(name)]++
		}
	}
	j.named[key(out)]++
	return out
}

// details returns the lines that follow a finding's message.
func (j *junitWriter) details(f repeated) []string {
	var lines []string
	add := func(label, s string) {
		if s != "" {
			lines = append(lines, label+": "+s)
		}
	}
	add("field", visible(f.Field, textLimit))
	add("evidence", (&textPrinter{}).highlight(f.Evidence))
	add("decoded", f.Evidence.decoded())
	add("signals", visible(strings.Join(f.Signals, ", "), textLimit))
	if diff := diffLines(f.Diff); len(diff) > 0 {
		lines = append(lines, append([]string{"diff:"}, diff...)...)
	}
	add("location", place(f.Location))
	add("seen", seen(f))
	add("fix", visible(j.fixes[f.Rule], textLimit))
	return lines
}

func (j *junitWriter) notInspected(s Skipped) junitCase {
	body := ""
	if s.First != nil {
		body = "first at " + place(*s.First)
	}
	reason := visible(s.Reason, textLimit)
	return junitCase{Class: "mcpscan", Name: j.unique("mcpscan", "not inspected: "+reason, ""),
		Error: &junitResult{Type: incompleteID, Message: fmt.Sprintf("%s (%s)", reason, Count(s.Count, "time")), Body: body}}
}
