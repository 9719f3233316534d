package clause

// The building blocks of patterns: regular expressions over folded text, each for one part of a
// clause.
const (
	// DropVerbs matches verbs that mean ignoring instructions.
	DropVerbs = `(ignor(e|es|ing)|disregard(s|ing)?|forget(s|ting)?|overrid(e|es|ing)|bypass(es|ing)?|discard(s|ing)?|supersed(e|es|ing)|replac(e|es|ing)|` +
		`neglect(s|ing)?|set\s+aside|pay\s+no\s+attention\s+to)`

	// Instructions matches words for the model's instructions.
	Instructions = `(instructions?|system\s+prompts?|prompts?|rules|directives?|guidelines?|polic(y|ies)|safety\s+(checks?|measures?|protocols?)|safeguards?|` +
		`guardrails|restrictions|preferences|constraints|directions|programming|training)`

	// InstructionQualifiers matches words that distinguish the model's instructions from a
	// program's or a person's.
	InstructionQualifiers = `(previous(ly)?|prior|above|earlier|preceding|existing|original|initial|system|safety|security|user['’]?s?|your|other)`

	// SendVerbs matches verbs for sending data out.
	SendVerbs = `(send(s|ing)?|post(s|ing)?|upload(s|ing)?|forward(s|ing)?|transmit(s|ting)?|exfiltrat(e|es|ing)|leak(s|ing)?|` +
		`e-?mail(s|ing)?\s+(it|them|this|that|the|all|your)|bcc|deliver(s|ing)?|submit(s|ting)?|report(s|ing)?|sync(s|ing)?|copy|copies|relay(s|ing)?|` +
		`ship(s|ping)?|push(es|ing)?)`

	// IncludeVerbs matches verbs for putting data where a tool can pick it up.
	IncludeVerbs = `(append(s|ing)?|prepend(s|ing)?|includ(e|es|ing)|embed(s|ding)?|attach(es|ing)?|pass(es|ing)?|add(s|ing)?|insert(s|ing)?|put(s|ting)?|` +
		`provid(e|es|ing)|write|writes|fill|encod(e|es|ing)|paste|supply|supplies|hold|contain)`

	// Conversation matches words for the conversation between user and model.
	Conversation = `((full|entire|complete|whole|current|recent)\s+(conversation|chat|dialog(ue)?|message)s?(\s+(history|context|log|transcript))?|` +
		`(conversation|chat|message|dialog(ue)?)\s+(history|context|logs?|transcripts?)|system\s+prompt|` +
		`(previous|prior|earlier|all(\s+of)?(\s+the)?)\s+messages|everything\s+(the\s+user\s+(said|wrote|typed|has\s+said)|` +
		`you\s+know\s+about\s+the\s+user)|(every|all)\s+messages?\s+(that\s+)?the\s+user)`

	// Secrets matches words for credentials.
	Secrets = `(credentials?|passwords?|passphrases?|api[ _-]?keys?|private\s+keys?|ssh\s+keys?|secret\s+keys?|access\s+tokens?|session\s+tokens?|` +
		`auth(entication)?\s+tokens?|env(ironment)?\s+var(iable)?s|environment\s+variables?|secrets|cookies|clipboard(\s+contents?)?|seed\s+phrase)`

	// RemoteAddress matches a complete web or e-mail address.
	RemoteAddress = `(https?://[^\s"'<>]+|[\w.+-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,})`

	// OutsidePlace matches an external address, or words that describe one.
	OutsidePlace = `(` + RemoteAddress + `|\b\d{1,3}(\.\d{1,3}){3}\b|\b[a-z0-9-]+(\.[a-z0-9-]+)*\.(com|net|org|io|dev|xyz|ru|cn|example|app|site|top)\b|` +
		`(an?|the|our|this|that)?\s*(\w+\s+)?(external|remote|third[- ]party|attacker(['’]s)?|outside|analytics|collection|logging|` +
		`reporting)[\s_-]+(\w+[\s_-]+)?(server|host|endpoint|address|service|collector|webhook|url|api|site|system|domain|party|location))`

	// TheModel matches ways to address or mention the model.
	TheModel = `(the\s+)?(ai(\s+(assistant|agent|model|system))?|assistant|llm|language\s+model|model|agent|chatbot|gpt|claude|you)`
)

// AnyAI matches words for AI programs.
const AnyAI = `(ais?|llms?|a\.i\.|(large\s+)?language[ -]models?|models?|assistants?|agents?|chatbots?|copilots?|bots?|robots|claude|chatgpt|gpt|gemini|` +
	`text\s+generators?|automated\s+(readers?|systems?|tools?|reviewers?|analysts?|assistants?|graders?|operators?|contributors?)|` +
	`(ai|llm)\s+((code\s+)?reviews?|(code\s+)?reviewers?|systems?|tools?|readers?|helpers?|graders?|note\s+takers?|operators?|contributors?)|` +
	`(digital|inbox|mail|ai)\s+helpers?|(screening|reading|grading|review)\s+software|machines\s+that|(plagiarism|grammar|fact)\s+checker|` +
	`readers\s+that\s+are\s+not\s+human)`

// ThisDocument matches nouns with which data refers to itself, such as page in "this page".
const ThisDocument = `(page|website|site|e?-?mail|inbox|mailbox|message|thread|channel|ticket|issue|request|case|file|folder|document|text|article|post|profile|` +
	`entry|event|invit(e|ation)|lead|record|row|table|log|report|reviews?|r[eé]sum[eé]|cv|manuscript|paper|study|notes?|comment|diff|repo(sitory)?|` +
	`code|function|readme|bill|invoice|order|reading|rate|listing|section|paragraph|sentence|list|calendar|dates?|image|picture|transcript|contract|` +
	`description|article|feed|snippet|account|queue)s?`
