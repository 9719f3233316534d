package instructions

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/text"
)

// signal is one sign of an instruction to an AI; only several are conclusive. Their weights are
// added up within two sentences.
type signal struct {
	words  string // shown in a finding
	weight int
	expr   *text.Expr
}

// The thresholds for the sum of weights.
const (
	orderHigh   = 6
	orderMedium = 5
)

// The weights of conditions that are not signals by themselves.
const (
	actWeight    = 2
	placeWeight  = 1
	reportedCost = 2

	topicCost = 2 // the whole text is about AI
)

// aboutAI is the number of mentions from which a text counts as being about AI.
const aboutAI = 8

// The addressees, by index in whoIsMeant: the first match counts, later ones are weaker.
const (
	noOne = iota - 1
	spokenTo
	mustActs
	spokenOfOnly
)

var whoIsMeant = [...]signal{
	{"addresses an AI", 4, text.LazyExpr(vocative)},
	{"an AI is told to act", 3, text.LazyExpr(aiMustAct)},
	{"mentions an AI", 2, aiNamed},
}

// orderSignals are the signals of an instruction to an AI, besides its addressee and the action.
var orderSignals = [...]signal{
	{"addresses whoever reads the text", 2, text.LazyExpr(`\b` + clause.AnyAI + `(\s+[\w'’-]+){1,6}?\s+(this|these)\s+(\w+\s+)?` + clause.ThisDocument + `\b|\byou,?\s+(who\s+are\s+)?` +
		`(reading|processing|parsing|summari[sz]ing)\s+this\b|\bwhoever(\s+or\s+whatever)?\s+(reads|handles|processes|edits|summari[sz]es)\b|` +
		`\b(being|been)\s+(read|processed|summari[sz]ed|opened|displayed)\s+(by|through)\s+(an?|the)\s`)},
	{"refers to the conversation", 3, text.LazyExpr(conversationKnown)},
	{"mentions the user", 1, text.LazyExpr(`\b(the\s+(current\s+|same\s+)?(user|human|principal)(\s[^a]|['’.,;:!?)]|$)|(user|human)['’]s\s|their\s+users?\b|` +
		`owner\s+of\s+th(is|e)\s+(mailbox|account|assistant|agent)|the\s+person\s+in\s+front\s+of\s+you|whoever\s+asks|` +
		`your\s+(user|client|principal|owner|operator)\b)`)},
	{"poses as a conversation turn or as the system", 3, text.LazyExpr(turnMarker)},
	{"spells out a call", 1, text.LazyExpr(`\b[a-z]+[a-z0-9]*_[a-z0-9_]+\([^()\n]{0,200}\)|\b(call|use|using|via|with|function|tool)\s+(the\s+(tool|function)\s+)?` + "[`'\"]?[a-z]+_[a-z_]+\\b")},
	{"secrecy", 2, text.LazyExpr(`\b(not|n['’]t|never|without|no\s+need\s+to|spared)\b[^.\n]{0,25}?\b(tell(ing)?|mention(ing)?|inform(ing)?|notif(y|ying)|` +
		`bring(ing)?\s+(it|this)\s+up|trouble|bother|let\s+\w+(\s+\w+)?\s+know|say(ing)?\s+so|reveal(ing)?|report(ing)?\s+(this|it)|` +
		`comment(ing)?\s+on\s+(this|it))\b|` +
		`\b(silently|secretly|quietly|unnoticed|discreetly)\b|\bas\s+(if|though)\s+(nothing|it\s+had|they\s+had|the\s+\w+\s+had)\b|\bbetween\s+us\b`)},
	{"forbids asking anybody", 1, text.LazyExpr(`\b(without|no|not|n['’]t|skip|already)\b[^.\n]{0,20}?\b(asking|ask\s+back|confirmation|approval|approved|agreed|` +
		`callbacks?|authori[sz]ed|checking\s+back|consent|dry\s+run|permission)\b`)},
	{"pressure", 1, text.LazyExpr(`\b(immediately|at\s+once|right\s+now|urgent(ly)?|no\s+time|within\s+\d+\s+minutes|or\s+else|failure\s+to|highest\s+priority|` +
		`as\s+your\s+(first|next)\s+action|before\s+(anything\s+else|any\s+other))\b`)},
	{"applies from now on", 1, text.LazyExpr(`\b(from\s+(now|this\s+point|here|today)\s+on(wards)?|in\s+(all\s+)?(future|later)\s+\w+|permanently|for\s+good|` +
		`until\s+the\s+end\s+of|each\s+time|every\s+time|remember)\b`)},
}

// tally is the sum of the signals in a window.
type tally struct {
	sum        int
	looks      int  // cost in close looks
	meant      int  // addressee, as an index in whoIsMeant, or noOne
	order      bool // there is an action, or an AI is told more than its name
	start, end int  // of the action, or of the window
	signals    []string
}

// weighOrder adds up the signals in two sentences, t[from:to]. It stops early if there is no action
// and nobody is addressed.
func weighOrder(t []byte, from, to int) tally {
	s := t[from:to]
	w := tally{start: from, end: to, meant: noOne}
	act, tries := firstAct(s)
	w.looks = tries
	if act == nil && !whoIsMeant[spokenTo].expr.Match(s) {
		return w
	}
	w.looks++
	for i := range whoIsMeant {
		if w.add(s, &whoIsMeant[i]) {
			w.meant = i
			break
		}
	}
	for i := range orderSignals {
		w.add(s, &orderSignals[i])
	}
	w.order = w.meant == spokenTo && w.sum > whoIsMeant[spokenTo].weight+2
	if act != nil {
		w.act(s, act, from)
		if named := aiNamed.FindIndex(s); w.meant > spokenTo && named != nil && act[0] < named[0] {
			w.sum -= whoIsMeant[spokenOfOnly].weight // whatever precedes the AI is done by somebody else
		}
		w.order = w.meant != noOne || w.sum >= orderHigh // without an AI, it is a request among people
	}
	if clause.QuotedInReport(t, w.start, w.end) || clause.CitedAhead.Match(s[:w.start-from]) {
		w.sum -= reportedCost
	}
	if clause.UsedWhen.Match(s) {
		w.sum -= clause.UsageCost
	}
	return w
}

// add adds a signal if it matches in s.
func (w *tally) add(s []byte, g *signal) bool {
	at := g.expr.FindIndex(s)
	switch {
	case at == nil,
		g == &whoIsMeant[mustActs] && mustBe.Match(s[at[1]:]),
		g == &whoIsMeant[spokenOfOnly] && bytes.HasSuffix(s[:at[0]], []byte("user ")): // a user agent
		return false
	case g == &whoIsMeant[spokenTo]: // until an action is found
		w.start, w.end = w.start+at[0], w.start+at[1]
	}
	w.sum += g.weight
	w.signals = append(w.signals, g.words)
	return true
}

// act adds the action at s[at[0]:at[1]]; s starts at offset from in its text.
func (w *tally) act(s []byte, at []int, from int) {
	w.sum += actWeight
	w.signals = append(w.signals, "an action that a user would want to confirm")
	w.start, w.end = from+at[0], from+at[1]
	if concrete.Match(s[at[0]:]) {
		w.sum += placeWeight
		w.signals = append(w.signals, "with an address, a name or a command")
	}
}

// firstAct returns the position of the first action in s that is an instruction. Reported or
// negated actions before it count as tries.
func firstAct(s []byte) (at []int, tries int) {
	for next := 0; tries < actTries; {
		at = riskyAct.FindIndex(s[next:])
		if at == nil {
			return nil, tries
		}
		tries++
		at[0], at[1] = at[0]+next, at[1]+next
		if clause.IsOrder(s, at[0]) && !denied(s, at[0]) && !clause.InQuestion(s, at[0]) {
			return at, tries
		}
		next = at[0] + 1
	}
	return nil, tries
}

// orNot matches "whether … or not", which does not negate anything.
var orNot = text.LazyExpr(`\bwhether\s[^,;]*\bor\s+not\s*,`)

// actTries is the maximum number of actions inspected in two sentences.
const actTries = 6

// denied reports whether the action is negated earlier in its clause.
func denied(t []byte, act int) bool {
	from := max(bytes.LastIndexAny(t[:act], ".;:\n"), 0)
	if open := orNot.FindIndex(t[from:act]); open != nil {
		from += open[1]
	}
	return clause.StrongNegation.Match(t[from:act]) || madeToAct.Match(t[from:act])
}

// madeToAct matches reports of an attack or a demonstration.
var madeToAct = text.LazyExpr(`\b(made|makes|can\s+make|could\s+make|to\s+make|got|gets|tricked|led|caused|causes|causing|tricks)\s+(an?|the|our|your|his|her|my|` +
	`their)\s+(\w+\s+)?` + clause.AnyAI + `\s+(to\s+|into\s+)?$`)

const (

	// kindOfAI matches the words before the name of an AI.
	kindOfAI = `(ai|phone|home|database|payment|ticket|sre|devops|finance|calendar|inbox|expense|coding|code|autonomous|automated|virtual|helpful|computer-use|` +
		`computer|browser|browsing|llm|language|vision|large|review|reviewing|reviewer|reader|recruiting|support|smart|personal|digital|research|` +
		`screening|grading|moderation|analytics|summari[sz]ing|summari[sz]ation|travel|voice|shopping|e-?mail|mail|openai|generative|intelligent|` +
		`connected|responsible|downstream|vision\s+and)`

	// vocative matches an AI that is addressed.
	vocative = `(^\s*|[\n!?;"'(*#<>\]=+|—]\s*|[.:/,-]\s+)((([\w.'’-]+\s+){0,5}?(to|for|of|dear|hey|hi|hello|attention|→|->)\s+)((the|any|all|every|each|an?|my|` +
		`your|this)\s+)*(` + kindOfAI + `[ -]){0,3}?` + clause.AnyAI + vocativeTail + `\s*(:|—|!!|,\s|\))|((the|any|all|every|each|an?|my|your|this)\s+)*(` + kindOfAI + `[ -]){0,3}?` + clause.AnyAI + `(` + vocativeTail + `|-\w+|[_ -](note|directive|` +
		`instructions?|prompt|hint)s?"?)\s*(:\s|—|!!)|(` + kindOfAI + `[ -]){0,3}?` + clause.AnyAI + `,\s)|,\s(` + kindOfAI + `[ -]){0,2}?` + clause.AnyAI + `\s*[.!,)\n]` +
		`|\byou,?\s+(who\s+are\s+)?(reading|processing|parsing|summari[sz]ing)\s+this\b|` +
		`\b(should\s+you\s+be|if\s+you\s+are|if\s+you['’]re|if\s+you\s+happen\s+to\s+be)\s+(an?|the)\s+(` + kindOfAI + `\s+){0,3}?` + clause.AnyAI + `\b|\battention,?\s+(all\s+|any\s+)?(` + kindOfAI + `\s+){0,3}?` + clause.AnyAI + `\b|\bwhoever\s+or\s+whatever\b|@([a-z]+-)*` + clause.AnyAI + `\b|\b(hello|hi|hey|dear)\s+(` + kindOfAI + `\s+){0,2}?` + clause.AnyAI + `\s*!|\b(note|hint|todo|fixme|` +
		`important|attention|message|warning|info)\s*[(\[](for\s+|to\s+)?((the|any|all)\s+)?(` + kindOfAI + `\s+){0,2}?` + clause.AnyAI + `[)\]]|<(ai|llm|agent|` +
		`assistant)_\w+>|\b(claude|copilot|cursor|gemini|chatgpt|codex|` +
		`windsurf)(\s*[/,&]\s*(claude|copilot|cursor|gemini|chatgpt|codex|windsurf|co\.))+\s*:|\bllm_\w+|\bai_(directive|instruction|note)\w*`

	// vocativeTail matches the text between an addressed AI and the colon.
	vocativeTail = `(\s+(in|of|at|on|that|who|which|with|only|from|and|\w+ing)\b(\s+[\w'’-]+){0,7}?)?`

	// aiMustAct matches an AI that must act, or instructions to make one act.
	aiMustAct = `\b` + clause.AnyAI + `(\s+(reviewers?|readers?|graders?|systems?|tools?))?\s+((that|which|who)\s+[^.,:;\n]{0,60}?\s|` +
		`\w+ing\s+(on\s+|at\s+)?(this|these|the)\s+(\w+\s+){0,2}?)?(now\s+)?(also\s+)?(should|must|shall|needs?\s+to|ha(s|ve)\s+to|` +
		`(is|are)\s+(\w+ly\s+|hereby\s+)?(to|(required|expected|asked|instructed|supposed|requested|directed|ordered|obliged|bound|invited|advised|` +
		`encouraged|told)\s+to)|will\s+(now|then|please|want)|can\s+(now\s+)?(just|simply|fill|go|repair|fix)|would\s+(normally|usually))\s|` +
		`\b` + clause.AnyAI + `['’]s\s+(\w+\s+){0,2}(goal|` +
		`task|objective|mission)\s+is\s|\b(have|get|ask|tell|let|make)\s+(the|your|an?|any)\s+(\w+\s+)?` + clause.AnyAI + `\s`

	// conversationKnown matches wording that only makes sense in a conversation.
	conversationKnown = `\b(in|into|to|of)\s+(your|its|the|any|every)\s+(final\s+|next\s+)?(answer|reply|response|summary|message)\b|` +
		`\b(its|every|any|each)\s+(final\s+|next\s+)?(answer|summary|response)s?\b|\bwhen(ever)?\s+(you\s+are\s+)?asked\s+(about|for|whether|to)\b|` +
		`\b(what|whatever|anything|all)\s+(you|it|the\s+\w+)?\s*(were|was|has\s+been|have\s+been|had\s+been)\s+(asked|told|given)\b|` +
		`\bthe\s+question\s+(is|was|you)\b|\b(the\s+owner|whoever)\s+(\w+\s+){0,4}?asks\b|` +
		`\b(once|when|after|before|while|as\s+soon\s+as)\s+(you\s+)?(have\s+|are\s+|start\s+)?(summari[sz]\w+|translat\w+|sum(ming)?\s+up|done\s+with|` +
		`analy[sz]\w+|answer(ed|ing)?|respond(ed|ing)?|reply(ing)?)\b|` +
		`\bafter\s+reading(\s+(this|the))?\b|\bwhen\s+done\b|\b(later|earlier|previous|next)\s+message\b|` +
		`\byour\s+(earlier|previous|original|current|actual)\s+(orders|task|request|question|goal|instructions)\b|\bnever\s+mind\s+(the|what)\b|` +
		`\bfuture\s+(questions|answers|requests)\b|\bin\s+a\s+summary\b|\bsummar(y|ies)\s+of\s+this\b|\bgenerated\s+from\s+this\b`

	// turnMarker matches the start of a turn or system note.
	turnMarker = `\[\[?\s*(system|operator|developer|admin)\b[^\]\n]{0,40}\]|#{2,}\s*(system|operator|instruction)\b|` +
		`\b(system|operator|developer|host|privileged)\s+(message|notice|note|update|prompt|directive|policy)(\s+\w+){0,3}\s*[:=→-]|` +
		`\bprivileged\s+context\b|<\|\w+\|>|\[/?inst\]|<start_of_turn>|<system>|</?tool_?\w*>|\brole:\s*system\b|` +
		`\bend\s+of\s+(the\s+)?(tool\s+)?(output|result|document|context|data)\b|\b(user|developer|owner)\s+(here\s+again|speaking)\b`
)

// mustBe matches what an AI must be, rather than do.
var mustBe = text.LazyExpr(`^\s*(be|have|support|know|understand|belong)\b`)

// aiNamed matches the mention of an AI.
var aiNamed = text.LazyExpr(`\b` + clause.AnyAI + `\b`)

// aiAnchors are literals, one of which is in every match of clause.AnyAI.
var aiAnchors = []string{" ai", "\nai", "(ai", "[ai", "\"ai", ":ai", "#ai", "/ai", "*ai", ">ai", "ai:", "ai,", "ai agent", "ai assist", "ai model", "ais ", "llm", "a.i.", "model", "assistant", "agent", "bot", "copilot", "claude", "gpt", "gemini", "text generator", "automated ", "checker", "helper", "not human", "software", "machines that"}
