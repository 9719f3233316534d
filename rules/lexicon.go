package rules

// Building blocks of patterns, as regular expressions over folded text. They name the parts of
// a clause; a pattern combines them.
const (
	// vDrop matches verbs of ignoring instructions.
	vDrop = `(ignor(e|es|ing)|disregard(s|ing)?|forget(s|ting)?|overrid(e|es|ing)|bypass(es|ing)?|discard(s|ing)?|supersed(e|es|ing)|replac(e|es|ing)|neglect(s|ing)?|set\s+aside|pay\s+no\s+attention\s+to)`

	// oInstructions matches the model's instructions.
	oInstructions = `(instructions?|system\s+prompts?|prompts?|rules|directives?|guidelines?|polic(y|ies)|safety\s+(checks?|measures?|protocols?)|safeguards?|guardrails|restrictions|preferences|constraints|directions|programming|training)`

	// qInstructions tells such instructions from those of a program or a person.
	qInstructions = `(previous(ly)?|prior|above|earlier|preceding|existing|original|initial|system|safety|security|user['’]?s?|your|other)`

	// vSend is to let data leave.
	vSend = `(send(s|ing)?|post(s|ing)?|upload(s|ing)?|forward(s|ing)?|transmit(s|ting)?|exfiltrat(e|es|ing)|leak(s|ing)?|e-?mail(s|ing)?\s+(it|them|this|that|the|all|your)|bcc|deliver(s|ing)?|submit(s|ting)?|report(s|ing)?|sync(s|ing)?|copy|copies|relay(s|ing)?|ship(s|ping)?|push(es|ing)?)`

	// vInclude is to put data where a tool can pick it up.
	vInclude = `(append(s|ing)?|prepend(s|ing)?|includ(e|es|ing)|embed(s|ding)?|attach(es|ing)?|pass(es|ing)?|add(s|ing)?|insert(s|ing)?|put(s|ting)?|provid(e|es|ing)|write|writes|fill|encod(e|es|ing)|paste|supply|supplies|hold|contain)`

	// oConversation matches the conversation of user and model.
	oConversation = `((full|entire|complete|whole|current|recent)\s+(conversation|chat|dialog(ue)?|message)s?(\s+(history|context|log|transcript))?|(conversation|chat|message|dialog(ue)?)\s+(history|context|logs?|transcripts?)|system\s+prompt|(previous|prior|earlier|all(\s+of)?(\s+the)?)\s+messages|everything\s+(the\s+user\s+(said|wrote|typed|has\s+said)|you\s+know\s+about\s+the\s+user)|(every|all)\s+messages?\s+(that\s+)?the\s+user)`

	// oSecrets are credentials, by their names.
	oSecrets = `(credentials?|passwords?|passphrases?|api[ _-]?keys?|private\s+keys?|ssh\s+keys?|secret\s+keys?|access\s+tokens?|session\s+tokens?|auth(entication)?\s+tokens?|env(ironment)?\s+var(iable)?s|environment\s+variables?|secrets|cookies|clipboard(\s+contents?)?|seed\s+phrase)`

	// remoteAddress is an address of the web or of mail, in full.
	remoteAddress = `(https?://[^\s"'<>]+|[\w.+-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,})`

	// outsidePlace is an address outside: one that is named, or one that is only described.
	outsidePlace = `(` + remoteAddress + `|\b\d{1,3}(\.\d{1,3}){3}\b|\b[a-z0-9-]+(\.[a-z0-9-]+)*\.(com|net|org|io|dev|xyz|ru|cn|example|app|site|top)\b|(an?|the|our|this|that)?\s*(\w+\s+)?(external|remote|third[- ]party|attacker(['’]s)?|outside|analytics|collection|logging|reporting)[\s_-]+(\w+[\s_-]+)?(server|host|endpoint|address|service|collector|webhook|url|api|site|system|domain|party|location))`

	// theModel matches how a text addresses or mentions the model.
	theModel = `(the\s+)?(ai(\s+(assistant|agent|model|system))?|assistant|llm|language\s+model|model|agent|chatbot|gpt|claude|you)`
)
