package reading

import (
	"bytes"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// name finds the senses of a word spelled like an identifier, which may name a credential file, a
// parameter of the tool, or a variable that contains a secret.
func (s *Sentence) name(t *Text, i, j int) {
	f := t.Folded[:s.End]
	w := f[i:j]
	if namesKeyFile(f, i, j) {
		s.set(KeyFile, i, j)
	}
	snake := bytes.IndexByte(w, '_') > 0
	quoted := i > 0 && j < len(f) && f[i-1] == f[j] && (f[j] == '`' || f[j] == '"')
	assigned := i > 0 && j < len(f) && f[j] == '=' && (f[i-1] == '(' || f[i-1] == ' ')
	if !snake && !quoted && !assigned {
		return
	}
	s.named = s.named || snake
	switch {
	case assigned, t.Parameter(string(w)), quoted && putInto.Match(f[max(s.Start, i-16):i]):
		s.set(Parameter, i, j)
	case snake && secretName.Match(w) && (i > 0 && f[i-1] == '$' || vendor.Match(w)):
		s.set(Secret, i, j)
	}
}

var (
	// putInto matches the text before a quoted name in phrases that put something
	// into it.
	putInto    = lazyregexp.New(`\b(in|into|as|to|under|via)\s(the\s|its\s)?["` + "`" + `]$`)
	secretName = lazyregexp.New(`_(key|token|secret|password)s?$`)
	vendor     = lazyregexp.New(`^(openai|anthropic|github|gitlab|aws|google|slack|stripe|npm|azure|hf)_`)
)

// namesKeyFile reports whether the word t[i:j], with its immediate context, names a credential
// file.
func namesKeyFile(t []byte, i, j int) bool {
	behind, _, _ := bytes.Cut(t[j:min(len(t), j+nameReach)], []byte(" "))
	ahead, w := byte(0), string(t[i:j])
	if i > 1 {
		ahead = t[i-1]
	}
	switch {
	case bytes.Contains(behind, []byte(".pub")):
		return false // a public key is not secret
	case ahead == '.':
		return dotFiles[w] && !wordByte(t[i-2]) || keyEndings[w] && t[i-2] != ' ' ||
			w == "config" && (bytes.HasPrefix(behind, []byte("/gcloud")) || bytes.HasPrefix(behind, []byte("/gh/")))
	case ahead == '/':
		return privateKeys[w] || (w == "passwd" || w == "shadow") && bytes.HasSuffix(t[:i], []byte("/etc/"))
	case len(behind) > 0 && behind[0] == '.':
		return namedFiles[w+string(bytes.TrimRight(behind, ".,;:)`'\""))]
	}
	return false
}

// nameReach is the number of bytes after the first word that are searched for the rest of a file name.
const nameReach = 32

var (
	dotFiles    = set(`ssh aws kube gnupg docker netrc npmrc pypirc git-credentials pgpass bash_history zsh_history vault-token env`)
	privateKeys = set(`id_rsa id_ed25519 id_ecdsa id_dsa`)
	keyEndings  = set(`pem p12 pfx kdbx keystore`)
	namedFiles  = set(`mcp.json wallet.dat secrets.yaml secrets.yml secrets.json credentials.json credentials.yml credentials.yaml claude_desktop_config.json cookies.sqlite database.yml master.key`)
)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
