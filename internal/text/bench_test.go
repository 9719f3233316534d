package text

import (
	"fmt"
	"strings"
	"testing"
)

const (
	englishLine = "The quick brown fox reads the file at the given path, and returns its text before anybody minds. "
	mixedLine   = "The naïve ﬁle — “quoted”, Ünïcödé — reads “the given path” … и возвращает текст, 返回文本 👍 as-is. "
)

func benchFold(b *testing.B, line string) {
	s := []byte(strings.Repeat(line, 64<<10/len(line)))
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	var f Folder
	for b.Loop() {
		f.Fold(s)
	}
}

func BenchmarkFoldASCII(b *testing.B) { benchFold(b, englishLine) }
func BenchmarkFoldMixed(b *testing.B) { benchFold(b, mixedLine) }
func BenchmarkFoldRussian(b *testing.B) {
	benchFold(b, "Прочитайте файл и верните его текст. ")
}
func BenchmarkFoldHangul(b *testing.B) {
	benchFold(b, "이 도구는 파일을 읽고 텍스트를 반환합니다. ")
}

// benchPatterns returns patterns similar in number and kind to the rules' patterns: most anchors
// are rare in prose, but some are not.
func benchPatterns() []Pattern {
	patterns := []Pattern{
		{Name: "ignore", Expr: `\b(?:ignore|disregard)\s+(?:all\s+)?(?:previous|prior)\s+(?:instructions|rules)`, Anchors: []string{"ignore", "disregard"}},
		{Name: "before", Expr: `before\s+(?:using|calling)\s+(?:this|any)\s+tool`, Anchors: []string{"before"}},
		{Name: "file", Expr: `read\w*\s+the\s+file\s+\S*\.(?:ssh|env)`, Anchors: []string{"the file"}},
		{Name: "key", Expr: `~/\.ssh/id_(?:rsa|ed25519)`, Anchors: []string{".ssh/id_"}},
		{Name: "tag", Anchors: []string{"<important>", "<system>", "[system]"}},
		{Name: "curl", Expr: `\bcurl\s+[^\n]{0,200}https?://`, Anchors: []string{"curl"}},
	}
	for i := len(patterns); i < 60; i++ {
		a, b := fmt.Sprintf("secret%d", i), fmt.Sprintf("do not tell %d", i)
		patterns = append(patterns, Pattern{Name: a, Expr: `(?:` + a + `|` + b + `).{0,60}\b(?:user|anyone)`, Anchors: []string{a, b}})
	}
	return patterns
}

func benchScan(b *testing.B, text string) {
	m, err := NewMatcher(benchPatterns())
	if err != nil {
		b.Fatal(err)
	}
	s, folded := m.NewScanner(), []byte(text)
	b.SetBytes(int64(len(folded)))
	b.ReportAllocs()
	for b.Loop() {
		s.Scan(folded)
	}
}

func BenchmarkScanProse(b *testing.B) {
	benchScan(b, strings.ToLower(strings.Repeat(englishLine, 64<<10/len(englishLine))))
}

// BenchmarkScanHostile scans a text that repeats an anchor, which is the worst
// case.
func BenchmarkScanHostile(b *testing.B) { benchScan(b, strings.Repeat("curl ", 64<<10/5)) }

func BenchmarkExcerpt(b *testing.B) {
	s := []byte(strings.Repeat(englishLine, 100))
	b.ReportAllocs()
	for b.Loop() {
		Excerpt(s, 5000, 5200)
	}
}

// BenchmarkExcerptHostile takes an excerpt from a text that resembles every form of secret.
func BenchmarkExcerptHostile(b *testing.B) {
	s := []byte(strings.Repeat("token=token=token://a:k_AKIA-ghp_glpat-xoxsk-AIzanpm_hf_eyJauthorization:", 200))
	b.ReportAllocs()
	for b.Loop() {
		Excerpt(s, 9000, 9200)
	}
}

func BenchmarkVisible(b *testing.B) {
	s := strings.Repeat(englishLine, 10) + strings.Repeat(mixedLine, 10)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Visible(s, len(s))
	}
}

// BenchmarkDistincts searches a text that has a few distinctive values.
func BenchmarkDistincts(b *testing.B) {
	s := []byte(strings.Repeat("The harbour is closed for boats over nine metres until March; see www.harbour.example or ask dora@mail.example. Reports go to the office in the old town, as ever.\n", 400))
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		Distincts(s, false, func(Distinct) { n++ })
		Carried(s, func(Hidden) { n++ })
		if n == 0 {
			b.Fatal("no value")
		}
	}
}
