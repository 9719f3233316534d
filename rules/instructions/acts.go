package instructions

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
)

// inflected returns an expression for several forms of verbs: send, sends, sending.
func inflected(verbs string) string {
	var forms []string
	for _, v := range strings.Fields(verbs) {
		v = strings.ReplaceAll(v, "_", `\s+`)
		stem, silent := strings.CutSuffix(v, "e")
		switch {
		case strings.Contains(v, `\s`):
			forms = append(forms, v)
		case silent:
			forms = append(forms, stem+"(e|es|ing)")
		default:
			forms = append(forms, v+"(s|es|ing)?")
		}
	}
	return "(" + strings.Join(forms, "|") + ")"
}

const (
	// addressOrHost matches an external destination.
	addressOrHost = `((https?://|www\.)[^\s"'<>)]*|[\w.+-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}|\b[a-z0-9-]+\.(com|net|org|io|dev|xyz|ru|cn|example|app|site|top|biz|info|test|co)\b)`

	// oPrivate matches data of the user, of another person or of the machine.
	oPrivate = `(secrets?|credentials?|environ(ment)?|env\b|[a-z]+_(keys?|tokens?|secrets?)|(api|private|ssh|deploy|access)[\s-]keys?|tokens?|passwords?|` +
		`passcodes?|pin\b|passport|(credit|debit)?\s?cards?\s+(numbers?|details)|social\s+security|ssn|date\s+of\s+birth|` +
		`(security|verification|two-factor|2fa|one-time|login|access|transaction)\s+(codes?|numbers?)|otp|\w+[ -]digit\s+codes?|identity|` +
		`(full|complete|entire|whole|previous)\s+(conversation|chat|messages?|history)|chat\s+history|conversation|previous\s+(messages|question)|` +
		`system\s+(prompt|message|instructions)|hidden\s+(prompt|instructions|text)|` +
		`(your|initial|original|its)\s+(instructions|prompt|rules|configuration|tools)|connected\s+(servers?|tools?)|session\s+id|cookies|` +
		`(user['’]?s?|their|his|her|customer['’]?s?)\s+(\w+\s+){0,2}(data|details|files?|notes|inbox|mails?|e-?mails?|address(es)?|contacts|location|` +
		`calendar|name|phone|salar\w+|records?|balance)|` +
		`what\s+(you|they|it)\s+(have\s+been|has\s+been|were|was)\s+(told|given|asked)|performance\s+reviews?|salaries|home\s+director(y|ies)|` +
		`private\s+\w+)`
)

// riskyAct matches an action that users want to confirm, with its object: verb and object in one
// clause, in this order.
var riskyAct = text.LazyExpr(`\b(` + strings.Join([]string{
	// Money.
	inflected("transfer pay wire send donate refund buy purchase order spend submit place put add go_through check_out schedule settle") + `\s(?:[^.\n]|\.\w){0,60}?` +
		`([$€£]\s?\d|\d\s?([$€£]|usd|eur|gbp|btc|eth|dollars|euros)|\b(money|funds|payment|gift\s+cards?|crypto|bitcoin|iban|wallet|invoice|` +
		`to\s+the\s+account|an\s+order|cart|basket|checkout|expense\s+claim|saved\s+card|payment\s+method|[a-z]{2}\d{2}\s?[a-z\d]{4}\s?\d{4})|` +
		`\b\d+\s+of\s+(these|them))`,
	// Permissions, accounts and doors.
	inflected("invite grant add promote assign give elevate enable register create issue approve merge enrol enroll share allow whitelist allowlist authorize authorise unban unlock subscribe sign_up") +
		`\s(?:[^.\n]|\.\w){0,60}?\b` +
		`(access|permissions?|role|admins?|administrators?|owners?|maintainers?|collaborators?|delegates?|members?|editors?|rights|privileges?|` +
		`authorized_keys|forwarding(\s+rule)?|api\s+keys?|(access\s+)?tokens?|webhook|backdoor|accounts?|ssh\s+key|deploy\s+key|sudo|pull\s+request|` +
		`merge\s+request|firewall|ports?|workspace|folder|drive|the\s+user|newsletter|anyone|everyone|(guest|access|door)\s+codes?|` +
		`\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\b`,
	inflected("open unlock unlatch release") + `\s+(the\s+|my\s+|their\s+|your\s+|all\s+)?(\w+\s+)?(doors?|gates?|windows?|garage|locks?|safe|vault|valves?)\b`,
	`(make|set|change|turn|switch)\s(?:[^.\n]|\.\w){0,40}?\bpublic\b`,
	// Loss.
	inflected("delete remove drop disarm purge wipe erase truncate destroy overwrite disable deactivate turn_off switch_off revoke reset cancel close uninstall block unsubscribe rotate force-push archive mark acknowledge update change") +
		`\s(?:[^.\n]|\.\w){0,50}?\b` +
		`(all|every\w*|repositor(y|ies)|repo|branch(es)?|backups?|databases?|tables?|accounts?|users?|mails?|e-?mails?|messages|production|staging|logs?|` +
		`history|records|customers?|events?|calendar|files?|folders?|director(y|ies)|firewall|security|protection|verification|validation|two-factor|2fa|` +
		`mfa|password|alarms?|sandbox|call\s+forwarding|protection|database|monitoring|antivirus|certificate|checks?|codeowners|subscription|` +
		`appointments?|reservations?|bookings?|issue|ticket|reporter|standing\s+order|leads|wontfix|from\s+\w+)\b`,
	// Outgoing data.
	inflected("send e-?mail mail forward ship write let blind-cop(y|ies) bcc post upload export publish share transmit exfiltrate leak attach copy push report deliver relay submit append write put include hand_over answer reply pass") +
		`\s(?:[^.\n]|\.\w){0,120}?(` + addressOrHost + `|` +
		`\b(to|with|as|in|on|under)\s+(the\s+|this\s+|an?\s+)?(requester|sender|author|attacker|public\s+\w+|gist|pastebin|webhook|everyone|everybody|` +
		`external\s+\w+|[\w-]+\s+channel|comment|reply|sender\b|whole\s+\w+|entire\s+\w+)|` +
		`\bpublic\b|\bmessage\s+to\b)`,
	inflected("open visit click browse_to navigate_to go_to fetch load request call ping resolve render get follow link") + `\s(?:[^.\n]|\.\w){0,60}?(https?://|www\.|\.dns\b|![^\n]{0,3}\[)`,
	`set\s+(up\s+)?(call\s+|mail\s+|an?\s+)?forwarding|message\s+(all|the|every|each|my|your|him|her|them)\b`,
	// Code.
	inflected("run execute install download launch paste eval curl wget npm pip import include depend start add put") + `\s(?:[^.\n]|\.\w){0,80}?(https?://|` +
		`\.(exe|msi|dmg|sh|ps1|bat|scr|tgz)\b|\|\s*(ba|z)?sh\b|--force\b|--unsafe|\bsudo\b|rm\s+-|chmod|powershell|<script|` +
		`(dependency|package|library)\s+["'` + "`" + `]|os\.environ|\bexec\(|` + "`" + `import\s|\bdelete\s+from\b|\bdrop\s+(table|database)\b)`,
	// Private data.
	inflected("show reveal print output list dump quote read open collect gather find search extract leak disclose post send paste include repeat display expose provide report give enter fill_in share write attach echo return get obtain encode pass hand_over ask tell speak") +
		`\s(?:[^.\n]|\.\w){0,80}?\b` + oPrivate + `\b`,
	// Misleading people.
	inflected("tell inform convince persuade advise warn ask urge direct instruct assure notify point refer send") + `\s+(the\s+|your\s+|every\s+|all\s+)?(users?|` +
		`humans?|readers?|customers?|persons?|people|owners?|everybody|everyone|whoever\s+asks|travell?ers?|guests?|visitors?|shoppers?|callers?|` +
		`patients?|clients?|applicants?|authors?)\b(?:[^.\n]|\.\w){0,120}?\b(that|to|how|not)\b`,
	inflected("recommend rate rank score classify mark list describe endorse promote praise claim conclude state say answer respond reply report give award grade judge treat suggest mention make link assert") +
		`\s(?:[^.\n]|\.\w){0,100}?` +
		`(\bfirst\b|\bas\s+(the\s+)?(best|market\s+leader|safe|benign|approved|preferred|top|excellent|harmless|outstanding|trusted|legitimate|` +
		`recommended|highly|wontfix)|\b(highest|10/10|five\s+stars?|5\s+stars?|perfect|acceptance|full\s+marks|positive\s+(feedback|review)|` +
		`100\s+(of|out\s+of|points|%)|score\s+of|cannot\s+be\s+(loaded|found|read|opened)|was\s+empty|` +
		`no\s+(issues?|problems|findings|vulnerabilities|risks?|side\s+effects|debts?))|\bonly\s+(positive|good|the)|\bthat\b|` +
		`\bto\s+(their|the|your)\s+users?\b|` + addressOrHost + `)`,
	oPrivate + `\s+((has|have|needs?|is|are)\s+to|must|should|shall)\s+be\s+\w+(ed|ent|ut|own)\b`,
	`do(es)?\s+not\s+(flag|report|mention|raise|tell|inform|reveal|alert|warn|show)|don['’]t\s+(flag|report|mention|raise|tell|let)`,
}, "|") + `)`)

// concrete matches details that instructions contain and guides lack: an address, a quoted name, a
// command, an amount, or a reference to the case at hand.
var concrete = text.LazyExpr(addressOrHost + "|[\"'`“<][^\"'`”>\n]{2,}[\"'`”>]" + `|[$€£]\s?\d|\b(\d+\s?(usd|eur|gbp|btc|eth)|the\s+user['’]s|(this|these|here)\b|[a-z]+_[a-z_]+|[\w-]+/[\w-]+)\b`)
