package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var AnnotationEscalation = scanner.Rule{
	ID:         "drift-annotation-escalation",
	Category:   "version_pin",
	Title:      "A tool's annotations became less safe after approval",
	Why:        "Clients prompt less often before calls to a tool that is annotated as read-only. The annotations that were approved no longer apply.",
	Fix:        "Find out what the tool does now. If you want the change, run mcpscan approve, and let the client ask before each call.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The hints are the server's own claims. The finding is critical if a read-only tool is now annotated as destructive, and medium if it only withdraws the read-only hint. It is high if destructiveHint or openWorldHint changed from false to true, or if a tool that writes or destroys according to its own name or description now denies this. It is medium if a reassuring hint was dropped, if a read-only tool is now annotated as open-world, or if the approved name, description or parameters already contradicted the approved hint. The loss of idempotentHint is rated low. A new hint is a note, or low if it makes clients less careful.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-MCP:MCP04", "ATLAS:AML.T0109", "CWE-353"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			old, now := c.member("annotations")
			if c.d.Kind == mcp.ToolSubject && !c.same(old, now) {
				c.annotations(old, now)
			}
		})
	},
}

// hint is an annotation in the specification, with its harmless value.
type hint struct {
	name     string
	harmless string
	weight   scanner.Severity // severity of losing the harmless value

	// denied reports whether the rest of the approved definition already contradicted the hint.
	denied func(*wire.Doc, *mcp.Definition) bool

	// claims reports whether the tool's name or description contradicts the harmless value. Clients may
	// rely on that value to decide whether to ask the user.
	claims func(*mcp.Definition) bool
}

var hints = []hint{
	{"readOnlyHint", "true", scanner.Critical, saysItWrites, mayWrite},
	{"destructiveHint", "false", scanner.High, saidItAlters, saysItDestroys},
	{"openWorldHint", "false", scanner.High, saysItReachesOut, nil},
	{"idempotentHint", "true", scanner.Low, saysItWrites, nil},
}

// saysItDestroys reports whether a tool says that it destroys its target. Removing an object from a
// group, or moving it, does not count.
func saysItDestroys(d *mcp.Definition) bool {
	verb, sentence := tools.OpeningVerb(d.Description)
	name := names.Spell(d.Name)
	destroys := tools.DestroysByName(name) && !detaching.MatchString(name) || tools.DestroyVerbs.MatchString(verb) && !detaching.MatchString(verb)
	return tools.WritesItself(d) && destroys && !tools.AsksOnly.MatchString(sentence)
}

var detaching = lazyregexp.New(`\b(remove\b.*\bfrom|transfer|remove)\b`)

// saidItAlters reports whether a tool already said, when approved, that it alters existing data.
// The specification counts altering as destructive, but not the mere addition of data.
func saidItAlters(_ *wire.Doc, d *mcp.Definition) bool {
	verb, _ := tools.OpeningVerb(d.Description)
	return saysItWrites(nil, d) && (altering.MatchString(names.Spell(d.Name)) || altering.MatchString(verb))
}

var altering = lazyregexp.New(`\b(delete|remove|destroy|erase|wipe|purge|truncate|uninstall|terminate|kill|revoke|overwrite|drop|clear|reset|update|modify|rename|move|edit|replace|patch|merge)\b`)

// mayWrite reports whether a tool claims to change something, or its name contains a verb for
// changing and there is no verb for reading in the name or at the start of the description.
func mayWrite(d *mcp.Definition) bool {
	if tools.WritesItself(d) {
		return true
	}
	name := names.Spell(d.Name)
	verb, _ := tools.OpeningVerb(d.Description)
	return !tools.ReadVerbs.MatchString(name) && !tools.ReadVerbs.MatchString(verb) && slices.ContainsFunc(strings.Fields(name), func(w string) bool { return tools.Changing(w) && !passing[w] })
}

// passing contains verbs whose effects are often temporary; some servers annotate tools named after
// them as read-only.
var passing = names.Set(`close start stop restart schedule save apply enable disable`)

func isHint(name string) bool {
	return slices.ContainsFunc(hints, func(h hint) bool { return h.name == name })
}

func saysItWrites(_ *wire.Doc, d *mcp.Definition) bool { return tools.WritesItself(d) }

func saysItReachesOut(doc *wire.Doc, d *mcp.Definition) (reaches bool) {
	reaches = tools.FetchesWeb.MatchString(names.Spell(d.Name))
	jsonschema.Parameters(doc, 0, func(s jsonschema.Subschema, name string) {
		reaches = reaches || s.Depth == 1 && tools.AddressParameter.MatchString(names.Spell(name))
	})
	return reaches
}

// annotations reports all hint changes as one finding, with the highest severity and the pointer of
// the hint that has it.
func (c *change) annotations(old, now int) {
	severity := scanner.Note
	var told []string
	at := "/annotations"
	readsOnly := hintOf(&c.now, c.now.Get(now, "readOnlyHint")) == "true"
	for _, h := range hints {
		o, n := c.old.Get(old, h.name), c.now.Get(now, h.name)
		if c.same(o, n) {
			continue
		}
		before, after := hintOf(&c.old, o), hintOf(&c.now, n)
		weight := scanner.Note
		switch {
		case h.name == "readOnlyHint" && before == h.harmless && !c.destructiveNow(old, now): // clients ask more often
			weight = scanner.Medium
		case h.name == "openWorldHint" && before == h.harmless && readsOnly: // a tool that only reads changes nothing outside
			weight = scanner.Medium
		case before == h.harmless && (after == "" || after == oddHint) && !(h.name == "readOnlyHint" && c.destructiveNow(old, now)):
			weight = min(h.weight, scanner.Medium)
		case before == h.harmless && h.denied(&c.old, c.was.Definition): // the tool now admits what it always did
			weight = min(h.weight, scanner.Medium)
		case before == h.harmless:
			weight = h.weight
		case after == h.harmless && h.claims != nil && h.claims(c.d): // clients ask less often
			weight = scanner.High
		case after == h.harmless: // the tool claims to be more harmless than when it was approved
			weight = scanner.Low
		}
		if weight > severity {
			severity, at = weight, "/annotations/"+h.name
		}
		told = append(told, fmt.Sprintf("%s was %s and is %s", h.name, cmp.Or(before, "not set"), cmp.Or(after, "not set")))
	}
	if m := c.grants("/annotations", old, now); m.severity > severity { // the specification defines no annotations for permissions, but gateways use them
		severity, at = m.severity, m.pointer
		told = slices.Insert(told, 0, m.told...)
	}
	if len(told) == 0 {
		told = append(told, "another annotation changed")
	}
	c.report(severity, at, "annotations changed: "+text.JoinSome(told), strings.Join(told, "; "), c.diffOf("annotations"))
}

// destructiveNow reports whether the tool is now annotated as destructive, but was not when
// approved.
func (c *change) destructiveNow(old, now int) bool {
	return hintOf(&c.now, c.now.Get(now, "destructiveHint")) == "true" && hintOf(&c.old, c.old.Get(old, "destructiveHint")) != "true"
}

// oddHint stands for a hint that is not a boolean. Clients interpret such hints differently: some
// treat every string as true.
const oddHint = "not a boolean"

// hintOf returns the value of a hint, or "" if it is missing. Some clients accept strings such as
// "true" for booleans.
func hintOf(doc *wire.Doc, i int) string {
	switch value := strings.ToLower(strings.TrimSpace(jsonschema.Text(doc, i))); value {
	case "true", "false", "":
		return value
	case "null":
		return ""
	}
	return oddHint
}
