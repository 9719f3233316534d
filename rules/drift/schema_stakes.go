package drift

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// stakes describes what a call to a tool can do, according to the tool itself. A relaxed constraint
// is rated higher if a call has consequences.
type stakes struct {
	acts  bool // destroys, runs, pays, grants, sends, or changes running systems
	runs  bool // executes its input
	pays  bool
	ends  bool // destroys
	reads bool // claims to be read-only
}

// stakes combines what the approved and the current definition say about the tool's actions,
// because removing a word from the text does not change what the tool does.
func (c *change) stakes() stakes {
	var all stakes
	for _, d := range []*mcp.Definition{c.was.Definition, c.d} {
		words := strings.Fields(names.Spell(d.Name))
		_, sentence := tools.OpeningVerb(d.Description)
		words = slices.AppendSeq(words, readWords(sentence))
		all.acts = all.acts || tools.WritesItself(d) && !savesOnly(d) || anyOf(words, acting)
		all.runs = all.runs || anyOf(words, running)
		all.ends = all.ends || tools.DestroysByName(names.Spell(d.Name))
		all.pays = all.pays || anyOf(words, paying)
	}
	at := c.now.Get(0, "annotations")
	verb, _ := tools.OpeningVerb(c.d.Description)
	all.reads = hintOf(&c.now, c.now.Get(at, "readOnlyHint")) == "true" || !tools.WritesItself(c.d) && tools.ReadVerbs.MatchString(verb)
	return all
}

// savesOnly reports whether a tool only saves its input, judging by its name.
func savesOnly(d *mcp.Definition) bool {
	name := names.Spell(d.Name)
	return !tools.DestroyVerbs.MatchString(name) && anyWord(name, saving)
}

func anyOf(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[strings.TrimRight(w, ".,:;!?")] })
}

// Words in tool names and first sentences that indicate what a call does. Past participles are omitted,
// because tools also read data about things that were paid, locked or deployed.
var (
	acting = names.Set(`delete deletes remove removes destroy destroys erase erases wipe wipes purge purges truncate truncates drop drops
		overwrite overwrites terminate terminates kill kills revoke revokes reset resets uninstall uninstalls
		run runs execute executes exec evaluate evaluates eval launch launches spawn spawns invoke invokes trigger triggers install installs
		pay pays transfer transfers refund refunds charge charges withdraw withdraws buy buys purchase purchases
		grant grants invite invites impersonate assume elevate approve approves
		send sends publish publishes deploy deploys restart restarts reboot reboots shutdown scale scales apply applies rollback
		lock locks unlock unlocks arm arms disarm disarms unlocking`)
	running = names.Set(`run runs execute executes exec evaluate evaluates eval spawn spawns launch launches shell script scripts command commands install installs`)
	paying  = names.Set(`pay pays payment payments payout transfer transfers refund refunds charge charges withdraw withdraws buy buys purchase purchases trade trades swap wire`)
	saving  = names.Set(`save write create add update edit append insert rename`)
)

// guarded reports whether a constraint on the parameter protects something, because the value is
// run, opened or connected to, or because calls to the tool have consequences.
func (s *schemaChange) guarded() bool { return reaches(s.name) || s.stake.acts }

// loosened rates a constraint that was removed or relaxed.
func (s *schemaChange) loosened() scanner.Severity {
	if s.guarded() {
		return scanner.High
	}
	return scanner.Medium
}

// mentioned reports whether the added texts of the tool or parameter mention the parameter or one
// of the values. Users can review changes that a text mentions; others are visible only in the
// schema.
func (s *schemaChange) mentioned(values ...string) bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(names.Spell(s.name)) {
		if w = root(w); len(w) >= rootLetters {
			words[w] = true
		}
	}
	values = append(values, s.name, names.Spell(s.name))
	own := "/" + wire.EscapePointer(s.name) + "/description"
	return slices.ContainsFunc(s.changedTexts(), func(r changedText) bool {
		if r.pointer != "/description" && !strings.HasSuffix(r.pointer, own) {
			return false
		}
		added := strings.ToLower(strings.Join(r.added, " "))
		return slices.ContainsFunc(slices.Collect(readWords(added)), func(w string) bool { return words[root(w)] }) ||
			slices.ContainsFunc(values, func(v string) bool { return len(v) >= rootLetters && strings.Contains(added, strings.ToLower(v)) })
	})
}

// mentionWeight returns High if no text mentions the change, and Medium if one does, because users
// can then review the change.
func (s *schemaChange) mentionWeight(also ...string) scanner.Severity {
	if s.mentioned(also...) {
		return scanner.Medium
	}
	return scanner.High
}
