package rules

import "regexp"

// harm is an act that a user would want to be asked about, with what it is done
// to: money, rights, loss, data that leaves, code that is fetched and run,
// secrets that are shown, a user who is misled. Verb and object stand in one
// clause, in this order.
var harm = regexp.MustCompile(`\b(` +
	// Money.
	`(transfer|pay|wire|send|donate|refund|buy|purchase|order|subscribe)\b[^.\n]{0,60}?([$€£]\s?\d|\d\s?([$€£]|usd|eur|gbp|btc|eth|dollars|euros)|\b(money|funds|payment|gift\s+cards?|crypto|bitcoin|iban|wallet|invoice))` +
	// Rights and accounts.
	`|(invite|grant|add|promote|assign|give|make|elevate|enable|register|create|issue|approve|merge|enrol|enroll|share|allow|whitelist|authori[sz]e|unlock)\b[^.\n]{0,60}?\b(access|permissions?|role|admin\w*|owner|maintainer|collaborator|member|reviewer|editor|rights|privileges?|api\s+keys?|(access\s+)?tokens?|webhook|backdoor|account|accounts|ssh\s+key|deploy\s+key|sudo|pull\s+request|merge\s+request|firewall|port|channel|workspace|door|gate|folder|drive)|(open|unlock|unlatch|release)\s+(the\s+|my\s+|their\s+|your\s+|all\s+)?(\w+\s+)?(doors?|gates?|windows?|garage|locks?|safe|vault|valves?)\b` +
	// Loss.
	`|(delete|remove|drop|purge|wipe|erase|truncate|destroy|overwrite|disable|deactivate|turn\s+off|switch\s+off|revoke|reset|cancel|close|uninstall|block|unsubscribe|rotate)\b[^.\n]{0,50}?\b(all|every\w*|repositor(y|ies)|repo|branch|backups?|databases?|tables?|accounts?|users?|mails?|emails?|messages|production|logs?|history|records|customers?|events?|calendar|files?|folders?|director(y|ies)|firewall|security|protection|verification|validation|two-factor|2fa|mfa|password|alarms?|monitoring|antivirus|certificate|checks?|codeowners|subscription|appointments?|reservations?|bookings?)` +
	// Data that leaves.
	`|(send|e-?mail|forward|post|upload|export|publish|share|transmit|exfiltrate|leak|attach|copy|push|report|deliver|relay|submit|make|append|write|put|message|include)\b[^.\n]{0,100}?(` + address + `|\b(to|with|as)\s+(the\s+|this\s+|an?\s+)?(requester|sender|author|attacker|public\s+\w+|gist|pastebin|webhook|everyone|external\s+\w+|comments?|reply)|\bpublic\b)` +
	`|(open|visit|click|browse\s+to|navigate\s+to|go\s+to|fetch|load|request|call|ping|resolve|render|get)\b[^.\n]{0,60}?(https?://|www\.|\.dns\b|![^\n]{0,3}\[)` +
	// Code.
	`|(run|execute|install|download|launch|paste|eval|curl|wget|npm|pip|import|include|depend|start|add)\b[^.\n]{0,80}?(https?://|\.(exe|msi|dmg|sh|ps1|bat|scr|tgz)\b|\|\s*(ba|z)?sh\b|--force\b|--unsafe|sudo\s|rm\s+-|chmod|powershell|<script|(dependency|package|library)\s+["'` + "`" + `]|os\.environ|\bexec\()` +
	// Secrets.
	`|(show|reveal|print|output|list|dump|quote|read|open|collect|gather|find|search|extract|leak|disclose|post|send|paste|include|repeat|display|expose|provide|report|give|enter|fill\s+in|share|write|attach|echo|return|get|encode)\b[^.\n]{0,60}?\b(secrets?|credentials?|environ(ment)?|env\b|[a-z]+_(key|token|secret)|api\s+keys?|private\s+keys?|ssh\s+keys?|tokens?|passwords?|passcodes?|system\s+(prompt|message|instructions)|hidden\s+(prompt|instructions)|(your|initial|original)\s+(instructions|prompt|rules)|(security|verification|two-factor|2fa|one-time|login|access)\s+codes?|otp|conversation|chat\s+history|previous\s+messages|(user['’]?s?|their|his|her)\s+(\w+\s+)?(data|details|files?|notes|inbox|mails?|emails?|address|contacts|location|calendar|name|phone))` +
	// The user is misled.
	`|(tell|inform|convince|persuade|advise|warn|ask|urge|direct|instruct|assure|notify)\s+(the\s+|your\s+|every\s+|all\s+)?(user|users|human|reader|customer|person|owner)s?\b[^.\n]{0,120}?\b(that|to)\b` +
	`|(recommend|rate|rank|score|classify|mark|list|describe|endorse|promote|praise|claim|conclude|state|say|answer|respond|reply|report)\b[^.\n]{0,80}?\b(as\s+(the\s+)?(best|safe|benign|approved|preferred|top|excellent|harmless|outstanding|trusted|legitimate|recommended|highly)|highest|10/10|five\s+stars?|5\s+stars?|perfect|(could|can)\s*n[o'’]t?t?\s+be\s+(loaded|found|read|opened)|was\s+empty|no\s+(issues|problems|findings|vulnerabilities|risks?|side\s+effects)|only)` +
	`)`)

// address is a place outside that something can go to.
const address = `(https?://|www\.|[\w.+-]+@[\w-]+\.[a-z]{2,}|\b[a-z0-9-]+\.(com|net|org|io|dev|xyz|ru|cn|example|app|site|top|biz|info|test|co)\b)`
