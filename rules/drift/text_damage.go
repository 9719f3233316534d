package drift

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/sensitive"
	"github.com/mcpscan/mcpscan/internal/tools"
)

// takesSecrets reports whether a sentence describes taking or passing on credentials,
// whatever reason it gives.
func takesSecrets(u *unapproved, s []byte) bool {
	at := secretThing.FindIndex(s)
	if at == nil || clause.StrongNegation.Match(s[:at[0]]) || pathOrExample.Match(s[:at[0]]) || aboutThing.Match(s[at[1]:]) || partOfName.Match(s[at[1]:]) || secrets.PublicFile(s, at[1]) {
		return false
	}
	verb := taking.FindIndex(s)
	switch {
	case verb == nil || u.mentioned(string(s[at[0]:at[1]])):
		return false
	case verb[0] == 0 && u.opens(s): // the sentence states the tool's purpose and is not an instruction
		return false
	}
	identifier := strings.TrimSpace(string(s[at[0]:at[1]]))
	return !strings.Contains(identifier, "_") || keyFile.MatchString(identifier) || namesCredential(identifier)
}

// opens reports whether the description begins with the sentence.
func (u *unapproved) opens(sentence []byte) bool {
	start := u.r.now[:min(len(u.r.now), len(sentence)+len(sentence)/2)]
	return u.r.pointer == "/description" && strings.HasPrefix(foldedText(start), string(sentence))
}

var (
	secretThing = lazyregexp.New(secrets.Files + `|\b[a-z][a-z0-9]*_[a-z0-9_]*(key|token|secret|password|credentials)\b|` +
		`\b(all|any|every|the\s+user['’]s|stored|saved|private|their|your)\s+([\w-]+\s+){0,2}(api\s+keys?|tokens?|passwords?|credentials|secrets|cookies|` +
		`private\s+keys?|ssh\s+keys?)\b|` +
		`\bprivate\s+key\b`)
	taking = lazyregexp.New(`\b(read|open|load|fetch|grab|cat|dump|extract|collect|gather|retrieve|obtain|include|pass|attach|append(ed)?|add|send|provide|supply|` +
		`put|paste|forward|transmit|upload|post|submit|copy|carry|contain(s)?|hand|take|get|list|ends?\s+with|starts?\s+with)\b`)
)

// keptByServer matches a sentence that only says where a server keeps its credentials, or where it
// gets them from, such as a variable of its environment.
var keptByServer = lazyregexp.New(`^\W*(the\s+|your\s+|all\s+|any\s+|its\s+)?([\w-]+\s+){0,2}(tokens?|keys?|credentials|passwords?|secrets?|cookies)\s+(is|are|will\s+be)\s+(\w+ly\s+|never\s+)?` +
	`(stored|kept|saved|cached|held|persisted|read|loaded|taken|encrypted)\s+(only\s+)?` +
	"((in|to|from|on)\\s+(the\\s+|your\\s+|its\\s+|an?\\s+)?([\\w-]+\\s+){0,2}[\"'`]?(keychain|keyring|" +
	"credential\\s+(manager|store)|vault|environment(\\s+variables?)?|memory|disk|~/\\.config/[\\w./-]+)|" +
	"from\\s+[\"'`]?[a-z]+(_[a-z]+)+)\\W*$")

// asksInParameter reports whether a parameter's description asks for something that the parameter
// did not take when it was approved.
func asksInParameter(u *unapproved, s []byte) bool {
	path := strings.Split(u.r.pointer, "/")
	if len(path) < 3 || path[len(path)-1] != "description" || path[len(path)-3] != "properties" {
		return false
	}
	name := path[len(path)-2]
	return !asksForMore(name) && !namesCredential(name) && !namesTalk(name) && !sensitive.AboutTalk(u.d.Name) && asksForOutsideData(string(s))
}

// destroysUnasked reports whether a sentence says that a tool does damage, while the tool claims to
// be read-only or harmless.
func destroysUnasked(u *unapproved, s []byte) bool {
	at := damage.FindIndex(s)
	return at != nil && !u.label && u.trusted() && !clause.StrongNegation.Match(s) && !hypothetical.Match(s[:at[1]]) && !harmlessLoss.Match(s[at[1]:]) && !asNoun.Match(s[at[1]:])
}

var (
	// damage detects statements that a tool destroys something.
	damage = lazyregexp.New(`^(\W*([\w-]+\s+){0,3}?)?(also\s+|then\s+|permanently\s+|automatically\s+)?(deletes|removes|erases|wipes|purges|truncates|drops|destroys|` +
		`overwrites|clears|resets)\b|` +
		`\b(it|and|then|also|that|which|tool|call)\s+([\w-]+ly\s+|then\s+|also\s+)?(deletes|removes|erases|wipes|purges|truncates|drops|destroys|` +
		`overwrites|clears)\b|` +
		`\b(is|are|gets?|be|being)\s+([\w-]+ly\s+|then\s+|also\s+){0,2}(deleted|removed|erased|wiped|purged|dropped|destroyed|overwritten)\b|` +
		`\btables?\s+(is|are)\s+truncated\b|^\W*replaces\s+the\s+(contents?|files?)\b`)
	// harmlessLoss matches a loss that only affects the returned data.
	harmlessLoss = lazyregexp.New(`^[^.;]{0,25}\b(from\s+(the\s+)?(output|results?|response|text|list|answer)|duplicates?|whitespace|html|markup|markdown|formatting|` +
		`noise|filters?|cache|tags|prefix(es)?|suffix(es)?|fields?|columns?|quotes)\b`)
	// asNoun matches a verb that shows that the word for damage before it is a noun, as in "updates
	// and deletes are restricted".
	asNoun = lazyregexp.New(`^\s+(on\s+\w+\s+|of\s+\w+\s+)?(is|are|remains?|stays?|needs?|requires?|must|can|cannot|may|will|do|does|have|has|always|never)\b`)
	// hypothetical detects wording for events that may happen, or that happened earlier.
	hypothetical = lazyregexp.New(`\b(if|when|unless|may|might|can|could|were|was|have\s+been|has\s+been|returns?|lists?|whether|filters?|deprecated)\b`)
)

// trusted reports whether clients may skip confirmations for the tool: its hints say that it only
// reads, or that it destroys nothing, or its name says that it reads.
func (u *unapproved) trusted() bool {
	at := u.now.Get(0, "annotations")
	if hintOf(&u.now, u.now.Get(at, "readOnlyHint")) == "true" || hintOf(&u.now, u.now.Get(at, "destructiveHint")) == "false" {
		return true
	}
	return tools.ReadVerbs.MatchString(names.Spell(u.d.Name)) && !tools.ChangesByName(names.Spell(u.d.Name))
}
