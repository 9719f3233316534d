package servers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// digests are the digests of a file: as it is, and with each kind of line ending ("" if it is not text).
type digests struct{ raw, lf, crlf string }

// fileHash computes the digests of a file. Git can convert the line endings of a text file when checking
// it out, so the same script can differ between machines.
type fileHash struct {
	raw, lf, crlf hash.Hash
	binary        bool // the file contains a zero byte, by which Git recognises binary files
	cr            bool // the last byte was a carriage return, which is not yet hashed as text
}

func newFileHash() *fileHash {
	return &fileHash{raw: sha256.New(), lf: sha256.New(), crlf: sha256.New()}
}

func (h *fileHash) Write(p []byte) (int, error) {
	h.raw.Write(p)
	if h.binary = h.binary || bytes.IndexByte(p, 0) >= 0; h.binary {
		return len(p), nil
	}
	for rest := p; len(rest) > 0; {
		if h.cr && rest[0] != '\n' {
			h.text([]byte("\r"))
		}
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		trimmed, cr := bytes.CutSuffix(line, []byte("\r"))
		h.text(trimmed)
		if h.cr = cr && !ended; ended {
			h.lf.Write([]byte("\n"))
			h.crlf.Write([]byte("\r\n"))
		}
		rest = after
	}
	return len(p), nil
}

func (h *fileHash) text(p []byte) {
	h.lf.Write(p)
	h.crlf.Write(p)
}

// sum returns the digests of what was written.
func (h *fileHash) sum() digests {
	shown := func(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }
	if h.binary {
		return digests{raw: shown(h.raw)}
	}
	if h.cr {
		h.text([]byte("\r"))
		h.cr = false
	}
	return digests{shown(h.raw), shown(h.lf), shown(h.crlf)}
}
