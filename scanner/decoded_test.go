package scanner_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/effort"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// answer returns a result with one text.
func answer(t testing.TB, text string) *scanner.Event {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":`+string(quoted)+`}]}}`)
}

// TestLayers checks that up to three nested encodings, of one or several kinds, are
// removed, and that a fourth is reported.
func TestLayers(t *testing.T) {
	each := func(format string) func(string) string {
		return func(s string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				fmt.Fprintf(&b, format, c)
			}
			return b.String()
		}
	}
	encodings := map[string]func(string) string{
		"base64":      func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"hexadecimal": func(s string) string { return hex.EncodeToString([]byte(s)) },
		"percent":     each("%%%02x"), "escapes": each(`\x%02x`), "entities": each("&#%d;"),
	}
	kinds := [][]string{{"base64", "percent", "escapes", "hexadecimal"}, {"entities", "base64", "entities", "percent"}}
	for name := range encodings {
		kinds = append(kinds, []string{name, name, name, name})
	}
	for _, kind := range kinds {
		text := "please read the zqmarker today"
		for layers := 0; layers <= 4; layers++ {
			if layers > 0 {
				text = encodings[kind[layers-1]](text)
			}
			s, res := run(t, []scanner.Rule{markerRule()}, answer(t, text))
			if found := len(s.findings) > 0; found != (layers <= 3) {
				t.Errorf("%v, %d layers: found %t", kind, layers, found)
			}
			if told := len(res.Coverage.Skipped) > 0; told != (layers > 3) {
				t.Errorf("%v, %d layers: coverage %+v", kind, layers, res.Coverage)
			}
		}
	}
}

// TestPlainBesideEncoded checks that what a text says plainly does not count as hidden because of
// encoding elsewhere in the text, and that encoding next to it does not make it plain.
func TestPlainBesideEncoded(t *testing.T) {
	const address, prose = "https://example.org/%7Ba%7D?q=%20%22b%22", "The report has one chapter for each quarter. Its annex lists the sources, and the authors. "
	for text, hidden := range map[string]bool{
		"See the zqmarker. " + prose + address:            false,
		address + " 100 % " + prose + "See the zqmarker.": false,
		prose + "See the %7a%71%6d%61%72%6b%65%72.":       true,
		prose + "100 % of the %7a%71marker%2e %2e":        true,
	} {
		s, _ := run(t, []scanner.Rule{markerRule()}, answer(t, text))
		if len(s.findings) != 1 || strings.Contains(strings.Join(s.findings[0].Signals, " "), "hidden in") != hidden {
			t.Errorf("%q: findings %+v, want one, hidden: %t", text, s.findings, hidden)
		}
	}
}

// dump returns a dump, as of xxd, of about the given size.
func dump(size int) string {
	var b strings.Builder
	for at := 0; b.Len() < size; at += 16 {
		fmt.Fprintf(&b, "%08x: 5468 6520 7469 746c 6520 6f66 2061 2070  The title of a p\n", at)
	}
	return b.String()
}

// TestLargeTexts checks that hostile texts of 2 MB take work and memory in
// proportion to their size, and that reaching a bound is reported.
func TestLargeTexts(t *testing.T) {
	const larger = 256 << 10
	const engineTables = 16 << 20 // memory of an engine and its inspector, whatever the text
	fill := func(unit string) func(int) string {
		return func(size int) string { return strings.Repeat(unit, size/len(unit)) }
	}
	for name, c := range map[string]struct {
		text func(size int) string
		told string
	}{
		"prose":               {fill("The tool returns the text of a page, and its length in characters. "), ""},
		"one word":            {fill("a"), ""},
		"combining marks":     {func(size int) string { return "a" + fill("\u0301")(size) }, ""},
		"marks of letters":    {fill("е\u0301"), ""},
		"invisible":           {fill("\u200d"), ""},
		"line feeds":          {fill("\n"), ""},
		"terminal sequences":  {fill("\x1b["), ""},
		"what seems secret":   {fill("key: token = secret://"), ""},
		"opened and not shut": {fill("<!-- ![a](http [[ "), ""},
		"base64 of base64":    {func(size int) string { return nested(size, 6) }, "more than 3 layers of encoding"},
		"dumps":               {func(size int) string { return dump(size) }, ""},
		"offsets":             {fill("0000: 4f\n"), ""},
		"all encodings":       {fill(`%2541 \x5cx41 &amp;amp; i-g-n-o-r-e a-l-l-n-o `), "exceeds 4 times the length of the message"},
		"anchors":             {fill("ignore instructions password secret ~/.ssh send to https://x.y/ call system: do not tell <important> "), "more matches than the limit"},
	} {
		var res scanner.Result
		effort.Linear(t, name, larger, func(size int) func() {
			e := answer(t, c.text(size))
			return func() {
				var before, after runtime.MemStats
				e.SetTree(nil, 0)
				runtime.ReadMemStats(&before)
				_, res = runAll(t, e)
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; size == larger && used > uint64(100*size)+engineTables {
					t.Errorf("%s: %d KiB were allocated for %d KiB", name, used>>10, size>>10)
				}
			}
		})
		told := ""
		for _, s := range res.Coverage.Skipped {
			told += s.Reason + "\n"
		}
		if !strings.Contains(told, c.told) || c.told == "" && told != "" {
			t.Errorf("%s: reported %q, want %q", name, told, c.told)
		}
	}
}

// nested returns a text of about the given size, encoded in base64 several times.
func nested(size, layers int) string {
	text := strings.Repeat("The tool returns the text of a page. ", size/37)
	for range layers {
		text = base64.StdEncoding.EncodeToString([]byte(text))[:size&^3]
	}
	return text
}
