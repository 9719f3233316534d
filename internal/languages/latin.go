package languages

// latinLanguages lists the languages in Latin script.
var latinLanguages = []Language{
	{
		Name:    "Spanish",
		drop:    "ignora. ignore. ignorad. ignorar. ignoren. olvida. olvide. olvidad. olvídate. descarta. descarte. desatiende. desobedece. haz_caso_omiso. haga_caso_omiso. no_sigas. no_siga.",
		earlier: "anterior previas. previos. precedent tus. sus. iniciales. originales. del_sistema.",
		told:    "instruccion regla indicaci órden directri pauta",
		all:     `tod[ao]s (las |tus |sus )?(instrucciones|indicaciones|órdenes)`,
		User:    "usuario usuaria",
		hide: `(no|nunca|jamás|sin) (\pL+ ){0,3}?(digas?|decir\pL*|menciones?|mencionar\pL*|reveles?|revelar\pL*|informes?|informar\pL*|cuentes?|contar\pL*|` +
			`avises?|avisar\pL*|notifiques?|notificar\pL*|comuniques?|comunicar\pL*|(muestres?|mostrar) (esto|eso|nada)) (\pL+ ){0,5}?(al|a la|el|la) USER|` +
			`ocult\pL* (esto |eso )?(al|a la) USER|que (el|la) USER no (se entere|lo sepa|lo note|se dé cuenta)`,
		before:      `antes de (\pL+ ){0,3}?(cualquier|toda|todas|ninguna|otra|otras|las demás) (otra |otras |las )?(herramientas?|tools?)`,
		beforeWords: "antes_de",
		call: `(llam\pL*|us\pL+|utili\pL+|invo\pL+|ejecut\pL+) (\pL+ ){0,2}?est[ae]( (herramienta|función|tool))?|` +
			`(debe|tiene que|hay que) (\pL+ )?(llamar|usar|utilizar|invocar|ejecutar|ser llamada|ser usada|ser invocada)`,
		Send:    "envía. envíe. enviar. envíalo. manda_ mande_ reenvía. reenvíe. sube_ transmite. publica_ remite.",
		Theirs:  "conversaci contraseña credencial las_clave historial mensajes_del_usuario todos_los_mensajes variables_de_entorno contenido_de prompt_del_sistema",
		Read:    "lee. lea. leer. abre. abra. copia. copie. muestra. muestre.",
		Denies:  `no nunca jamás`,
		Reports: `detecta\pL* rechaza\pL* bloquea\pL* evita\pL* impide\pL* como`,
	},
	{
		Name: "French",
		drop: "ignore. ignores. ignorez. ignorer. oublie. oubliez. oublier. ne_tenez_pas_compte. " +
			"ne_tiens_pas_compte. ne_tenez_plus_compte. ne_tiens_plus_compte. faites_abstraction. " +
			"fais_abstraction. négligez.",
		earlier: "précédent précédente précédentes. antérieur ci-dessus. initiales. tes. vos. du_système.",
		told:    "instructions. consigne règles. directives. indications.",
		all:     `toutes (les |tes |vos )?(instructions|consignes)`,
		User:    "utilisateur utilisatrice",
		hide: `\bn['’e] ?(\pL+ ){0,2}?(dis|dites|informe\pL*|mentionne\pL*|révèle\pL*|révéle\pL*|parle\pL*|préviens|prévenez|` +
			`montre\pL* (pas|rien|jamais) (cela|ceci|ça)|montre\pL* rien)( \pL+){0,4}? (à )?(l['’])?USER|` +
			`\bne (pas|rien|jamais) (l[ae]s? |en |lui )?(dire|mentionner|révéler|informer|prévenir|avertir) (\pL+ ){0,4}?(à )?(l['’])?USER|` +
			`sans (en |l['’]en )?(informer|prévenir|avertir|dire|parler|parler à|le dire à) (\pL+ ){0,2}?(à )?(l['’])?USER|` +
			`cache\pL* (cela |ceci |ça )?(à )?(l['’])?USER`,
		before: `avant (d['’ ]|de |tout |toute )(\pL+ ){0,2}?(tout|toute|tous|toutes|n['’]importe quel|n['’]importe quels|autres?|les autres|un autre|` +
			`aucun autre)? ?(les )?(autres? )?(outils?|appels? d['’]outil)`,
		beforeWords: "avant",
		call: `(appel\pL*|utilis\pL*|invoqu\pL*|exécut\pL*|lanc\pL*) (\pL+ ){0,3}?(cet outil|celui-ci|cette fonction)|` +
			`(cet outil|celui-ci|il) doit (\pL+ )?être (\pL+ )?(appelé|utilisé|exécuté|invoqué)`,
		Send:    "envoie. envoies. envoyez. envoyer. transmets. transmettez. transférez. transfère. téléversez. publiez.",
		Theirs:  "la_conversation cette_conversation mot_de_passe mots_de_passe identifiants les_clés historique variables_d'environnement contenu_du contenu_de messages_de_l'utilisateur",
		Read:    "lis. lisez. lire. ouvre. ouvrez. copiez. affichez.",
		Denies:  `jamais pas sans ne n`,
		Reports: `détecte\pL* refuse\pL* rejette\pL* bloque\pL* évite\pL* empêche\pL* comme`,
	},
	{
		Name:    "Portuguese",
		drop:    "ignore. ignora. ignorem. ignorar. esqueça. esqueçam. esquece. desconsidere. desconsiderar. descarte. desobedeça. não_siga.",
		earlier: "anterior prévias. prévios. precedentes. suas. seus. tuas. iniciais. originais. do_sistema.",
		told:    "instruções. instrução. regra orientaç ordens. diretri indicaç",
		all:     `tod[ao]s (as |os |suas |tuas )?(instruções|orientações|ordens)`,
		User:    "usuári utilizador",
		hide: `(não|nunca|jamais|sem) (\pL+ ){0,3}?(digas?|dizer|conte|contar|mencione|mencionar|revele|revelar|informe|informar|avise|avisar|notifique|` +
			`notificar|comunique|comunicar|(mostre|mostrar) (isto|isso|nada)) (\pL+ ){0,5}?(ao|à|o|a) USER|` +
			`(esconda|oculte) (isto |isso )?(do|da|ao) USER|que o USER não (saiba|perceba|note)`,
		before:      `antes de (\pL+ ){0,3}?(qualquer|todas|toda|nenhuma|outra|outras|as demais) (outra |outras |as )?(ferramentas?|tools?)`,
		beforeWords: "antes_de",
		call:        `(cham\pL*|us\pL+|utiliz\pL+|invo\pL+|execut\pL+) (\pL+ ){0,2}?est[ae]( (ferramenta|função))?|(deve|tem de|tem que) (\pL+ )?(ser )?(chamad|usad|utilizad|invocad|executad)\pL*`,
		Send:        "envie. envia. enviar. mande_ encaminhe. transmita. publique. remeta.",
		Theirs:      "a_conversa senhas. credenciais as_chaves histórico variáveis_de_ambiente conteúdo_d mensagens_do_usuário palavra-passe palavras-passe",
		Read:        "leia. ler. abra. abre. copia. copie. mostre.",
		Denies:      `não nunca jamais`,
		Reports:     `detecta\pL* rejeita\pL* bloqueia\pL* evita\pL* impede\pL* como`,
	},
	{
		Name:    "German",
		drop:    "ignorier vergiss. vergesst. vergessen_sie. missacht verwirf. verwerfen_sie. übergehe.",
		earlier: "vorherig bisherig obig früher vorig vorangegangen deine ihre. vorstehend",
		told:    "anweisung instruktion vorgabe regel befehl",
		all:     `alle[nrs]? (\pL+ )?(anweisungen|instruktionen|vorgaben)`,
		User:    "benutzer nutzer anwender",
		hide: `\b(sage?|sagen sie|verrate?|verraten sie|erwähne?|erwähnen sie|informiere?|informieren sie|erzähle?|erzählen sie|teile?|teilen sie|melde|` +
			`melden sie) (\pL+ ){0,4}?USER (\pL+ ){0,3}?nichts?\b|` +
			`\bUSER (\pL+ ){0,4}?nichts? (\pL+ ){0,3}?(sagen|mitteilen|verraten|informieren|erwähnen|erzählen|melden|davon)\b|` +
			`\bohne (\pL+ ){0,2}?USER (\pL+ ){0,2}?(zu informieren|zu sagen|zu verraten|davon)|` +
			`\b(erwähn\pL*|verrat\pL*|sag\pL*) (es|das|dies|davon) (\pL+ ){0,2}?(nicht|niemals|nie) (gegenüber )?(\pL+ )?USER|` +
			`\bUSER darf (\pL+ ){0,2}?(nichts|nicht) (\pL+ ){0,2}?(erfahren|wissen|sehen|merken)|\bverschweig\pL* (\pL+ ){0,3}?USER`,
		before:      `\b(bevor (du |sie |man )?|vor )(\pL+ ){0,3}?(jede\pL*|alle\pL*|irgendein\pL*|ein anderes|andere\pL*) (\pL+ ){0,2}?(werkzeug\pL*|tools?|tool-?aufruf\pL*)`,
		beforeWords: "bevor vor_jede vor_alle vor_irgend vor_ander",
		call: `(ruf\pL*|nutz\pL*|benutz\pL*|verwend\pL*|starte\pL*) (\pL+ ){0,3}?(dieses|dieser|diese)( (werkzeug|tool|funktion))?|` +
			`(dieses (werkzeug|tool)|es) (muss|soll)\b|(dieses (werkzeug|tool)|es) (\pL+ ){0,3}?(aufgerufen|benutzt|verwendet|ausgeführt) (werden|sein)|` +
			`\bmuss (\pL+ ){0,3}?(aufgerufen|benutzt|verwendet|ausgeführt) werden`,
		Send:    "sende_ schicke. schick. senden_sie. schicken_sie. übermittle. übermitteln_sie. leite_alles. leiten_sie. lade_alles.",
		Theirs:  "gespräch unterhaltung chatverlauf passwort passwör zugangsdaten schlüssel umgebungsvariablen inhalt_de nachrichten_des verlauf",
		Read:    "lies_danach. lies_dann. lies_zuerst. lies_bitte. lies_die. lies_den. lies_das. lies_auch. lies_zusätzlich. und_lies. lesen_sie. öffne. öffnen_sie. kopiere.",
		Denies:  `nie niemals nicht nichts kein\pL*`,
		Reports: `erkennt erkenn\pL* blockiert lehnt verhindert verweigert wie`,
	},
	{
		Name:    "Italian",
		drop:    "ignora. ignori. ignorate. ignorare. dimentica. dimentichi. dimenticate. trascura. trascurate. scarta. non_seguire.",
		earlier: "precedenti. precedente. tue. vostre. iniziali. originali. del_sistema.",
		told:    "istruzion regole. direttiv indicazion ordini.",
		all:     `tutte (le |tue )?(istruzioni|indicazioni)`,
		User:    "utente",
		hide: `(non|mai|senza) (\pL+ ){0,2}?(dire|dirlo|dica|menzionar\pL*|rivel\pL*|informare|informi|avvisar\pL*|comunicar\pL*|parlarne|` +
			`(mostrar\pL*|mostri) (questo|nulla|niente)) (\pL+ ){0,4}?(all['’]|l['’])USER|` +
			`nascond\pL* (questo |ciò )?all['’]USER|che l['’]USER non (lo )?(sappia|venga a sapere|se ne accorga)`,
		before:      `prima di (\pL+ ){0,3}?(qualsiasi|ogni|tutti|qualunque|altri|un altro|gli altri) (altro |altri |gli )?(strument[oi]|tool)`,
		beforeWords: "prima_di",
		call:        `(chiam\pL*|us\pL+|utilizz\pL*|invoc\pL*|esegu\pL*) (\pL+ ){0,2}?quest[oa]( (strumento|funzione))?|(deve|va) (\pL+ )?(essere )?(chiamat|usat|utilizzat|invocat|eseguit)\pL*`,
		Send:        "invia. invii. inviare. inoltra. inoltri. trasmetti. trasmetta. spedisci. pubblica.",
		Theirs:      "la_conversazion conversazion le_password credenzial le_chiavi cronologi variabili_d'ambiente contenuto_de messaggi_dell",
		Read:        "leggi. legga. leggere. apri. apra. copia. mostra.",
		Denies:      `non mai senza`,
		Reports:     `rileva\pL* rifiuta\pL* blocca\pL* evita\pL* impedisce come`,
	},
	{
		Name:    "Indonesian",
		drop:    "abaikan. lupakan. kesampingkan. mengabaikan. jangan_ikuti.",
		earlier: "sebelumnya. terdahulu. di_atas. awal. sistem. tadi.",
		told:    "instruksi perintah petunjuk aturan arahan",
		all:     `(semua|seluruh) (instruksi|perintah|petunjuk|arahan)`,
		User:    "pengguna",
		hide: `(jangan|tanpa|tidak perlu|tidak boleh) (\pL+ ){0,2}?(beri ?tahu\pL*|memberi ?tahu\pL*|katakan|mengatakan|sebutkan|menyebutkan|ungkapkan|` +
			`mengungkapkan|laporkan|informasikan|(tunjukkan|perlihatkan) (ini|hal ini)) (\pL+ ){0,5}?USER|` +
			`(sembunyikan|rahasiakan) (\pL+ ){0,3}?dari USER`,
		before:      `sebelum (\pL+ ){0,3}?(alat|tool|perkakas) (\pL+ ){0,2}?(lain\pL*|apa ?pun|mana ?pun)|sebelum (\pL+ ){0,2}?(semua|setiap|segala) (alat|tool)`,
		beforeWords: "sebelum",
		call:        `(panggil\pL*|memanggil|gunakan|menggunakan|pakai|jalankan) (\pL+ ){0,3}?(alat|tool|perkakas|fungsi) ini|(harus|wajib) (\pL+ )?(dipanggil|digunakan|dijalankan)`,
		Send:        "kirim. kirimkan. unggah. teruskan. mengirim.",
		Theirs:      "percakapan kata_sandi kredensial kunci riwayat isi_berkas isi_file pesan_pengguna variabel_lingkungan",
		Read:        "baca. bacalah. buka. bukalah. salin.",
		Denies:      `jangan tidak pernah`,
		Reports:     `mendeteksi menolak memblokir mencegah seperti`,
	},
	{
		Name:     "Turkish",
		drop:     "yok_say. yok_sayın. görmezden_gel. görmezden_gelin. göz_ardı_et. göz_ardı_edin. unut. unutun. dikkate_alma. dikkate_almayın.",
		earlier:  "önceki daha_önceki yukarıdaki verilen mevcut eski sistem",
		told:     "talimat komut yönerge kural direktif",
		dropLast: true,
		all:      `(tüm|bütün) (talimatları|komutları|yönergeleri)`,
		User:     "kullanıcı",
		hide: `USER (\pL+ ){0,5}?(söyleme(yin)?|bahsetme(yin)?|bildirme(yin)?|haber verme(yin)?|bilgi verme(yin)?|açıklama(yın)|anlatma(yın)?|` +
			`belli etme(yin)?)\b|` +
			`USER (\pL+ ){0,3}?(gizle(yin)?|sakla(yın)?|haberi olmadan|haberi olmasın|söylemeden|bildirmeden)\b|` +
			`\b(bunu|bundan) (\pL+ ){0,2}?USER (\pL+ )?(gösterme(yin)?|söyleme(yin)?)\b`,
		before:      `(herhangi bir|diğer|başka|her|tüm|bütün) (\pL+ ){0,3}?(araç\pL*|arac\pL*) (\pL+ ){0,3}?önce`,
		beforeWords: "aracı araçları araçlar araçtan",
		call:        `bu (araç|aracı|işlevi|fonksiyonu) (\pL+ ){0,3}?(çağır\pL*|kullan\pL*|çalıştır\pL*)`,
		Send:        "gönder. gönderin. yükle. yükleyin. ilet_ iletin_ paylaş. paylaşın.",
		Theirs:      "konuşma sohbet parola şifre kimlik_bilgi anahtar geçmiş ortam_değişken dosyanın_içeri",
		Read:        "oku. okuyun. açın. kopyala. kopyalayın.",
		Denies:      `asla hiçbir`,
		Reports:     `tespit algılar reddeder engeller gibi`,
	},
	{
		Name:    "Vietnamese",
		drop:    "bỏ_qua. phớt_lờ. quên_đi. quên_hết. hãy_quên. đừng_làm_theo.",
		earlier: "trước phía_trên ở_trên ban_đầu hệ_thống của_bạn",
		told:    "chỉ_dẫn hướng_dẫn chỉ_thị mệnh_lệnh quy_tắc",
		all:     `(tất cả|mọi|toàn bộ) (\pL+ )?(chỉ dẫn|hướng dẫn|chỉ thị|mệnh lệnh)`,
		User:    "người_dùng",
		hide: `(đừng|không được|chớ|mà không) (\pL+ ){0,2}?(nói|cho|kể|tiết lộ|đề cập|thông báo|báo|` +
			`nhắc) (\pL+ ){0,5}?USER( biết)?|(giấu|giữ bí mật) (\pL+ ){0,4}?USER`,
		before:      `trước khi (\pL+ ){0,3}?(bất kỳ|bất cứ|mọi|tất cả|các) (\pL+ ){0,2}?công cụ`,
		beforeWords: "trước_khi",
		call:        `(gọi|sử dụng|dùng|chạy) (\pL+ ){0,2}?công cụ này`,
		Send:        "gửi_toàn. gửi_tất. gửi_cuộc. gửi_mật. gửi_nội. gửi_lịch. gửi_mọi. gửi_thông. tải_lên. chuyển_tiếp.",
		Theirs:      "cuộc_trò_chuyện hội_thoại mật_khẩu thông_tin_đăng_nhập lịch_sử biến_môi_trường nội_dung_tệp nội_dung_của_tệp",
		Read:        "đọc. mở_tệp. sao_chép.",
		Denies:      `không đừng chớ`,
		Reports:     `phát_hiện từ_chối chặn ngăn như`,
	},
}
