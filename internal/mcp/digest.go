package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Digest is the SHA-256 of a canonical form, or zero if there was nothing to digest.
type Digest [sha256.Size]byte

// String formats the digest as in the lockfile: sha256- and base64url.
func (d Digest) String() string {
	if d == (Digest{}) {
		return ""
	}
	return "sha256-" + base64.RawURLEncoding.EncodeToString(d[:])
}

// Parse parses the output of String.
func (d *Digest) Parse(s string) error {
	coded, ok := strings.CutPrefix(s, "sha256-")
	b, err := base64.RawURLEncoding.Strict().DecodeString(coded)
	if !ok || err != nil || len(b) != len(d) {
		return fmt.Errorf("invalid digest %q: expected sha256- and 43 characters of base64url", text.Visible(s, 120))
	}
	*d = Digest(b)
	return nil
}

// DigestOf returns the digests of the definition at node i and of its parts.
func DigestOf(doc *wire.Doc, i int) (Digest, [len(DefinitionParts)]Digest) {
	var g Digester
	var d Definition
	g.Definition(doc, i, &d)
	return d.Digest, d.Parts
}

// Digester computes the digests of definitions. It reuses its buffer.
type Digester struct{ buf []byte }

// Definition sets the digests of the definition at node i: the SHA-256 of its RFC 8785 form, and
// the SHA-256 of each part's form.
func (g *Digester) Definition(doc *wire.Doc, i int, def *Definition) {
	if doc.Kind(i) != wire.Object {
		g.buf = doc.AppendCanonical(g.buf[:0], i)
		def.Digest = sha256.Sum256(g.buf)
		return
	}
	buf := append(g.buf[:0], '{')
	var few [16]int
	for k, c := range doc.AppendSorted(few[:0], i) {
		if k > 0 {
			buf = append(buf, ',')
		}
		buf = doc.AppendCanonicalKey(buf, c)
		buf = append(buf, ':')
		from := len(buf)
		buf = doc.AppendCanonical(buf, c)
		for p, key := range DefinitionParts {
			if doc.KeyIs(c, key) {
				def.Parts[p] = sha256.Sum256(buf[from:])
			}
		}
	}
	buf = append(buf, '}')
	def.Digest = sha256.Sum256(buf)
	g.buf = buf
}
