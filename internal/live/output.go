package live

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

const (
	tailSize   = 4 << 10
	headSize   = 1 << 10
	maxExcerpt = 400 // bytes of a server's output quoted in a reason
)

// tail keeps the beginning and the end of the data written to it.
type tail struct {
	mu   sync.Mutex
	head []byte
	buf  []byte
	all  int // bytes written
}

// Write never fails and never grows the tail beyond its limits.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	t.all += n
	t.head = append(t.head, p[:min(n, headSize-len(t.head))]...)
	if n > tailSize {
		p = p[n-tailSize:]
	}
	if over := len(t.buf) + len(p) - tailSize; over > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[over:])]
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// add writes a line.
func (t *tail) add(line []byte) {
	_, _ = t.Write(line)
	_, _ = t.Write([]byte("\n"))
}

// String returns the last tailSize bytes unchanged.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// excerpt returns the masked non-blank lines, limited to about the given number of bytes: all of them, or
// else those that most likely say why the server failed, each limited to half of the bytes.
func (t *tail) excerpt(most int, mask func(string) string) string {
	all := t.lines(mask)
	if whole := strings.Join(all, "\n"); len(whole) <= most && !slices.Contains(all, "") {
		return whole
	}
	chosen, left := map[int]string{}, most
	for _, i := range byImportance(all) {
		if chosen[i] != "" || all[i] == "" {
			continue
		}
		line := cut(all[i], most/2)
		if left -= len(line) + 1; left < 0 {
			break
		}
		chosen[i] = line
	}
	var shown []string
	for i := range all {
		if chosen[i] != "" {
			shown = append(shown, chosen[i])
		} else if n := len(shown); n == 0 || shown[n-1] != omitted {
			shown = append(shown, omitted)
		}
	}
	return strings.Join(shown, "\n")
}

const omitted = "…"

// lines returns the masked non-blank lines without the white space around them. "" stands for lines that
// were not kept.
func (t *tail) lines(mask func(string) string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	between := t.all - len(t.buf)
	if between <= len(t.head) {
		return nonBlank(mask(string(t.head[:between]) + string(t.buf)))
	}
	// What is next to the gap is dropped: a part of a secret would not be masked.
	head := t.head[:max(0, bytes.LastIndexAny(t.head, "\n \"'"))]
	_, end, _ := bytes.Cut(t.buf, []byte("\n"))
	return slices.Concat(nonBlank(mask(string(head))), []string{""}, nonBlank(mask(string(end))))
}

func nonBlank(s string) (all []string) {
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// byImportance returns the indexes of lines, some of them twice, in the order in which they are worth
// quoting: the first and the last line that says what is wrong, and then alternately from both ends,
// because instructions may come before a usage text or at the end, but not within a stack trace.
func byImportance(all []string) (order []int) {
	says := func(line string) bool { return saysWhatIsWrong.MatchString(line) }
	if first := slices.IndexFunc(all, says); first >= 0 {
		last := len(all) - 1
		for !says(all[last]) {
			last--
		}
		order = append(order, first, last)
	}
	for i := range (len(all) + 1) / 2 {
		order = append(order, i, len(all)-1-i)
	}
	return order
}

// saysWhatIsWrong matches words for failures in a message. It does not match code such as throw new
// Error(…), which stack traces quote.
var saysWhatIsWrong = lazyregexp.New(`(?i)\b(?:\w*(?:error|exception)(?:[:",\]]|\s*\[|\s+[^(\s]|$)|(?:fatal|panic|panicked|failed|failure|cannot|can't|could not|couldn't|unable|missing|` +
	`required|must|invalid|denied|refused|unsupported|unknown|no such|not (?:found|set|installed|configured|defined|available|supported|running|valid))\b)`)

// cut shortens a line, between words if possible.
func cut(line string, most int) string {
	if len(line) <= most {
		return line
	}
	line = line[:most]
	if space := strings.LastIndexByte(line, ' '); space >= most/2 {
		line = line[:space]
	}
	return strings.ToValidUTF8(line, "") + omitted
}
