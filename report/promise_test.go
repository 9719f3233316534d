package report

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// checkPromise checks that a rendered report upholds its format's guarantees, whatever text it
// contains.
func checkPromise(t testing.TB, format, out string) {
	t.Helper()
	if raw := rawIn(out); raw != "" {
		t.Errorf("%s contains a raw %s:\n%q", format, raw, out)
	}
	if at := command.FindString(own(format, out)); at != "" {
		t.Errorf("%s gives a CI system the command %q:\n%s", format, at, out)
	}
	switch format {
	case "markdown":
		checkMarkdown(t, out)
	case "html":
		checkHTML(t, out)
	case "github":
		checkGitHub(t, out)
	case "junit":
		checkJUnit(t, out)
	case "gitlab":
		checkGitLab(t, out)
	}
}

// command matches the parts of a line of output that a CI runner would execute.
var command = regexp.MustCompile(`(?m)^\s*::|##[A-Za-z]*\[`)

// own strips a github report's own workflow commands, keeping their messages.
func own(format, out string) string {
	if format != "github" {
		return out
	}
	return githubLine.ReplaceAllString(out, "X$2")
}

// made matches text that GitHub or GitLab would turn into a link, except inside code.
var made = regexp.MustCompile(`@\w|#\d|!\d|https?:/|www\.\w|\b[0-9a-f]*\d[0-9a-f]{6,}\b|\bGH-\d|:\w+:`)

func checkMarkdown(t testing.TB, out string) {
	t.Helper()
	if len(out) > maxMarkdown {
		t.Errorf("markdown has %d bytes", len(out))
	}
	source := []byte(out)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			if !strings.HasPrefix(string(n.Destination), informationURI) {
				t.Errorf("markdown has a link to %s:\n%s", n.Destination, out)
			}
		case *ast.Image, *ast.AutoLink, *ast.RawHTML, *ast.HTMLBlock, *ast.CodeBlock, *ast.Blockquote, *ast.ThematicBreak:
			t.Errorf("markdown has a %s:\n%s", n.Kind(), out)
		case *ast.Text:
			if at := made.Find(n.Segment.Value(source)); at != nil {
				t.Errorf("markdown has %q, which becomes a link:\n%s", at, out)
			}
		}
		return ast.WalkContinue, nil
	})
}

// pageElements lists the elements that a page may contain, and pageAttributes their attributes.
var (
	pageElements = strings.Fields("html head meta title style body header main section nav footer article h1 h2 h3 p ul ol li a span strong small code mark pre bdi dl dt dd div")

	pageAttributes = strings.Fields("lang charset http-equiv content name class id href rel aria-label")
)

func checkHTML(t testing.TB, out string) {
	t.Helper()
	ids := map[string]bool{}
	z := html.NewTokenizer(strings.NewReader(out))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Error(z.Err())
			}
			return
		case html.CommentToken:
			t.Errorf("html has a comment: %s", z.Token())
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			if !slices.Contains(pageElements, token.Data) {
				t.Errorf("html has %s:\n%s", token, out)
			}
			for _, a := range token.Attr {
				switch {
				case !slices.Contains(pageAttributes, a.Key):
					t.Errorf("html has %s:\n%s", token, out)
				case a.Key == "href" && !regexp.MustCompile(`^#((finding|server)-[0-9a-f]+|not-inspected)$`).MatchString(a.Val) && !strings.HasPrefix(a.Val, informationURI):
					t.Errorf("html has a link to %s", a.Val)
				case a.Key == "id" && ids[a.Val]:
					t.Errorf("html has the id %s twice", a.Val)
				case a.Key == "id":
					ids[a.Val] = true
				}
			}
		}
	}
}

// githubLine matches a line of the github format in which no property ends early.
var githubLine = regexp.MustCompile(`(?m)^::(error|warning|notice) (?:file=[^:,\n]+,(?:line=\d+,)?(?:col=\d+,)?)?title=[^:,\n]+::(.*)$`)

func checkGitHub(t testing.TB, out string) {
	t.Helper()
	levels := map[string]int{}
	for line := range strings.Lines(out) {
		m := githubLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Errorf("github has the line %q", line)
			continue
		}
		if levels[m[1]]++; levels[m[1]] > maxAnnotations {
			t.Errorf("github has more than %d of level %s", maxAnnotations, m[1])
		}
		if at := regexp.MustCompile(`%(?:[^02]|0[^AD]|2[^5])`).FindString(m[2]); at != "" {
			t.Errorf("github has an unescaped %q in %q", at, line)
		}
	}
}

func checkJUnit(t testing.TB, out string) junitSuite {
	t.Helper()
	var doc junitSuites
	d := xml.NewDecoder(strings.NewReader(out))
	if err := d.Decode(&doc); err != nil {
		t.Fatalf("junit: %v in\n%s", err, out)
	}
	if rest := out[d.InputOffset():]; rest != "\n" {
		t.Errorf("junit continues after its end: %q", rest)
	}
	s, names := doc.Suite, map[string]bool{}
	counted := junitSuite{}
	for _, c := range s.Cases {
		counted.add(c)
		if names[c.Class+"\x00"+c.Name] {
			t.Errorf("junit has two test cases %s, %s", c.Class, c.Name)
		}
		names[c.Class+"\x00"+c.Name] = true
	}
	if s.Tests == 0 || s.Tests != len(s.Cases) || s.Failures != counted.Failures || s.Errors != counted.Errors || s.Skipped != counted.Skipped ||
		doc.Tests != s.Tests || doc.Failures != s.Failures || doc.Errors != s.Errors || doc.Skipped != s.Skipped {
		t.Errorf("junit counts wrongly:\n%s", out)
	}
	return s
}

func checkGitLab(t testing.TB, out string) []gitlabIssue {
	t.Helper()
	var issues []gitlabIssue
	if err := json.Unmarshal([]byte(out), &issues); err != nil || issues == nil {
		t.Fatalf("gitlab: %v in\n%s", err, out)
	}
	seen := map[string]bool{}
	for _, is := range issues {
		if seen[is.Fingerprint] || is.Location.Lines.Begin < 1 || is.Location.Path == "" || is.Check == "" || is.Description == "" ||
			!slices.Contains(gitlabSeverities[:], is.Severity) {
			t.Errorf("gitlab has the issue %+v", is)
		}
		seen[is.Fingerprint] = true
	}
	return issues
}
