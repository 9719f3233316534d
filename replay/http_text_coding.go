package replay

import (
	"bytes"
	"cmp"
	"io"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// coding is what the last head in a flow declares about its body, and the bytes of that body if it
// is in a content coding. Such a body is not a sequence of lines until it is decoded.
type coding struct {
	names   []string // values of Content-Encoding
	chunked bool
	length  int    // value of Content-Length; -1 if there is none
	charset string // character set of the body if it is not UTF-8
	checked bool   // the character set was reported if necessary
	plain   bool   // the body is text: it was decoded before it was saved
	data    []byte
	start   int // line on which data starts
}

// field reads a header field. The name is in lower case.
func (c *coding) field(name, value string) {
	switch name {
	case "content-type":
		if charset, ok := wire.Charset(value); !ok {
			c.charset = cmp.Or(charset, "unknown")
		}
	case "content-encoding":
		c.names = append(c.names, value)
	case "transfer-encoding":
		c.chunked = strings.Contains(strings.ToLower(value), "chunked")
	case "content-length":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			c.length = n
		}
	}
}

// complete reports whether data is the whole body.
func (c *coding) complete() bool {
	return c.length >= 0 && !c.chunked && len(c.data) >= c.length || c.chunked && bytes.HasSuffix(c.data, []byte("0\r\n\r\n"))
}

// encoded takes the rest of the current piece, from offset on, if it belongs to a body in a content
// coding, and reports whether it does.
func (h *httpText) encoded(offset, number int) bool {
	f := h.flow
	c := &f.coding
	if c.plain = c.plain || c.data == nil && offset < h.plain; len(c.names) == 0 || c.plain {
		h.checkCharset(h.data[offset:], number)
		return false
	}
	h.head = false
	piece := h.data[offset:h.pieceEnd(offset)]
	if c.data == nil {
		if c.plain = readable(piece); c.plain {
			h.plain = offset + len(piece)
			if _, why := h.decoder.decode(piece, strings.Join(c.names, ", ")); why != "" {
				h.out = append(h.out, skipped(h.name, number, "%s", why))
			}
			return false
		}
		h.flush(f)
		c.start = number
	}
	c.data = append(c.data, piece...)
	h.skip = offset + len(piece)
	if c.complete() {
		h.unpack(f)
	}
	return true
}

// chunkLine exceeds the length of any line that contains the size of a chunk.
const chunkLine = 16

// checkCharset reports a body that is not in UTF-8, judging by its head and its beginning.
func (h *httpText) checkCharset(body []byte, number int) {
	c := &h.flow.coding
	line, _, whole := bytes.Cut(body[:min(len(body), chunkLine)], []byte("\n"))
	if c.checked || !h.flow.headed || whole && chunkSize.Match(bytes.TrimSpace(line)) {
		return
	}
	c.checked = true
	if charset := cmp.Or(wire.WideCharset(body), c.charset); charset != "" {
		h.out = append(h.out, skipped(h.name, number, charsetReason, charset[:min(len(charset), maxCodingName)]))
	}
}

// pieceEnd returns the offset at which the piece that contains an offset ends.
func (h *httpText) pieceEnd(offset int) int {
	end := len(h.data)
	if next, _ := slices.BinarySearch(h.pieces, offset); next < len(h.pieces) {
		end = h.pieces[next]
	}
	if h.sized >= offset { // excludes the line ending after the piece
		return min(h.sized, end)
	}
	if next := bytes.Index(h.data[offset:end], []byte("\n### curl")); next >= 0 {
		return offset + next
	}
	return end
}

// unpack decodes and reads a body in a content coding.
func (h *httpText) unpack(f *flow) {
	c := f.coding
	f.coding = coding{length: -1}
	body, broken := c.data, error(nil)
	if c.chunked {
		body, broken = io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(c.data)))
	} else if c.length >= 0 {
		body = body[:min(c.length, len(body))]
	}
	plain, why := h.decoder.decode(body, strings.Join(c.names, ", "))
	if why == "" && broken != nil {
		why = "the chunks of an encoded body are damaged"
	}
	if why != "" {
		h.out = append(h.out, skipped(h.name, c.start, "%s", why))
	}
	current := h.flow
	h.flow = f
	f.coding.charset = c.charset
	h.checkCharset(plain, c.start)
	for line := range bytes.FieldsFuncSeq(plain, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if len(bytes.TrimSpace(line)) > 0 {
			h.body(line, c.start)
		}
	}
	h.flow = current
}
