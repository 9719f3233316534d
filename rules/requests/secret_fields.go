package requests

import "github.com/mcpscan/mcpscan/internal/lazyregexp"

// secretFields are the secrets that a form can ask for. Each has expressions for a field's name,
// for an English sentence, and for words in other languages. A secret that may be a number is
// marked as numeric.
var secretFields = [...]struct {
	kind                      string
	name, sentence, elsewhere *lazyregexp.Regexp
	numeric                   bool
}{
	{
		kind:     "a password",
		name:     lazyregexp.New(`\b(pass ?(word|phrase|wd|code)|pwd)( value| confirmation| again| confirm)?$|^(confirm|repeat|new|old|current) pass ?word$`),
		sentence: askingFor(`pass(?:word|phrase|code)s?`),
		elsewhere: inTongues(`contrase(?:ñ|n)as?|clave (?:de acceso|secreta)|senhas?|palavra-passe|mots? de passe|passw(?:o|ö)rt(?:er)?|kennwort|wachtwoord|has(?:ł|l)o|`+
			`lösenord|adgangskode|passord|salasana|jelszó|heslo|şifreniz\pL*|şifre|mật khẩu|kata sandi`,
			`пароль|пароля|κωδικ(?:ό|ο)ς πρ(?:ό|ο)σβασης|סיסמ[הא]|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน|密码|密碼|口令|パスワード|비밀번호`),
	},
	{
		kind: "a key or token",
		name: lazyregexp.New(`\b(api ?(key|token|secret)s?|apikey|(access|auth|oauth|bearer|refresh|session|bot|personal access|github|gitlab|slack|jwt|` +
			`security) ?token|(client|app|webhook|shared|consumer) secret|secret( access)? key|(private|ssh|wallet|signing|access|` +
			`encryption) key|secret|credentials?)( value| pem)?$|^(pat|bearer|jwt)$`),
		sentence: askingFor(`(?:api|secret|access|private|ssh)[ -]keys?|(?:access|auth|api|bearer|refresh|session|personal access) tokens?|credentials|client secret|` +
			`(?:github|gitlab|slack|discord|telegram|notion|jira|npm|hugging face|cloud|account|login|bot|your|auth\w*) token`),
		elsewhere: inTongues(`(?:clave|chave)s? (?:de )?(?:la )?api|clave (?:privada|secreta)|chave (?:privada|secreta)|`+
			`cl(?:é|e) (?:d['’]?)?(?:api|priv(?:é|e)e|secr(?:è|e)te)|(?:api|zugangs|zugriffs)-?schl(?:ü|u)ssel|chiave (?:api|privata|segreta)|api-sleutel|`+
			`klucz api|tokens? d[ei] (?:acceso|acesso|accesso)|jetons? d['’]acc(?:è|e)s|(?:zugriffs|zugangs)token|api anahtar\pL*`,
			`(?:api[- ]?|секретный |закрытый )ключ|ключ api|токен(?: доступа)?|密钥|密鑰|私钥|访问令牌|令牌|apiキー|api キー|`+
				`アクセストークン|秘密鍵|api ?키|액세스 ?토큰|مفتاح api`),
	},
	{
		kind:     "card details",
		name:     lazyregexp.New(`\b((credit|debit|payment|bank) card( number| no| details)?|card security code|cvv2?|cvc2?|card verification (code|value))$|^(card|cc) (number|no|num)$|^(cc|pan)$`),
		sentence: askingFor(`(?:(?:credit|debit|payment|bank) )?card(?: number| details)|(?:\d+|three|four|sixteen|last|long|all)[- ]digits (?:\w+ ){1,8}card|credit card|cvv2?|cvc`),
		numeric:  true,
		elsewhere: inTongues(`n(?:ú|u)mero de (?:la |su |tu )?tarjeta|tarjeta de cr(?:é|e)dito|n(?:ú|u)mero do (?:seu )?cart(?:ã|a)o|cart(?:ã|a)o de cr(?:é|e)dito|`+
			`num(?:é|e)ro de (?:la |votre )?carte|carte (?:bancaire|bleue|de cr(?:é|e)dit)|kreditkarten?(?:nummer)?|numero (?:della )?(?:tua )?carta|`+
			`carta di credito|creditcard(?:nummer)?|numer karty|kart numaran?\pL*`,
			`номер (?:\pL+ )?карты|信用卡|银行卡|卡号|クレジットカード|カード番号|카드 ?번호|신용카드|رقم البطاقة`),
	},
	{
		kind: "a one-time code or PIN",
		name: lazyregexp.New(`\b(otp|totp|2fa|mfa|tan)( code| token| value)?$|` +
			`\b(one time|verification|security|authentication|authenticator|auth|sms|2fa|mfa|two factor) (code|pin|pass ?(word|code))$|\bpin( code| number)?$`),
		sentence: askingFor(`(?:one[- ]time|verification|security|authenticat(?:ion|or)|sms|2fa|mfa|otp|two[- ]factor) (?:code|pin|password|passcode)|otp|` +
			`(?:your|card|sim|bank) pin|pin (?:code|number)|` +
			// A code that is identified only by how the user gets it, as in "the code we texted
			// you".
			`(?:the|your|a|digit) code,? (?:(?:that |which )?(?:we|was|is|has|have|were)? ?(?:just |been )*(?:sent|texted|e-?mailed) (?:(?:to|by|via) )?(?:you\b|your|sms|text|e-?mail)|` +
			`(?:you (?:just )?(?:got|received|get)|shown|displayed)? ?(?:from|in|on|by|via) (?:your (?:phone|sms|text message|e-?mail|banking app)|(?:your|the) authenticator))`),
		numeric: true,
		elsewhere: inTongues(`c(?:ó|o)digo de (?:un solo uso|verificaci(?:ó|o)n|seguridad|verifica(?:ç|c)(?:ã|a)o|seguran(?:ç|c)a)|`+
			`code de (?:v(?:é|e)rification|s(?:é|e)curit(?:é|e)|confirmation)|(?:best(?:ä|a)tigungs|sicherheits|verifizierungs|einmal)-?code|einmalpasswort|`+
			`codice di (?:verifica|sicurezza)|verificatiecode|kod weryfikacyjny|do(?:ğ|g)rulama kod\pL*`,
			`код (?:подтверждения|безопасности|из смс|из sms)|验证码|驗證碼|动态码|認証コード|確認コード|暗証番号|인증 ?(?:번호|코드)|رمز التحقق`),
	},
	{
		kind:     "a personal secret",
		name:     lazyregexp.New(`\b((seed|recovery|backup|mnemonic|secret) (phrase|words)|mnemonic|ssn|social security( number| no)?|(bank|atm|sim) pin|session cookies?)$`),
		sentence: askingFor(`(?:seed|recovery|mnemonic) (?:phrase|words)|social security number|ssn`),
		numeric:  true,
		elsewhere: inTongues(`frase (?:semilla|de recuperaci(?:ó|o)n|de recupera(?:ç|c)(?:ã|a)o)|phrase de r(?:é|e)cup(?:é|e)ration|wiederherstellungsphrase`,
			`助记词|助記詞|シードフレーズ|リカバリーフレーズ|니모닉|мнемоническ\pL+ фраз\pL*|сид-фраз\pL*`),
	},
}

// askingFor returns an expression for a sentence that begins with the given words or asks for what
// they name.
func askingFor(what string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?:\b(?:enter|re-enter|provide|type(?: in)?|paste|give(?: me| us)?|supply|input|share|confirm|submit|fill in|need|requires?|what is|` +
		`what['’]s|tell (?:me|us)|send(?: me| us)?|sign in with|` +
		`log ?in with)\b[^.\n?!;:]{0,40}?\b|^\W*(?:(?:your|the user['’]?s|the) )?(?:(?:\w+['’]?s?|account|login|current) ){0,2}?)(` + what + `)\b`)
}

// inTongues returns an expression for words in other languages. Words in the Latin script match as
// whole words, and words in other scripts match anywhere in the text.
func inTongues(latin, others string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?:^|\PL)(?:` + latin + `)(?:\PL|$)|(?:` + others + `)`)
}

var (
	// besideSecret matches text that follows a word such as "password" or "token" and makes it
	// part of another name, as in "password policy".
	besideSecret = lazyregexp.New(`^[\s-]*(?:polic|polit|length|strength|reset|manager|names?\b|ids?\b|identifiers?\b|labels?\b|hints?\b|files?\b|paths?\b|variables?\b|` +
		`rotation|expir|fields?\b|types?\b|protected|format|counts?\b|limits?\b|budget|is (?:not|never)|will (?:not|never|be asked)|(?:are|is) set|` +
		`address|contract|symbol|standard|supply|price|generator|rules?\b|requirements?\b)`)
	// otherField matches descriptions of fields that are named like a secret but mean something else: an
	// Indian postal code (PIN), a library card, a Kanban card, a crypto token.
	otherField = lazyregexp.New(`\b(?:postal|zip|address|district|library|loyalty|membership|gift|trello|kanban|symbol|coin|ticker|erc-?\d+|currency|swap)\b`)
	// deniedAhead matches text before a word for a secret that negates the request, or makes
	// the secret only the field's topic.
	deniedAhead = lazyregexp.New(`\b(?:never|not|don['’]t|no|without|instead of|rather than|name of|path (?:to|of)|id of|label (?:for|of)|location of|` +
		`(?:variable|file)s? (?:with|that|which|where|holding|containing)|number of|kind of|type of|length of|forgot\w*|reset|whether|title of|` +
		`description of|nunca|jamais|pas|nicht|kein\w*|niet|geen|nie|(?:nombre|nome|nom) d\w+|olvid\w+|oubli\w+|vergessen)\b|` +
		`(?:^|\PL)(?:не|нет|никогда|забыл\pL*)(?:\PL|$)|不要|请勿|勿|忘记|忘れ`)
	// deniedBehind matches a negation or the word "policy" after a word for a secret, in languages
	// where it follows the noun.
	deniedBehind = lazyregexp.New(`^.{0,30}(?:しないで|不要です|ません|하지 ?마|策略|政策|ポリシー)`)
)
