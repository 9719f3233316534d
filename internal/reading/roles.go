package reading

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// The role of a word can depend on its neighbours: "copy" can be a noun for written text, an
// address can be a page for people to visit, and "acts autonomously" may refer to the reader or to
// an agent being described.

// beside reports whether neighbouring words rule out sense v for the word t[i:j].
func beside(v Sense, t []byte, i, j int) bool {
	switch v {
	case Copy, Hand, Alter:
		from := max(0, i-besideReach)
		if v == Hand && holdsWhat.Match(t[from:j]) {
			return true
		}
		return string(t[i:j]) == "copy" &&
			(copyForReaders.Match(t[from:j]) || isCopyOf.Match(t[from:min(len(t), j+len(" of"))]))
	case Personal:
		return filedIn.Match(t[max(0, i-besideReach):i])
	case Conversation:
		return goesInto.Match(t[max(0, i-besideReach):i])
	case Stealth:
		return string(t[i:j]) == "in the background" && ownWork.Match(t[max(0, i-clauseReach):i])
	case Secret:
		return publicKey.Match(t[max(0, i-besideReach):i])
	case Duty:
		return (t[i] == 'n' || t[i] == 'r') && neededConsent.Match(t[i:min(len(t), j+besideReach)])
	}
	return false
}

// leavesUnset reports whether the words at i in a sentence tell the caller to omit the parameter that it
// describes ("leave it out for the default"), rather than to keep something from a person.
func leavesUnset(t []byte, i int) bool {
	at := leftOut.FindSubmatchIndex(t[i:])
	return at != nil && !audience.Match(t[i+at[2]:i+at[3]]) && !audience.Match(t[bytes.LastIndexAny(t[:i], ";:")+1:i])
}

var (
	// leftOut matches a clause that says to leave something out. The group is the rest of the clause.
	leftOut = lazyregexp.New(`^leave (?:it|this|that) out((?:\s+(?:to|for|if|unless)\s[^.,;:]*)?)(?:[.,;:)]|$)`)
	// audience matches words for people, and for texts written for them.
	audience = lazyregexp.New(`\b(users?|people|persons?|humans?|anyone|answers?|repl(y|ies)|responses?|summar(y|ies)|reports?|explanations?|messages?)\b`)
)

// besideReach is how many bytes to either side of a word are examined.
const besideReach = 32

// clauseReach is how many bytes before a word are searched for the verb of its clause.
const clauseReach = 96

var (
	// copyForReaders matches "copy" in the sense of written text.
	copyForReaders = lazyregexp.New(`\b(marketing|ad|advert|advertising|sales|product|brand|promotional|campaign|editorial|body|hero|headline|banner|button|cta|ux|ui|` +
		`seo|web|website|site|page|landing[ -]page|all|any|some|much|existing|final|(what|how|where|because|whether|if|that)\s+the|` +
		`(edit|write|rewrite|proofread|review|improve|ignore|shorten|translate)(s|ing)?\s+(the\s+)?)\s+copy$`)
	// holdsWhat matches relative clauses that identify files by their content.
	holdsWhat = lazyregexp.New(`\b(that|which)\s+(\w+\s+)?(hold|holds|contain|contains|include|includes)$`)
	// filedIn matches text before a place where something is put, as opposed to data that is taken.
	filedIn = lazyregexp.New(`\b(put|placed|moved|added|saved|filed|delivered|sent|goes|go)\s+(in|on|to|into|onto)\s+(the\s+)?$`)
	// goesInto matches the text in front of a mention of the conversation if data enters the conversation or
	// is kept out of it, as opposed to being taken from it.
	goesInto = lazyregexp.New(`\b(out\s+of|enters|entering|(never|not|n['’]t)\s+enter|into|reach(es)?)\s+(your\s+|the\s+|this\s+)?$`)
	// ownWork matches text before "in the background" that describes what a program does itself.
	ownWork = lazyregexp.New(`\b(it|this|that|which)\s+(also\s+)?[a-z]+s\s[^.;]*$`)
	// publicKey matches the text before a key that is not secret, and before a variable for one, as in
	// "the SSH_PUBLIC_KEY environment variable".
	publicKey = lazyregexp.New("(\\b|_)(public|publishable)(_keys?[\"'`)]*)?\\s+$")
	// isCopyOf matches text that says that something is a copy, not that a copy is
	// made.
	isCopyOf = lazyregexp.New(`\b(is|are|holds)\s+(an?|the)\s+(\w+\s+)?copy of$`)
	// neededConsent matches an obligation to ask for consent.
	neededConsent = lazyregexp.New(`^(need|requir)\w*\s+(the\s+|an?\s+|your\s+|manual\s+|human\s+|explicit\s+|user\s+){0,2}(approval|confirmation|consent|permission|review|sign-off)`)
)

// roles finds senses that depend on several words of the sentence f: who acts, what is asked about
// and who decides.
func (s *Sentence) roles(t *Text, f []byte) {
	at := func(loc []int, v Sense) {
		if loc != nil {
			s.set(v, s.Start+loc[0], s.Start+loc[1])
		}
	}
	if askedAbout(f) || t.OfParameter && (s.Says(Consent) || s.Says(Alone)) && valueOf.Match(f) {
		at([]int{0, 1}, Whether)
	}
	if s.Says(Conversation) && !ownPrompt.Match(f) {
		at(ofAnotherModel.FindIndex(f), Prompted)
	}
	if s.Says(Consent) {
		at(withoutAsking.FindIndex(f), Waive)
	}
	if s.Says(Alone) {
		s.actor(f)
		at(keptForPeople.FindIndex(f), Asks)
	}
}

var (
	// withoutAsking matches text about acting without consent, or giving it on the person's behalf.
	// It is used in sentences about consent.
	withoutAsking = lazyregexp.New(`\b(at\s+once|(right|straight)\s+away)\b|` +
		`\b(approv\w+|confirm\w+|consent\w*|authori[sz]\w+|grant\w*|given|answered|handled|accepted|dismissed|clicked|settled|decided|` +
		`signed\s+off)\s+(\w+\s+){0,2}by\s+(the\s+)?(agent|assistant|model|ai|llm)\b`)
	// keptForPeople matches text that still requires a person to be asked.
	keptForPeople = lazyregexp.New(`\b(but|except|while|unless|although)\b[^.]{0,60}\b(needs?|requires?|waits?\s+for|asks?(\s+for)?|gets?)\s+(the\s+|an?\s+|your\s+|` +
		`manual\s+|human\s+|explicit\s+)*(approval|confirmation|consent|permission|review|sign-off)|\b(once|after|until|unless)\s+([\w-]+\s+){0,2}` + persons + `\s+(has|have)\s+(approved|` +
		`confirmed|agreed)|\b(must|should|needs?\s+to|ha(s|ve)\s+to)\s+be\s+(approved|confirmed|reviewed|authori[sz]ed)\s+by\s+([\w-]+\s+)?` + persons + `\b`)
)

const persons = `(people|persons?|reviewers?|maintainers?|owners?|humans?|users?|you)`

// addresses finds the first address that something may be sent to. If there is none, it finds the
// purpose of the first address: to be read, or to be visited.
func (s *Sentence) addresses(f []byte) {
	first, role, r := -1, Address, Address
	for at, n := 0, 0; n < mostAddresses && (first < 0 || role != Address); n++ {
		loc := address.FindIndex(f[at:])
		if loc == nil {
			break
		}
		start, end := at+loc[0], at+loc[1]
		if !listed.Match(f[at:start]) || at == 0 {
			r = roleOf(f, start, end)
		}
		at = end
		if carrier.Match(f[start:]) {
			s.set(Hand, s.Start+start, s.Start+end)
			s.set(Parameter, s.Start+start, s.Start+end)
		}
		if first < 0 || r == Address {
			first, role = start, r
			s.has[Address] = span{int32(s.Start + start), int32(s.Start + end)}
		}
	}
	if role != Address {
		s.set(role, s.Start+first, s.Start+first+1)
	}
}

// roleOf returns Pointed or Visited for an address to which nothing is sent, otherwise
// Address.
func roleOf(f []byte, start, end int) Sense {
	ahead := f[max(0, start-pointReach):start]
	switch {
	case takenOver.Match(f):
	case exampleOf.Match(ahead):
		if !goingTo.Match(ahead) {
			return Pointed
		}
	case bytes.IndexByte(f[start:end], '@') >= 0:
	case pointedAt.Match(ahead):
		return Pointed
	case visited.Match(ahead), offered.Match(f[max(0, start-offerReach):start]):
		return Visited
	}
	return Address
}

// The maximum number of addresses examined per sentence, and of bytes before each of them.
const (
	mostAddresses = 8
	pointReach    = 40
	offerReach    = 160
)

// aheadOfAddress matches the characters allowed between a word and the address that it
// refers to.
const aheadOfAddress = `[\s:,"'(\[<` + "`" + `]*$`

var (
	// exampleOf matches the text before an example address, and goingTo matches the text before an
	// example destination.
	exampleOf = lazyregexp.New(`\b(e\.g\.|for\s+(example|instance)|such\s+as|like)` + aheadOfAddress)
	goingTo   = lazyregexp.New(`\b(to|at|into|with)\s+((an?|the|our|some)\s+)?([\w-]+\s+){0,3}(e\.g\.|for\s+(example|instance)|such\s+as|like)` + aheadOfAddress)
	// listed detects the text between two addresses in a list, which share a role.
	listed = lazyregexp.New(`^["'` + "`" + `)\]>]*[\s,]*\b(and|or)?\s["'` + "`" + `(\[<]*$`)
	// pointedAt matches the text before a source or a page with further information.
	pointedAt = lazyregexp.New(`\b(see(\s+also)?|consult|(documented|described|listed|explained|available|docs|documentation|manual|guide|information|details|` +
		`instructions)(\s+(at|on|in|under|here))?|(arrives|comes|received|fetched)\s+(at|in|on)|from)` + aheadOfAddress)
	// visited detects the text before a page on which a person does something.
	visited = lazyregexp.New(`(\b(visit|open|browse|sign(ed)?[\s-](up|in)\s+(at|on|via)|log(ged)?[\s-]?in\s+(at|on|via)|regist(er|ered|ration)\s+(at|on)|` +
		`account\s+(at|on)|keys?\s+(at|on))|(^|[.,;:(]|\b(or|and|then|please|to|can|may))\s*(go|head|navigate)(\s+over)?\s+to)` + aheadOfAddress)
	// offered detects the text before a page where a person can do something that the tool does not do.
	offered = lazyregexp.New(`(^|[.;:]\s)\W*(to|if\s+you\s+(want|need|wish|would\s+like)\s+to)\s[^.;:]{2,80}?\s(please\s+)?use\s+(the\s+)?(\[[^\]]*\])?` + aheadOfAddress)
	// takenOver matches text in which an address, or its content, replaces something
	// else.
	takenOver = lazyregexp.New(`\bthere(\s*[.,;:)]|\s+(and|instead|as|in|first)\b|$)|\binstead\b|` +
		`\b(replac\w+|redirect\w*|swap\w*|rerout\w+|substitut\w+|exchang\w+|set)\s+(the|its|every|each|any|all)\s+(\w+\s+){0,2}?(accounts?|payees?|` +
		`recipients?|beneficiar\w+|iban|wallets?|address(es)?|destinations?|addressees?|bank\s+details)\b|` +
		`\b(to|with|by|for)\s+the\s+(one|account|address|value|recipient|payee|iban|wallet)s?\s+(\w+\s+)?(found|listed|given|shown|named|stated|from|at|` +
		`on|under|of)\b|` +
		`\bfor\s+(the|its)\s+(new\s+|right\s+)?(number|account|iban|payee|recipient|bank\s+details)\b|` +
		`\b(its|the)\s+(account|payee|recipient|beneficiary|iban|wallet|bank\s+details)\s+((is|are|must\s+be|should\s+be)\s+)?(changed|replaced|swapped|` +
		`corrected)\b`)
)

// actor finds out who acts alone: an agent that is being used, the reader if the text last
// addressed the reader, or both. It ignores an agent that is only described.
func (s *Sentence) actor(f []byte) {
	if loc := employed.FindIndex(f); loc != nil {
		s.set(Employed, s.Start+loc[0], s.Start+loc[1])
	}
	start, end := s.Place(Alone)
	ahead := f[:start-s.Start]
	told := spokenTo.FindAllIndex(ahead, -1)
	if bidden.Match(ahead) {
		s.set(Reader, start, end)
	} else if told != nil {
		last := told[len(told)-1]
		if !somebodyElse.Match(ahead[last[1]:]) {
			s.set(Reader, s.Start+last[0], s.Start+last[1])
		}
	}
}

var (
	// employed detects text in which something uses an agent.
	employed = lazyregexp.New(`\b(us(e|es|ing)|via|with|through|by|runs?|starts?|launch(es)?|creates?|deploys?|spawns?|delegates?\s+to|` +
		`hands?(\s+\w+){0,2}\s+(over\s+)?to)\s+(the|an?|our|its)\s+([\w-]+\s+){0,2}?(agents?|assistants?|(chat)?bots?|models?|llms?)(\s|,|\.|$)`)
	// spokenTo matches words that address the reader of the definition.
	spokenTo = lazyregexp.New(`\b(you|yourself|please|kindly|(calling|consuming)\s+(agent|assistant|model|client|llm)|the\s+(caller|client|host)|whoever\s+calls)\b`)
	// somebodyElse matches words for somebody who acts in place of the reader.
	somebodyElse = lazyregexp.New(`\b(agents?|assistants?|(chat)?bots?|models?|llms?|ai|it|which)\s`)
	// bidden detects an imperative verb before its adverb, as in "proceed autonomously".
	bidden = lazyregexp.New(`(^|[.,;:!]\s|\bplease\s|\band\s+then\s)(act|proceed|work|operate|continue|carry\s+on|go\s+ahead|go\s+on|decide|behave)\s$`)
)

// askedAbout reports whether a sentence describes the purpose of a switch (whether something is
// done) and gives no instruction.
func askedAbout(f []byte) bool {
	if !containsAny(f[:min(len(f), besideReach*2)], "whether ", "if ", "to true") {
		return false
	}
	loc := whether.FindIndex(f)
	return loc != nil && !bytes.ContainsAny(f[loc[1]:], ",;:")
}

// whether matches the beginning of a switch's description, including the name if that comes first.
var whether = lazyregexp.New(`^([\w.-]+\s?(\([^)\n]*\))?:\s)?\W*((determines|controls|specifies|decides|defines|indicates|` +
	`optional[,:.]?)\s+)?(whether(\s+or\s+not)?\s+(to|the|an?|this|it|these|existing|each)|if\s+(true|set|enabled|given)|(set\s+)?to\s+true)\b`)

// valueOf matches a parameter description that consists of a noun and a relative clause.
var valueOf = lazyregexp.New(`^\W*((optional|the|an?|list\s+of|names?\s+of)\s+){0,3}[\w-]+(\s[\w-]+)?\s(that|which)\s[^.,;:]*$`)

// ofAnotherModel matches the description of a prompt that a tool gives to its own
// model.
var ofAnotherModel = lazyregexp.New(`^\W*((an?|the|optional|custom|additional|default|override)\s+){0,3}(system|user|developer)\s+(prompt|message|` +
	`instruction)s?\s+(to\s+(use|send|give|guide|steer|apply|set|pass|be\s+used|prepend)\b|` +
	`for\s+([\w-]+\s+){0,3}?(llms?|models?|extract\w*|generat\w+|completions?|summar\w+|judges?|graders?|evaluat\w+|classif\w+|translat\w+)\b|` +
	`that\s+(guides|steers|sets|controls|shapes)\b)`)

// ownPrompt matches words that show that a sentence is about the reader's own prompt, or an earlier one, rather
// than a prompt for another model.
var ownPrompt = lazyregexp.New(`\b(your|yours|own|current|original|calling|caller|conversation|session|was|were|have|has\s+been)\b`)
