package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// decompress unwraps gzip and zstd, which it recognises by their magic numbers.
func decompress(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	magic, err := br.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1F, 0x8B}):
		zr, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return zr, nil
	case bytes.Equal(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}):
		// Limit concurrency, window and memory, so that decoding a small file cannot take
		// gigabytes.
		zr, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20), zstd.WithDecoderMaxMemory(128<<20))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return zr, nil
	}
	return br, nil
}

// decodeUTF16 decodes UTF-16 with a byte order mark, which redirections in Windows PowerShell write.
func decodeUTF16(r io.Reader) io.Reader {
	br := bufio.NewReader(r)
	if mark, _ := br.Peek(2); bytes.Equal(mark, []byte{0xFF, 0xFE}) || bytes.Equal(mark, []byte{0xFE, 0xFF}) {
		return transform.NewReader(br, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
	}
	return br
}
