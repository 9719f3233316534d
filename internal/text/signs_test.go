package text

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// signPieces contains the signs that the decoders look for, and near misses.
var signPieces = []string{"a", "b", "Zq", "word", "camelCaseWordsHere", "7", "41", "0x41", "x6F", "U+0041", "&#x41;", " ", "  ", "\n", ", ", "-", ".", "_", "__",
	"*", "**", "~~", "`", "<b>", "</b>", "<span x>", "<br>", "<!-- -->", "<", ">", "é", "ſ", "\u212a", "—", "\u0301", "\u00a0", "😀", "\xff", "\xe2\x80", "٣", "中",
	"YWxsIHRoZSBub3Rlcw", "6e6f746573", "s-e-n-d", "n o w", "1 2 3 4 5 6 7 8 9 a", "<b>a</b> <b>b</b>. <b>c</b>"}

// TestSignsMissNothing checks that wherever a decoder finds something, the signs that it looks for
// first are present.
func TestSignsMissNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SampledFrom(signPieces)
		some := rapid.OneOf(rapid.SampledFrom(rapid.SliceOfN(pieces, 1, 3).Draw(t, "some")), pieces)
		s := []byte(strings.Join(rapid.SliceOfN(some, 0, 60).Draw(t, "s"), ""))
		checkBlocks(t, s)
		checkSpelled(t, s)
		checkCodes(t, s)
		checkRuns(t, s)
		for line := range bytes.SplitSeq(s, []byte("\n")) {
			checkMarks(t, line)
		}
	})
}

func checkBlocks(t *rapid.T, s []byte) {
	for i := 0; i <= len(s); i += blockSize {
		alnum, high := wordsIn(s, i)
		block := s[i:min(i+blockSize, len(s))]
		n := 0
		for k, b := range block {
			if isCapital(b) || isDigit(b) {
				n++
			}
			if alnum>>k&1 == 1 != isAlnum(b) || high>>k&1 == 1 != (b >= 0x80) {
				t.Fatalf("%q: wrong class of byte %d", s, i+k)
			}
		}
		if got := capitalsAndDigits(block); got != n {
			t.Fatalf("%q: %d capitals and digits, want %d", block, got, n)
		}
	}
}

func checkSpelled(t *rapid.T, s []byte) {
	pairs := map[int]bool{}
	lonePairs(s, func(i int) { pairs[i] = true })
	for i := 0; i+2 < len(s); i++ {
		if letter(s[i]) && !isAlnum(s[i+1]) && spelledAt(s, i).letters > 1 && !pairs[i] {
			t.Fatalf("%q: no pair of letters at %d", s, i)
		}
	}
}

func checkCodes(t *rapid.T, s []byte) {
	for i := range s {
		if codes, _ := codesAt(nil, s, i); len(codes) >= leastCodes {
			if next, _ := onlyCodes(s, i, 0); next != i {
				t.Fatalf("%q: no codes at %d", s, i)
			}
		}
	}
}

var runOf12 = regexp.MustCompile(`[A-Za-z0-9+/_-]{12,}`)

func checkRuns(t *rapid.T, s []byte) {
	var got [][]int
	for start, end := nextRun(s, 0, 12, &runByte); start < len(s); start, end = nextRun(s, end, 12, &runByte) {
		got = append(got, []int{start, end})
	}
	if want := runOf12.FindAllIndex(s, -1); !slices.EqualFunc(got, want, slices.Equal) {
		t.Fatalf("%q: runs at %v, want %v", s, got, want)
	}
}

func checkMarks(t *rapid.T, line []byte) {
	inside, gaps := marksIn(line, min(nextMark(line), len(line)))
	if n := len(insideWord.re.FindAllIndex(line, -1)); inside < n {
		t.Fatalf("%q: %d marks inside words, counted %d", line, n, inside)
	}
	if gaps < markedGaps && wordByWord.re.Match(line) {
		t.Fatalf("%q: words are marked one by one, counted %d gaps", line, gaps)
	}
}

// TestDecodeAllocatesLittle checks that decoding honest text, which has nothing to decode,
// allocates only a few buffers, however long the text is.
func TestDecodeAllocatesLittle(t *testing.T) {
	for _, s := range []string{
		strings.Repeat(englishLine, 100),
		strings.Repeat(mixedLine, 100),
		strings.Repeat("func (s *Server) Handle(w http.ResponseWriter, r *http.Request) {\n\tif r.URL.Path != \"/v1\" && !s.open { // 404\n\t\treturn\n\t}\n}\n", 50),
		strings.Repeat("2026-01-01T00:00:07Z INFO request id=9f86d081884c7d659a2feaa0 path=/var/app/index.html took=17ms\n", 50),
		strings.Repeat("{\"name\": \"harbour\", \"size\": [12, 4.5, true], \"url\": \"https://harbour.example/a?b=1\"},\n", 50),
	} {
		fail := func(h Hidden) { t.Errorf("decoded %q via %s", h.Text, h.Via) }
		if n := testing.AllocsPerRun(3, func() { Decode([]byte(s), fail); Carried([]byte(s), fail) }); n > 12 {
			t.Errorf("%.60q: %v allocations", s, n)
		}
	}
}
