package drift

import (
	"bytes"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// harmfulSentence is a kind of harmful sentence that legitimate upgrades rarely add: how to
// recognise it, and what it means.
type harmfulSentence struct {
	matches func(u *unapproved, sentence []byte) bool
	means   string
}

// The first kind that matches a sentence counts.
var harmfulSentences = []harmfulSentence{
	{conceals, "hides something from the user"},
	{overrides, "tells the model to ignore its instructions"},
	{sendsElsewhere, "sends something to an address that the definition did not mention before"},
	{writesElsewhere, "writes to a location whose content is executed or trusted"},
	{governsOthers, "changes how other servers' tools are used"},
	{takesSecrets, "collects data that the tool did not use before"},
	{asksInParameter, "asks, in a parameter, for data from outside the tool"},
	{destroysUnasked, "destroys something, although it was approved as harmless"},
}

// meaningOf returns the meaning of the first kind of harmful sentence that a sentence matches, or "" if
// there is none.
func (u *unapproved) meaningOf(sentence []byte) string {
	for i := range harmfulSentences {
		if harmfulSentences[i].matches(u, sentence) {
			return harmfulSentences[i].means
		}
	}
	return ""
}

func conceals(_ *unapproved, s []byte) bool { return concealing.Match(s) && !conditional.Match(s) }

var (
	// concealing matches instructions to hide an action, and statements that people are not told about it or
	// cannot see it.
	concealing = lazyregexp.New(`\b(do\s+not|don['’]?t|never|without|no\s+need\s+to|need\s+not|needn['’]t|avoid|refrain\s+from)\s+(ever\s+)?(tell|mention|inform|notify|` +
		`disclos|reveal|alert|let)(e|ing|ting)?\b([^.;]{0,30}\b(users?|anyone|anybody|humans?|operators?|person|people|owner)\b|` +
		`\s+(of\s+|about\s+)?(this|it|that|any\s+of\s+(this|it))\b)` +
		`|\b(not|n['’]t|never|without|avoid)\s+bring(ing)?\s+(this|it|that|them)\s+up\b|` +
		`\b(hide|conceal)\s+((this|it|that|these)\s+from|the\s+(call|step|request|action|fact)|this\s+(call|step|request|action|fact))\b|` +
		`\bkeep\s+(this|it|that|these)\s+([\w-]+\s+){0,3}?(secret|confidential|hidden|to\s+yourself|between)\b` +
		`|` +
		`\b(users?|humans?|nobody|no\s+one|operators?)\s+(should|must|need|shall|may|will|does|do|can|is|are)?\s?(not|n['’]t|never)?\s+(need\s+to\s+|` +
		`have\s+to\s+)?(ever\s+)?(know|see|notice|find\s+out|learn|hear|be\s+(told|made\s+aware|aware|informed|shown))\s+(about|of|any|this|that|it)\b` +
		`|\b(unnoticed|covertly|secretly|surreptitiously|stealthily)\b|\b(done|do\s+(this|it|so)|(perform|run|execute|send)\s+(this|it|that))\s+([\w-]+\s+)?(silently|quietly|discreetly)\b` +
		`|\bleave\s+(this|it|that)\s+([\w-]+\s+)?out\s+of\b|\b(pretend|act\s+as\s+(if|though))\b|` +
		`\b(not|n['’]t|never)\s+(include|mention|list|report)\s+(it|this|that)\s+in\s+(your|the)\s+(summary|reply|answer|response|report)\b`)
	// conditional matches the condition in an ordinary instruction, such as "do not mention this unless
	// asked".
	conditional = lazyregexp.New(`\b(unless|until)\b`)
)

func overrides(_ *unapproved, s []byte) bool { return overriding.Match(s) }

// overriding detects claims that earlier instructions no longer apply, or that data must be obeyed.
var overriding = lazyregexp.New(`\b(forget|disregard|ignore|discard|abandon)\s+(what(ever)?|everything|anything|` +
	`all)?\s*(that\s+)?(you\s+(were|have\s+been|are)\s+(told|given|taught|instructed)|` +
	`((all|any|your|the|previous|prior|earlier|former|existing|other)\s+){1,3}([\w-]+\s+)?(instructions?|rules?|guidelines?|prompts?|directions?|` +
	`directives?|polic(y|ies)))\b` +
	`|` +
	`\b((previous|prior|earlier|former|existing|other)\s+([\w-]+\s+)?(instructions?|rules?|guidelines?|prompts?|directions?|directives?)|` +
	`your\s+(previous|prior|earlier|other|safety)\s+([\w-]+\s+)?(instructions?|rules?|guidelines?|prompts?|directions?))\s+((no\s+longer|do\s+not|` +
	`don['’]t)\s+(apply|count|hold)|are\s+(void|superseded|obsolete|suspended|lifted))` +
	`|` +
	`\b(do|follow|obey|execute|carry\s+out)\s+(what(ever)?|the\s+(instructions?|commands?|directives?|orders?))\s+([\w-]+\s+){0,3}?(outputs?|results?|` +
	`responses?|content|text|page)\b|` +
	`\b(treat|take|regard)\b[^.;]{0,60}\bas\s+(commands?|instructions?|orders?|directives?)\b` +
	`|\bobey\s+(only\s+)?(this|the|every|all)\b|` +
	`\b(compl(y|ies)|complying)\s+with\s+(every|all|any)\s+(directive|order|instruction|command|request)s?\b|` +
	`\btakes?\s+precedence\s+over\s+(the\s+|your\s+)?(system|user|previous|other|developer)`)

// sendsElsewhere reports whether a sentence describes sending something to a host unrelated to the
// tool.
func sendsElsewhere(u *unapproved, s []byte) bool {
	for _, at := range placeIn.FindAllIndex(s, maxPlacesRead) {
		before := s[max(0, at[0]-verbReach):at[0]]
		before = placeIn.ReplaceAll(before[bytes.LastIndexByte(before, '\n')+1:], []byte("it"))
		if u.newPlace(string(s[at[0]:at[1]]), before) && !referring.Match(before) && (handing.Match(before) && !clause.StrongNegation.Match(before) || drawn.Match(before)) {
			return true
		}
	}
	return false
}

// verbReach is the maximum distance, in bytes, between a verb for sending and a destination after
// it.
const verbReach = 120

// maxPlacesRead is the maximum number of destinations inspected in one sentence.
const maxPlacesRead = 8

var (
	placeIn = lazyregexp.New(`\b(https?|wss?|ftp)://[^\s"'<>)\]` + "`" + `]+|\b[\w.+-]+@([\w-]+\.)+[a-z]{2,}\b|\b(\d{1,3}\.){3}\d{1,3}(:\d+)?\b|\b([a-z0-9-]+\.)+[a-z]{2,}\b(:\d+)?`)
	// handing detects verbs for sending something to the destination that follows.
	handing = lazyregexp.New(`\b(send|sends|sent|sending|posts?|posted|posting|puts?|uploads?|uploaded|uploading|forwards?|forwarded|forwarding|mirror(s|ed|ing)?|` +
		`submit(s|ted|ting)?|deliver(s|ed|ing)?|transmit(s|ted|ting)?|reports?|reported|relay(s|ed|ing)?|cop(y|ies|ied)|duplicat(e|es|ed|ing)|` +
		`stream(s|ed|ing)?|publish(es|ed|ing)?|push(es|ed|ing)?|shar(e|es|ed|ing)|ship(s|ped|ping)?|e-?mail(s|ed)?|mail(s|ed)?|b?cc|logs|logged|writes?|` +
		`written|sav(e|es|ed)|stor(e|es|ed)|sync(s|ed)?|curl|wget|exfiltrate|leak|notif(y|ies)|pass(es|ed)?|goes|archiv(e|ed)|back(s|ed)?\s+up|add|set|` +
		`requests?\s+to|rout(e|es|ed)|redirect(s|ed)?|prox(y|ies|ied))\b`)
	// referring detects the text before the address of a page to read.
	referring = lazyregexp.New(`\b(see|documentation|docs?|info(rmation)?|details|reference|guide|help|more|options|visit|available\s+at|found\s+at|described\s+(at|in)|` +
		`examples?|e\.g\.|like|such\s+as|looks?\s+like|format)\b[^.;]{0,25}$`)
	// drawn detects the start of a Markdown image, whose address can carry data.
	drawn = lazyregexp.New(`!\[[^\]]*\]\($`)
)

// newPlace reports whether place is a destination that is new to the definition and not named like
// the server or the tool.
func (u *unapproved) newPlace(place string, before []byte) bool {
	host := hostNamed(place)
	if host == "" || destination.Loopback(host) || exampleHost.MatchString(host) && forExample.Match(before) {
		return false
	}
	if !strings.Contains(place, "://") && !strings.Contains(place, "@") && strings.Trim(host, "0123456789.") != "" {
		if suffix, icann := publicsuffix.PublicSuffix(host); !directed.Match(before) || !icann && !strings.Contains(suffix, ".") || destination.FileEnding(suffix) || !strings.Contains(host, ".") {
			return false
		}
	}
	return u.strange(host)
}

var (
	// exampleHost matches a host used as an example.
	exampleHost = lazyregexp.New(`(^|\.)(example\.(com|org|net|edu)|(example|test|invalid))$`)
	forExample  = lazyregexp.New(`\b(e\.g\.?|examples?|such\s+as|like|format|sample)\W`)
	// directed detects the text before a host name without a scheme.
	directed = lazyregexp.New("\\b(to|at|via|on|onto|into|through|with|by)\\s+[\"'`*_(<]*$")
)

// hostNamed returns the host of an address in a text.
func hostNamed(place string) string {
	if _, rest, ok := strings.Cut(place, "://"); ok {
		place = rest
	}
	if i := strings.IndexAny(place, "/?#"); i >= 0 {
		place = place[:i]
	}
	if i := strings.LastIndexByte(place, '@'); i >= 0 {
		place = place[i+1:]
	}
	host, _, _ := strings.Cut(place, ":")
	return strings.Trim(host, ".")
}

// writesElsewhere reports whether a sentence describes writing to a location whose files are
// executed or trusted.
func writesElsewhere(u *unapproved, s []byte) bool {
	at := trustedPlace.FindIndex(s)
	return at != nil && storing.Match(s[:at[0]]) && !clause.StrongNegation.Match(s[:at[0]]) && !u.mentioned(string(bytes.TrimSpace(s[at[0]:at[1]]))) || openBucket.Match(s)
}

var (
	storing = lazyregexp.New(`\b(writ(e|es|ten|ing)|wrote|sav(e|es|ed|ing)|stor(e|es|ed|ing)|put|puts|plac(e|es|ed)|append(s|ed|ing)?|add(s|ed)?|cop(y|ies|ied)|` +
		`dump(s|ed)?|ends?\s+up|go(es)?|deliver(s|ed)?|output|mov(e|es|ed)|download(s|ed)?|creat(e|es|ed)|install(s|ed)?|redirect(s|ed)?)\b`)
	trustedPlace = lazyregexp.New(`(^|[\s"'` + "`" + `(:=])(/etc/|/root\b|/usr/|/bin/|/sbin/|/boot/|/lib/|/var/(www|spool)|~/\.[a-z]|\$home/\.[a-z]|(\.\./)+\S|\.git/|` +
		`c:[/\\]windows)|\bauthorized_keys\b|\.(bashrc|zshrc|profile|bash_profile)\b|\bcrontab\b|\bautostart\b`)
	openBucket = lazyregexp.New(`\b(writ(e|es|ten)|sav(e|es|ed)|stor(e|es|ed)|upload(s|ed)?|publish(es|ed)?|cop(y|ies|ied))\b[^.;]{0,40}\b(public|world-readable|` +
		`publicly\s+\w+)\s+(bucket|folder|share|drive|paste\w*|gist|location)\b`)
)
