package drift

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/reading"
	"github.com/mcpscan/mcpscan/internal/sense"
)

// intent describes a kind of unexpected addition to an approved definition: the senses that the
// added sentence must have, and a condition.
type intent struct {
	sense.Test
	where func(u *unapproved, sentence []byte) bool // nil if unconditional
}

// intents contains the intents in the order in which they are checked.
var intents = []intent{
	{Test: collecting},
	{Test: passingOutsideData, where: namesOutsideData},
	{Test: askingForSecrets, where: ofPersons},
	{Test: payingTo, where: toAccount},
	{Test: obeyingData, where: whateverItSays},
	{Test: deceiving, where: untold},
	{Test: carryingAway, where: toNewPlace},
	looser(sense.SendsCopy, 1), looser(sense.Redirects, 2), looser(sense.FetchesAndRuns, 1),
	looser(sense.ObeysOutput, 2), {looser(sense.ChangesOtherTool, 2).Test, ofStrangers},
	looser(sense.DelayedTrigger, 2),
	looser(sense.ActsAlone, 2), looser(sense.OverridesInstructions, 2), looser(sense.Conceals, 1), looser(sense.ActsInSecret, 1), looser(sense.KeepsUserUnaware, 1),
	{Test: notAsking, where: forNoThing},
	{Test: borrowing, where: namesOthersTool},
	{Test: steeringByName, where: inName},
	{Test: namingKeys, where: inValue},
	{Test: runningResults, where: inResults},
	{Test: outliving, where: forGood},
	{Test: packing, where: asArchive},
	{Test: letThrough, where: unfiltered},
}

// looser returns an intent whose test is w, with the threshold lowered by the given amount.
func looser(w sense.Test, by int) intent {
	w.Enough -= by
	return intent{Test: w}
}

// upgradeSenses maps signs of a legitimate upgrade to weights that apply in addition to
// sense.HonestSenses. Examples of such signs are a description of what a switch does, a list of
// values, and a reference to documentation.
var upgradeSenses = map[reading.Sense]int{reading.Whether: -3, reading.DataFlow: -2, reading.Shown: -2, reading.Visited: -2, reading.Pointed: -2}

var (
	// collecting detects text about taking data from outside the tool, whoever receives it.
	collecting = sense.Test{
		Needs: [][]reading.Sense{
			{reading.KeyFile, reading.Secret, reading.Conversation, reading.OtherOutput, reading.Personal},
			{reading.Take, reading.Hand},
			{reading.Parameter, reading.Address, reading.Model, reading.Person, reading.Whose},
		},
		Weights: map[reading.Sense]int{
			reading.KeyFile: 4, reading.Conversation: 3, reading.OtherOutput: 3, reading.Secret: 2, reading.Personal: 2, reading.Whose: 1, reading.Person: 1,
			reading.Take: 1, reading.Hand: 1, reading.Parameter: 1, reading.Address: 2, reading.Model: 1, reading.Pretext: 1, reading.Stealth: 3, reading.Hush: 3,
			reading.OwnKey: -3, reading.Path: -3, reading.ToUser: -3, reading.Prompted: -4,
		},
		Purpose: -5, Enough: 6, Message: "collects data that the tool did not use before",
	}
	// passingOutsideData is like collecting, but matches words that are more common, so it needs
	// the condition namesOutsideData.
	passingOutsideData = sense.Test{
		Needs: [][]reading.Sense{{reading.Take, reading.Hand, reading.Alter}},
		Weights: map[reading.Sense]int{
			reading.Take: 1, reading.Hand: 1, reading.Alter: 1, reading.Parameter: 1, reading.Model: 1, reading.Duty: 1, reading.Always: 1, reading.Pretext: 1,
			reading.Conversation: 1, reading.Secret: 1, reading.Personal: 1, reading.Whose: 1, reading.OwnKey: -3, reading.ToUser: -3, reading.Prompted: -4,
		},
		Purpose: -5, Enough: 3, Message: "collects data that the tool did not use before",
	}
	// payingTo matches text that names the recipient of a payment.
	payingTo = sense.Test{
		Needs: [][]reading.Sense{{reading.Value, reading.Hand, reading.Alter}}, Weights: map[reading.Sense]int{reading.Value: 1, reading.Hand: 1, reading.Alter: 1},
		Enough: 1, Message: "names an account as the recipient of something",
	}
	// These tests require no senses: only the regular expression in the intent's condition decides.
	obeyingData = sense.Test{Message: "tells the model to follow instructions in data"}
	deceiving   = sense.Test{Message: "hides something from people, or deceives them"}
	outliving   = sense.Test{Message: "gives an instruction that applies beyond the call"}
	// askingForSecrets matches text that asks a person for something that a model must never see.
	askingForSecrets = sense.Test{
		Needs: [][]reading.Sense{{reading.Secret}}, Weights: map[reading.Sense]int{reading.Secret: 2, reading.OwnKey: -3, reading.Asks: 4},
		Purpose: -5, Enough: 2, Message: "asks people for their credentials",
	}
	// carryingAway matches text that describes sending something to a new destination.
	carryingAway = sense.Test{
		Needs:   [][]reading.Sense{{reading.Hand, reading.Copy}, {reading.Address}},
		Weights: map[reading.Sense]int{reading.Copy: 1, reading.Hand: 1, reading.Address: 2, reading.Duty: 1, reading.Always: 1, reading.Model: 1, reading.Until: -3},
		Enough:  4, Message: "sends something to an address that the definition did not mention before",
	}
	// notAsking is like sense.WaivesApproval with a lower threshold, because an
	// added sentence has fewer words that could give it a different meaning.
	notAsking = looser(sense.WaivesApproval, 1).Test
	// borrowing detects text about using another server's tool.
	borrowing = sense.Test{
		Needs: [][]reading.Sense{{reading.Take, reading.Hand, reading.Alter, reading.Run}, {reading.Parameter, reading.Value, reading.Address, reading.KeyFile, reading.Secret, reading.Personal}},
		Weights: map[reading.Sense]int{
			reading.Take: 1, reading.Hand: 1, reading.Alter: 1, reading.Run: 1, reading.Parameter: 1, reading.Whose: 1, reading.Value: 1,
			reading.KeyFile: 3, reading.Secret: 2, reading.Personal: 2, reading.Address: 2, reading.History: -3,
		},
		Enough: 3, Message: "uses other servers' tools",
	}
	// steeringByName matches text that addresses the reader where only a name is expected.
	steeringByName = sense.Test{
		Needs: [][]reading.Sense{{reading.Model, reading.Consent, reading.Orders, reading.Hush, reading.Untold, reading.Granted}},
		Weights: map[reading.Sense]int{
			reading.Model: 2, reading.Consent: 2, reading.Granted: 2, reading.Orders: 2, reading.Hush: 3, reading.Untold: 3,
			reading.Take: 1, reading.Hand: 1, reading.Run: 1, reading.Obey: 1, reading.Alter: 1, reading.Person: 1,
		},
		Enough: 4, Message: "contains an instruction in a name",
	}
	// namingKeys matches a value that names a credentials file.
	namingKeys = sense.Test{
		Needs: [][]reading.Sense{{reading.KeyFile}}, Weights: map[reading.Sense]int{reading.KeyFile: 4},
		Purpose: -5, Enough: 4, Message: "uses a credentials file as a value",
	}
	// runningResults matches text about executing part of a result.
	runningResults = sense.Test{
		Needs:   [][]reading.Sense{{reading.Run}, {reading.Model, reading.Duty, reading.Whose}},
		Weights: map[reading.Sense]int{reading.Run: 2, reading.Model: 1, reading.Duty: 1, reading.Whose: 1},
		Enough:  3, Message: "executes part of its results",
	}
	// packing is for text that asks for everything at a location, such as an archive of all
	// files.
	packing = sense.Test{Message: "asks for everything at a location"}
	// letThrough is for text about passing unchecked input to an interpreter.
	letThrough = sense.Test{Message: "passes unchecked input to an interpreter"}
)

func ofPersons(_ *unapproved, s []byte) bool {
	at := asksPersons.FindIndex(s)
	return at != nil && !clause.StrongNegation.Match(s[:at[0]]) && !partOfName.Match(s[at[1]:])
}

// asksPersons matches text that asks people for something that only they know, such as a password.
var asksPersons = lazyregexp.New(`\b(ask|request|prompt|have|get|obtain|collect|let|tell|invite|require)(s|ing)?\b[^.\n]{0,60}?\b(passwords?|passcodes?|passphrases?|` +
	`pin|cvv|cvc|(2fa|otp|one-time|verification|security|recovery|backup)\s+(codes?|passwords?|phrases?)|seed\s+phrase|card\s+(number|details)|` +
	`social\s+security\s+number)\b`)

// partOfName matches what follows a word for a secret and makes that word part of another name, as
// in "password policy".
var partOfName = lazyregexp.New(`^[\s_-]+(files?|fields?|managers?|polic(y|ies)|resets?|hash(es)?|protect\w*|rules?|lengths?|strength|prompts?|parameters?)\b`)

func forNoThing(_ *unapproved, s []byte) bool { return !asksForThing.Match(s) }

// asksForThing matches text that asks a person for something other than consent.
var asksForThing = lazyregexp.New(`\bask(ed|ing)?\s+(the\s+user\s+|users\s+|you\s+)?for\s+(the|an?|their|your|any|more)\b`)

func inName(u *unapproved, s []byte) bool {
	return u.label && len(strings.Fields(string(s))) > proseWords
}

func inValue(u *unapproved, _ []byte) bool { return u.label }

func inResults(u *unapproved, _ []byte) bool { return strings.HasPrefix(u.r.pointer, "/outputSchema/") }

// toNewPlace reports whether a sentence contains a host that is new to the definition.
func toNewPlace(u *unapproved, s []byte) bool {
	return slices.ContainsFunc(hostIn.FindAllSubmatch(s, 8), func(host [][]byte) bool { return !u.mentioned(string(host[1])) })
}

var hostIn = lazyregexp.New(`([a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+)`)

// ofStrangers reports whether a sentence mentions tools, but none of the server's own tools.
func ofStrangers(u *unapproved, s []byte) bool {
	if !toolWord.Match(thisTool.ReplaceAll(s, nil)) && !identifierIn.Match(s) {
		return false
	}
	return !slices.ContainsFunc(identifierIn.Compiled().FindAll(s, maxPlacesRead), func(name []byte) bool { return u.ownTool(string(name)) })
}

var (
	toolWord = lazyregexp.New(`\b(tools?|functions?|servers?|integrations?|connectors?|plugins?)\b`)
	thisTool = lazyregexp.New(`\b(this|the\s+present|our)\s+tool\b`)
)

var identifierIn = lazyregexp.New(`\b[a-z0-9]+([_-][a-z0-9]+)+\b`)

func namesOthersTool(u *unapproved, s []byte) bool {
	at := toolOfOthers.Find(s)
	return at != nil && !thisTool.Match(at) && !sense.DomainTool.MatchString(u.d.Name+" tool")
}

// toolOfOthers matches a reference to an unnamed tool: any tool, or a kind of tool, such as an
// e-mail tool.
var toolOfOthers = lazyregexp.New(`\b(any|whatever|whichever|another)\s+([\w-]+\s+){0,2}?(tools?|connectors?|integrations?|plugins?)\b|` +
	`\b(calendar|e?-?mail|payment|bank(ing)?|file|shell|terminal|git|browser|database|messaging|sms|chat)\s+(tools?|connectors?|integrations?|` +
	`plugins?|readers?)\b`)

func asArchive(u *unapproved, s []byte) bool {
	return archived.Match(s) && !archives.MatchString(u.d.Name) && !strings.HasPrefix(u.r.pointer, "/outputSchema/")
}

var (
	archived = lazyregexp.New(`\b(tar(ball)?|zip(ped)?|archive|dump|snapshot|bundle)\b(?:[^.\n]|\.\w){0,40}\bof\s+(the|all|every|your|its)\s+([\w-]+\s+){0,2}?(tree|` +
		`director(y|ies)|folders?|repositor(y|ies)|workspace|project|disk|home|volume|databases?|mailbox|inbox|files)\b`)
	archives = lazyregexp.New(`(?i)arch|zip|tar|backup|snapshot|export|dump|deploy|upload|import|bundle|publish`)
)

func unfiltered(u *unapproved, s []byte) bool {
	return strings.HasPrefix(u.r.pointer, "/inputSchema/") && throughUnread.Match(s)
}

// throughUnread matches text about input that reaches an interpreter unchanged.
var throughUnread = lazyregexp.New(`\b(evaluated|interpreted|expanded|executed|run|interpolated)\s+(by|in|through|with|as|into)\s+(the\s+|a\s+|` +
	`an\s+)?(\w+\s+)?(shell|bash|sh|interpreter|eval|command\s+line|subshell)\b|\b(appended|added|passed|handed|prepended|` +
	`interpolated)\s+(\w+\s+)?(to|into)\s+([^.,;]{0,40})(shell|command|` + "`[^`]+`" + `)[^.]{0,20}\b(as\s+is|as-is|` +
	`verbatim|unchanged|unescaped|unquoted|unfiltered|unchecked)\b`)

func namesOutsideData(_ *unapproved, s []byte) bool { return outsideReference.Match(s) }

// outsideReference matches references to what the user said, and to data that is not an argument of
// the tool.
var outsideReference = lazyregexp.New(`\b(last|earlier|previous|prior|recent|preceding)\s+(\w+\s+)?(messages|questions|turns|prompts)\b|` +
	`\b(messages|questions|turns|rest|history)\s+of\s+(the|this|our|your)\s+(chat|conversation|session|` +
	`dialogue?)\b|(^|[\s"'` + "`" + `(])~/\.\w|\b(values?|contents?|output)\s+of\s+(the\s+)?["'` + "`" + `]?(\$|~|[a-z]+_(url|key|token|` +
	`secret|` +
	`password)\b|env\b|printenv\b)|\b(secrets|tokens|keys|credentials|passwords|cookies)\s+(of|from|for)\s+(all|any|every|each|other|the\s+(user|` +
	`other|host|` +
	`machine))\b|['’]s?\s+(secrets|credentials|passwords|private\s+keys?|passphrase|cookies)\b|` +
	`\b(whole|entire|every|all)\s+(the\s+)?(\w+\s+of\s+the\s+user|mailbox(es)?|inbox(es)?)\b`)

func toAccount(_ *unapproved, s []byte) bool { return account.Match(s) && !exampleOf.Match(s) }

var (
	account   = lazyregexp.New(`\b[a-z]{2}\d{2}([a-z0-9]{12,30}|(\s[a-z0-9]{4}){3,7}(\s[a-z0-9]{1,3})?)\b|\b0x[0-9a-f]{40}\b|\bbc1[a-z0-9]{20,}\b`)
	exampleOf = lazyregexp.New(`\b(e\.g\.|examples?|such\s+as|like|format)\b`)
)

func whateverItSays(_ *unapproved, s []byte) bool {
	at := dataObeyed.FindIndex(s)
	return at != nil && !clause.StrongNegation.Match(s[:at[1]]) && !preventing.Match(s)
}

var (
	// dataObeyed matches instructions to obey data, or to trust it like a user.
	dataObeyed = lazyregexp.New(`\b(follow|obey|do|execute|act\s+on|comply\s+with|carry\s+out)\s+(\w+\s+)?(whatever|anything|everything|all\s+that)\b[^.]{0,40}\b(says?|` +
		`tells?|asks?|instructs?|demands?|states?|orders?)\b|\b(instructions|directives|orders|notes|results?|content)\b[^.]{0,40}\b(takes?|have|` +
		`has)\s+(precedence|priority)\s+over\b|\bas\s+(if|though)\s+(the\s+user|they|it)\s+(had\s+)?(said|asked|come|came|written|were\s+the\s+user)`)
	preventing = lazyregexp.New(`\b(injection|untrusted|attack\w*|malicious)\b`)
)

func untold(_ *unapproved, s []byte) bool { return keptOrDeceived.Match(s) }

// keptOrDeceived matches text about what not to tell people, or what to answer if they ask.
var keptOrDeceived = lazyregexp.New(`\b(reviewers?|maintainers?|owners?|recipients?|readers?|people|authors?|guests?|admins?|administrators?|users?|nobody|they|it|` +
	`this|that)\s+((need|must|should|is|are)\s?(not|n['’]t|never)|do(es)?\s?(not|n['’]t)\s+(have|need)\s+to)\s+(to\s+)?(ever\s+)?(be\s+)?(told|` +
	`informed|aware|know|learn|hear|mentioned|brought\s+up|come\s+up)\b|\b(if|should|when(ever)?)\s+(any(one|body)|some(one|body)|they|people|` +
	`(the\s+)?(users?|reviewers?|owners?))\s+(\w+\s+)?(wonders?|notices?|complains?|inquires?|becomes?\s+suspicious)\b|\b(if|should|` +
	`when(ever)?)\s+(any|some)(one|body)\s+asks?\b|\b(does|do)\s+not\s+(form\s+)?(a\s+)?(part\s+of|appear\s+in|` +
	`belong\s+in(to)?)\s+(what\s+is\s+(displayed|shown)|the\s+(answer|reply|summary))\b`)

func forGood(_ *unapproved, s []byte) bool { return outlives.Match(s) && !clause.AskedByUser.Match(s) }

// outlives detects an instruction that remains in effect beyond the call.
var outlives = lazyregexp.New(`\bfrom\s+now\s+on\b|\bfor\s+the\s+(rest|remainder)\s+of\s+(the|this)\s+(session|conversation|chat|dialogue?)\s*,|` +
	`\bin\s+(all|every|each|any)\s+(future|later|subsequent)\s+(sessions?|conversations?|chats?|turns?|answers?|repl(y|ies)|calls?)\b`)
