package rules

import (
	"regexp"

	"github.com/mcpscan/mcpscan/scanner"
)

var injOtherLanguage = scanner.Rule{
	ID:         "inj-other-language",
	Category:   "hidden_instructions",
	Title:      "Text gives the model an order in another language",
	Why:        "Models follow orders in every language that they know; reviewers and filters often know one.",
	Fix:        "Have the text translated before anybody approves it. Remove the server if it says what the finding shows.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The two orders that no honest text gives in any language: to drop the instructions that came before, and to keep something from the user. Chinese, Japanese, Korean, Arabic, Russian, German, French, Spanish, Portuguese and Italian.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns:   languages(),
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			from, _ := clause(p.Folded, m.Start, m.End)
			if quoted(p.Folded, m.Start, m.End) || denies.Match(p.Folded[from:m.Start]) || of.Match(p.Folded[m.End:]) {
				continue
			}
			severity := scanner.High
			if result(p) {
				severity = inData(p, m.Start, m.End, scanner.High)
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: []string{"an order to the model", "in another language"},
				Message: "the text tells the model to drop its instructions or to keep something from its user"})
		}
	},
}

// denies stands ahead of an order that is forbidden or reported.
var denies = regexp.MustCompile(`(\b(nie(mals)?|nicht|erkennt|jamais|detecte|nunca|nao|mai|rileva|detecta|non|no)\b|(^|[^\pL])(никогда|не)\s|обнаружива|切勿|不要|不得|检测|決して|検出|절대|탐지|لا|يكشف)[\s\p{L}:,"«„“]{0,40}$`)

// of stands behind instructions for something that is named, such as a journey or a form.
var of = regexp.MustCompile(`^\s+(zur|zum|fur\s+d\w+|bezuglich|du\s+(formulaire|manuel|document|guide)|del\s+(manual|formulario|documento)|do\s+(manual|formulario)|sul|sulla)\b`)

// language is how the order to drop instructions is put together in one
// language, in folded words (a syllable of Korean is folded to its letters): verb, qualifier and noun in either order, and how
// the order of secrecy is.
type language struct {
	name, verb, qualifier, noun, secrecy string
	anchors                              []string
}

func languages() []scanner.Pattern {
	var patterns []scanner.Pattern
	for _, l := range [...]language{
		{
			name: "german", verb: `(ignorier\w*|vergiss|vergessen\s+sie|missachte\w*)`,
			qualifier: `(alle[nrs]?|vorherig\w*|bisherig\w*|obig\w*|fruher\w*|vorig\w*|vorangegangen\w*|deine\w*|ihre\w*)`, noun: `(anweisung\w*|instruktion\w*|vorgaben|regeln|befehle\w*)`,
			secrecy: `\b(sag|sage|sagen\s+sie|verrat\w*|erwahn\w*|informier\w*|zeig\w*)\s+(\w+\s+){0,3}?(benutzer|nutzer|anwender)\w*\s+(\w+\s+){0,2}?nichts?\b|\b(benutzer|nutzer|anwender)\w*\s+(\w+\s+){0,3}?nichts?\s+(\w+\s+){0,2}?(sagen|mitteilen|verraten|zeigen|informieren|erwahnen)\b`,
			anchors: []string{"ignorier", "vergiss", "vergessen sie", "missachte", "benutzer", "nutzer", "anwender"},
		},
		{
			name: "french", verb: `(ignore[rz]?|oublie[rz]?|ne\s+tene?z?\s+(pas|plus)\s+compte\s+de|ne\s+tiens\s+(pas|plus)\s+compte\s+de)`,
			qualifier: `(precedent\w*|anterieur\w*|ci-dessus|initial\w*|toutes)`, noun: `(instructions|consignes|regles|directives)`,
			secrecy: `\bn['’e]\s*(\w+\s+){0,2}?(dis|dites|informe\w*|mentionne\w*|revele\w*|parle\w*|montre\w*)\s+(\w+\s+)?(pas|rien|jamais)\s+(\w+\s+){0,3}?(a\s+)?l['’]utilisateur|\bne\s+(pas|rien|jamais)\s+(le\s+|en\s+)?(dire|mentionner|reveler|informer|montrer)\s+(\w+\s+){0,3}?(a\s+)?l['’]utilisateur|\bsans\s+(en\s+)?(informer|prevenir|avertir)\s+l['’]utilisateur`,
			anchors: []string{"instructions", "consignes", "regles", "directives", "utilisateur"},
		},
		{
			name: "spanish", verb: `(ignora|ignore|ignorad|olvida|olvide|descarta|desatiende)`,
			qualifier: `(todas|anteriores|previas|tus|sus|iniciales)`, noun: `(instrucciones|reglas|indicaciones|ordenes|directrices)`,
			secrecy: `\b(no|nunca)\s+(\w+\s+){0,2}?(digas?|menciones?|reveles?|informes?|muestres?|cuentes?|avises?)\s+(\w+\s+){0,4}?(al|el)\s+usuario\b|\bsin\s+(informar|avisar|decir\w*)\s+(\w+\s+){0,2}?al\s+usuario\b`,
			anchors: []string{"instrucciones", "reglas", "indicaciones", "ordenes", "directrices", "usuario"},
		},
		{
			name: "portuguese", verb: `(ignore|ignora|ignorem|esqueca|esquece|desconsidere)`,
			qualifier: `(todas|anteriores|previas|suas|tuas|iniciais)`, noun: `(instrucoes|regras|orientacoes|ordens|diretrizes)`,
			secrecy: `\b(nao|nunca)\s+(\w+\s+){0,2}?(diga|mencione|revele|informe|mostre|conte|avise)\s+(\w+\s+){0,4}?(ao|o)\s+(usuario|utilizador)\b|\bsem\s+(informar|avisar|dizer)\s+(\w+\s+){0,2}?(ao?\s+)?(usuario|utilizador)\b`,
			anchors: []string{"instrucoes", "regras", "orientacoes", "ordens", "diretrizes", "usuario", "utilizador"},
		},
		{
			name: "italian", verb: `(ignora|ignorate|ignorare|dimentica|dimenticate|trascura)`,
			qualifier: `(tutte|precedenti|tue|vostre|iniziali)`, noun: `(istruzioni|regole|direttive|indicazioni)`,
			secrecy: `\bnon\s+(dire|dirlo|menzionar\w*|rivelar\w*|informare|mostrar\w*|avvisare)\s+(\w+\s+){0,4}?(all['’]|l['’])utente\b|\bsenza\s+(informare|avvisare|dirlo)\s+(\w+\s+)?(all['’]|l['’])utente\b`,
			anchors: []string{"istruzioni", "regole", "direttive", "indicazioni", "utente"},
		},
		{
			name: "russian", verb: `(про)?(игнорируи|забудь)(те)?`,
			qualifier: `(предыдущ\pL*|прежни\pL*|все|всех|свои|системн\pL*|ранн\pL*)`, noun: `(инструкци\pL*|указани\pL*|правил\pL*|команд\pL*)`,
			secrecy: `не\s+(говори|сообщаи|упоминаи|показываи|рассказываи|раскрываи)\pL*\s+(\pL+\s+){0,4}?пользовател`,
			anchors: []string{"игнорируи", "забудь", "пользовател"},
		},
		{
			name:    "chinese",
			secrecy: `(忽略|无视|忘记|忘掉|不要理会|不用管)[^。\n]{0,12}(之前|以上|先前|前面|所有|全部|上述|系统)[^。\n]{0,8}(指令|指示|命令|规则|提示词)|(不要|别|切勿|不得|请勿)[^。\n]{0,4}(告诉|告知|提及|透露)[^。\n]{0,6}(用户|使用者)|(不要|别|切勿|请勿)[^。\n]{0,4}向(用户|使用者)[^。\n]{0,4}(提及|透露|说明|展示|显示|提到)`,
			anchors: []string{"忽略", "无视", "忘记", "忘掉", "理会", "不用管", "用户", "使用者"},
		},
		{
			name:    "japanese",
			secrecy: `(以前|これまで|上記|前述|すべて|全て|今まで)[^。\n]{0,14}(指示|命令|ルール|プロンプト|指令)[^。\n]{0,9}(無視|忘れ|破棄)|(ユーザー|ユーザ|利用者|使用者)[^。\n]{0,12}(言わない|伝えない|知らせない|教えない|話さない|通知しない|報告しない|(言わ|伝え|知らせ|教え|話さ)ずに)`,
			anchors: []string{"無視", "忘れ", "破棄", "ない", "ずに"},
		},
		{
			name:    "korean",
			secrecy: `(이전|위의|앞선|모든|기존)[^.\n]{0,12}(지시|명령|지침|규칙|프롬프트)[^.\n]{0,8}(무시|잊|따르지)|(사용자|유저)[^.\n]{0,12}(말하지|알리지|언급하지|보여주지|전달하지|공개하지)`,
			anchors: []string{"무시", "잊", "따르지", "말하지", "알리지", "언급하지", "보여주지", "전달하지", "공개하지"},
		},
		{
			name:    "arabic",
			secrecy: `(تجاهل|انس|اهمل|أهمل)\s+(\S+\s+){0,2}?(التعليمات|ال[اأ]وامر|التوجيهات|القواعد)|لا\s+(تخبر|تذكر|تقل|تظهر|تكشف)\S*\s+(\S+\s+){0,3}?ل?ل?(المستخدم|مستخدم)`,
			anchors: []string{"تجاهل", "انس", "همل", "مستخدم"},
		},
	} {
		expr := l.secrecy
		if l.verb != "" {
			expr += `|` + l.verb + `\s+(\pL+\s+){0,3}?` + l.qualifier + `\s+(\pL+\s+){0,3}?` + l.noun + `|` + l.verb + `\s+(\pL+\s+){0,3}?` + l.noun + `\s+(\pL+\s+){0,2}?` + l.qualifier
		}
		patterns = append(patterns, scanner.Pattern{Name: l.name, Expr: expr, Anchors: l.anchors})
	}
	return patterns
}
