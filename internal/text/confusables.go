package text

// lookalikes lists, for each ASCII letter, the non-ASCII letters that a reader mistakes for it:
// lower-case letters and letters without case, followed by the capitals whose lower-case form looks
// like another letter or like none. Source: confusables.txt of UTS #39 (Unicode security mechanisms,
// https://www.unicode.org/reports/tr39/), reduced to single letters whose prototype is an ASCII
// letter and that NFKD leaves unchanged, without the right-to-left scripts, and extended with the
// lower-case forms of confusable capitals (such as U+043D for h). Capitals that look like I are
// listed under i, although their prototype in confusables.txt is l. Digits and symbols are not
// mapped.
var lookalikes = map[rune]string{
	'a': "\u0251\u03b1\u0430\u15c5\ua4ee\U000102a0\U00016f40" +
		"\u13aa",
	'b': "\u0432\u15af\u15f7\ua4d0\U00010282\U000102a1\U00010301" +
		"\u0184\u0392\u042c\u13cf\u13f4\ua7b4",
	'c': "\u0441\u1d04\u2ca5\ua4da\uabaf\U000102a2\U00010302\U0001043d\U0001051c" +
		"\u03f2\u03f9",
	'd': "\u0501\u146f\u15de\u15ea\ua4d2\ua4d3" +
		"\u13a0\u13e7",
	'e': "\u03b5\u0435\u04bd\u2d39\ua4f0\uab32\U00010286" +
		"\u13ac\U000118a6\U000118ae",
	'f': "\u0584\u15b4\u1e9d\ua4dd\ua799\uab35\U00010287\U000102a5\U00010525\U000118c2" +
		"\u03dc",
	'g': "\u018d\u0261\u0581\u1d83\ua4d6" +
		"\u050c\u13c0\u13f3",
	'h': "\u043d\u04bb\u0570\u157c\ua4e7\U000102cf" +
		"\u0397\u13bb\u13c2\u2c8e",
	'i': "\u0131\u0269\u026a\u03b9\u0456\ua647\uab75\U000118c3" +
		"\u2c92",
	'j': "\u03f3\u0458\u148d\ua4d9" +
		"\u13ab\ua7b2",
	'k': "\u03ba\u043a\u16d5\ua4d7\U00010518" +
		"\u13e6\u2c94",
	'l': "\u01c0\u04cf\u14aa\u16c1\u2d4f\ua4e1\ua4f2\U0001028a\U00010309\U00010526\U00016f16\U00016f28" +
		"\u13de\u2cd0\U0001041b\U000118b2",
	'm': "\u043c\u15f0\u16d6\ua4df\U000102b0\U00010311" +
		"\u039c\u03fa\u13b7\u2c98",
	'n': "\u03b7\u03c0\u0578\u057c\ua4e0\U00010513" +
		"\u039d\u2c9a",
	'o': "\u03bf\u03c3\u043e\u0585\u0b20\u0d20\u101d\u10ff\u12d0\u1d0f\u1d11\u2c9f\u2d54\ua4f3\uab3d\U00010292\U000102ab\U0001042c\U000104ea\U00010516\U000118c8\U000118d7" +
		"\U000118b5",
	'p': "\u03c1\u0440\u146d\u2ca3\ua4d1\U00010295" +
		"\u13e2",
	'q': "\u051b\u0563\u0566\u2d55",
	'r': "\u0433\u1587\u1d26\u2c85\ua4e3\uab47\uab48\uab81\U00016f35" +
		"\u01a6\u13a1\u13d2\U000104b4",
	's': "\u01bd\u0455\ua4e2\ua731\uabaa\U00010296\U00010448\U000118c1\U00016f3a" +
		"\u054f\u13d5",
	't': "\u03c4\u0442\ua4d4\U00010297\U000102b1\U00010315\U00016f0a" +
		"\u13a2\u2ca6\U000118bc",
	'u': "\u028b\u03c5\u057d\u1200\u144c\u1d1c\ua4f4\ua79f\uab4e\uab52\U000104f6\U000118d8\U00016f42",
	'v': "\u03bd\u0475\u142f\u1d20\u2d38\ua4e6\ua6df\uaba9\U0001051d\U00011706\U000118c0\U00016f08",
	'w': "\u026f\u03c9\u0461\u051d\u0561\u1d21\ua4ea\uab83\U0001170a\U0001170e\U0001170f" +
		"\u13d4",
	'x': "\u0445\u1541\u157d\u16b7\u2d5d\ua4eb\U00010290\U000102b4\U00010317\U00010527" +
		"\u03a7\u2cac\ua7b3",
	'y': "\u0263\u028f\u03b3\u0443\u04af\u10e7\u1d8c\u1eff\ua4ec\uab5a\U000102b2\U000118dc\U00016f43" +
		"\u03a5\u13a9\u13bd\u2ca8\U000118a4",
	'z': "\u1d22\ua4dc\uab93\U000118c4" +
		"\u0396\U000118a9",
}
