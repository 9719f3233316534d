package secrets

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Files matches the usual locations of credentials, in case-folded text.
const Files = `((~|\$home|/root|/home/[^/\s]+|/users/[^/\s]+|%userprofile%)[/\\]|(^|[\s"'(=:<>` + "`" + `]))\.(ssh|aws|kube|gnupg|docker|netrc|npmrc|pypirc|` +
	`git-credentials|cursor/mcp\.json|config/gcloud|config/gh/hosts|pgpass|bash_history|vault-token)\b[^\s"'` + "`" + `<>,;]*|\bid_(rsa|ed25519|` +
	`ecdsa|dsa)\b|/etc/(passwd|shadow)\b|(^|[\s"'<>` + "`" + `/])\.env\b|\bclaude_desktop_config\.json|\bkeychain\b|\bwallet\.dat\b`

// PublicFile reports whether the path around t[end], where a match of [Files] ends, names a public
// key, which is not secret, as in ~/.ssh/id_rsa.pub and ~/.ssh/<key>.pub.
func PublicFile[T string | []byte](t T, end int) bool {
	from := max(0, end-longPath)
	before, after := string(t[from:end]), string(t[end:min(len(t), end+longPath)])
	start := strings.LastIndexAny(before, " \t\n") + 1
	if start == 0 && from > 0 {
		return false // the beginning of the path is too far away
	}
	if i := strings.IndexAny(after, " \t\n"); i >= 0 {
		after = after[:i]
	}
	return publicFile.MatchString(before[start:] + after)
}

// longPath is the number of bytes that PublicFile reads before and after the end of a match.
const longPath = 64

var publicFile = lazyregexp.New("^[\"'`(]*[\\w~$%{}<>*./\\\\-]+\\.pub[\"'`)]*[.,;:]?$")

// PublicKey matches text that ends with "public key" or "publishable key", or their plurals,
// optionally followed by the format of the key.
var PublicKey = lazyregexp.New(`\b(public|publishable) keys?( (pem|der|jwk|jwks|hex|base64|openssh))?$`)

// FileAnchors lists the anchors of Files.
var FileAnchors = []string{".ssh", ".aws", ".kube", ".gnupg", ".docker", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
	".cursor/mcp", ".config/gcloud", ".config/gh/", ".pgpass", ".bash_history", ".vault-token", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "/etc/passwd", "/etc/shadow", ".env",
	"claude_desktop_config", "keychain", "wallet.dat"}

// HandlesCredentials reports whether a tool's name suggests that its purpose involves credential
// files.
func HandlesCredentials(name string) bool {
	return credentialTool.MatchString(name)
}

var credentialTool = lazyregexp.New(`(?i)(ssh|aws|kube|gpg|gnupg|docker|netrc|npmrc|pypirc|dotenv|env|secret|credential|key|token|vault|passwd|password|wallet|config)`)
