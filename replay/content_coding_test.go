package replay

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
)

// compressed returns text as written by a compressor.
func compressed(t testing.TB, text string, open func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zlibbed(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }

func deflated(w io.Writer) io.WriteCloser {
	z, _ := flate.NewWriter(w, flate.BestCompression)
	return z
}

func TestDecode(t *testing.T) {
	const most = 1000
	zipped, bomb := string(gzipped(t, pong)), string(gzipped(t, strings.Repeat("a", 1_000_000)))
	broken := zipped[:len(zipped)-12]
	for _, tt := range []struct{ name, body, coding, want, why string }{
		{"none", zipped, "", zipped, ""},
		{"identity", zipped, "Identity", zipped, ""},
		{"gzip", zipped, "GZip ", pong, ""},
		{"gzip in members", zipped + zipped, "x-gzip", pong + pong, ""},
		{"gzip before white space", zipped + "\r\n", "gzip", pong, ""},
		{"gzip before other data", zipped + "x", "gzip", pong, `a body in the content coding "gzip" cannot be decoded: unexpected EOF`},
		{"gzip that breaks off", zipped[:len(zipped)-4], "gzip", pong, `a body in the content coding "gzip" cannot be decoded: unexpected EOF`},
		{"a bomb", bomb, "gzip", strings.Repeat("a", most), "a decoded body exceeds the limit of 1000 bytes (--max-message)"},
		{"zlib", compressed(t, pong, zlibbed), "deflate", pong, ""},
		{"raw deflate", compressed(t, pong, deflated), "deflate", pong, ""},
		{"no deflate", broken, "deflate", "", `a body in the content coding "deflate" cannot be decoded: `},
		{"decoded before", pong, "gzip", pong, ""},
		{"decoded before, deflate", pong, "deflate", pong, ""},
		{"decoded before, with a control character", "\x1b[0m" + pong, "gzip", "\x1b[0m" + pong, `a body in the content coding "gzip" cannot be decoded: gzip: invalid header`},
		{"unsupported", "\x1b\x00\xf8", "br", "", `a body in the content coding "br" cannot be decoded: unsupported`},
		{"unsupported, decoded before", pong, "br", pong, ""},
		{"several", zipped, "gzip, gzip", "", `a body in the content coding "gzip, gzip" cannot be decoded: unsupported`},
		{"hostile", "\xff", "\x1b]0;x" + strings.Repeat("y", 100), "", `a body in the content coding "\x1b]0;x` + strings.Repeat("y", 35) + `" cannot`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, why := newDecoder(most).decode([]byte(tt.body), tt.coding)
			if string(got) != tt.want || !strings.HasPrefix(why, tt.why) || tt.why == "" && why != "" {
				t.Errorf("got %.100q, %q", got, why)
			}
		})
	}
	d := newDecoder(most)
	d.left = most + 10
	for i, want := range []string{"a decoded body exceeds the limit of 1000 bytes (--max-message)", fmt.Sprintf("the decoded bodies exceed the limit of %d bytes", maxDecoded)} {
		if _, why := d.decode([]byte(bomb), "gzip"); why != want {
			t.Errorf("body %d: %q", i+1, why)
		}
	}
}

func TestHAREncodedBodies(t *testing.T) {
	const (
		where   = "/mcp.example:8443/mcp/http 2026-01-06T10:30:00.125Z "
		asked   = "4 frame > cap" + where + ping
		coding  = `{"name":"Content-Encoding","value":"gzip"}`
		another = `{"name":"content-encoding","value":"br"}`
	)
	zipped := string(gzipped(t, pong))
	in64 := func(mime, s string) string {
		return `"mimeType":"` + mime + `","encoding":"base64","text":"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"`
	}
	var chars strings.Builder // one character for each byte
	for _, c := range []byte(zipped) {
		fmt.Fprintf(&chars, `\u%04x`, c)
	}
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"in base64", exchange("", post(ping), coding, in64("application/json", zipped)), []string{asked, "5 frame < cap" + where + pong}},
		{"as text, decoded", exchange("", post(ping), coding, body("application/json", pong)), []string{asked, "5 frame < cap" + where + pong}},
		{"as characters", exchange("", post(ping), coding, `"text":"`+chars.String()+`"`), []string{asked, "5 frame < cap" + where + pong}},
		{"a stream", exchange("", post(ping), coding, in64("text/event-stream", string(gzipped(t, "data: "+pong+"\n\n")))), []string{asked, "5 frame < cap" + where + pong}},
		{"unsupported", exchange("", post(ping), another, in64("application/json", "\x1b\x00\xf8")), []string{asked, `5 skipped: a body in the content coding "br" cannot be decoded: unsupported`}},
		{"an unsupported picture", strings.Replace(exchange("", "", another, in64("image/png", "\x1b\x00\xf8")), "/mcp?", "/x?", 1), []string{"4 ignored: an HTTP exchange without MCP messages"}},
		{"a request", exchange(coding+`,{"name":"mcp-session-id","value":"s9"}`, `,"postData":{"text":"`+chars.String()+`"}`, "", ""), []string{"4 frame > s9" + where + pong}},
	} {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "cap.har", archive(tt.in)), tt.want...) })
	}
}

func TestHTTPTextEncodedBodies(t *testing.T) {
	const server, coding, stream = " frame < cap/cap/http 2026-01-06T10:30:01Z ", "Content-Encoding: gzip\r\n", "Content-Type: text/event-stream\r\n"
	piece := func(data string) string {
		return strings.Replace(fromServer, "300B", fmt.Sprintf("%dB", len(data)), 1) + "\n" + data + "\n"
	}
	head := func(fields string) string { return okHead + "\r\n" + fields + "\r\n" }
	length := func(s string) string { return "Content-Length: " + strconv.Itoa(len(s)) + "\r\n" }
	zipped := string(gzipped(t, pong+"\n"))
	sse := string(gzipped(t, "id: 1\ndata: "+pong+"\r\n\r\ndata: "+ping+"\n\n"))
	chunked := head(coding+stream+"Transfer-Encoding: chunked\r\n") + fmt.Sprintf("5\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", sse[:5], len(sse)-5, sse[5:])
	stored := func(text string) string { // gzip without compression
		return compressed(t, text, func(w io.Writer) io.WriteCloser { z, _ := gzip.NewWriterLevel(w, gzip.NoCompression); return z })
	}
	plain := piece(okHead + "\r\n\r\n" + pong)
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"in one piece", piece(head(coding+length(zipped))+zipped) + plain, []string{"6" + server + pong, "10" + server + pong}},
		{"without a length", piece(head(coding)+zipped) + plain, []string{"5" + server + pong, "9" + server + pong}},
		{"in two pieces", piece(head(coding+length(zipped))) + piece(zipped[:9]) + piece(zipped[9:]) + plain, []string{"8" + server + pong, "14" + server + pong}},
		{"in chunks", piece(chunked[:len(chunked)-20]) + piece(chunked[len(chunked)-20:]), []string{"7" + server + pong, "7" + server + ping}},
		{"of curl", "### curl -i\n" + head(coding) + zipped + "\n### curl -i\n" + head("") + pong + "\n", []string{"5 frame < cap/cap/http - " + pong, "9 frame < cap/cap/http - " + pong}},
		{"decoded before", piece(head(coding) + pong), []string{"5" + server + pong}},
		{"several decoded before", piece(head(coding) + "one\r\n" + head(coding) + "two"), []string{"5" + server + "one", "9" + server + "two"}},
		{"unsupported", piece(head("content-encoding: br\r\n")+"\x1b\x00\xf8") + plain, []string{`5 skipped: a body in the content coding "br" cannot be decoded: unsupported`, "9" + server + pong}},
		{"a line that poses as a piece", piece(head(coding)+stored(pong+"\n"+fromClient+"\n")) + plain, []string{"5" + server + pong, "5" + server + fromClient, "11" + server + pong}},
		{"line ends that were rewritten", strings.ReplaceAll(piece(head("Content-Encoding: deflate\r\n")+"\x00\x09\x00\xf6\xff\r\n\r\n\r\nabc\x01\x00\x00\xff\xff"), "\r\n", "\n") + plain,
			[]string{`5 skipped: a body in the content coding "deflate" cannot be decoded: flate: corrupt input before offset 15`, "12" + server + pong}},
	} {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "cap.txt", tt.in), tt.want...) })
	}
}

// TestCharsets checks that bodies in other character sets than UTF-8 are counted. In a HAR, only those in
// base64 are: tools convert other bodies to Unicode.
func TestCharsets(t *testing.T) {
	const (
		where = "/mcp.example:8443/mcp/http 2026-01-06T10:30:00.125Z "
		asked = "4 frame > cap" + where + ping
		other = "application/json; charset=\\\"Shift_JIS\\\""
	)
	in64 := func(mime, s string) string {
		return `"mimeType":"` + mime + `","encoding":"base64","text":"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"`
	}
	wide := "\xFF\xFE"
	for _, c := range []byte(pong) {
		wide += string(c) + "\x00"
	}
	const skip = `skipped: a body is in the character set "%s", but was read as UTF-8`
	answer := "5 frame < cap" + where + pong
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"UTF-8", exchange("", post(ping), "", in64("application/json; charset=utf-8", pong)), []string{asked, answer}},
		{"declared", exchange("", post(ping), "", in64(other, pong)), []string{asked, "5 " + fmt.Sprintf(skip, "shift_jis"), answer}},
		{"converted", exchange("", post(ping), "", body(other, pong)), []string{asked, answer}},
		{"UTF-16", exchange("", post(ping), "", in64("application/json", wide)), []string{asked, "5 " + fmt.Sprintf(skip, "utf-16"), "5 frame < cap" + where + wide}},
		{"a stream", exchange("", post(ping), "", in64("text/event-stream; charset=x", "data: "+pong+"\n\n")), []string{asked, "5 " + fmt.Sprintf(skip, "x"), answer}},
		{"a page", strings.Replace(exchange("", "", "", in64("text/html; charset=x", "a")), "/mcp?", "/x?", 1), []string{"4 ignored: an HTTP exchange without MCP messages"}},
	} {
		t.Run(tt.name, func(t *testing.T) { diff(t, read(t, "cap.har", archive(tt.in)), tt.want...) })
	}
	piece := func(data string) string {
		return strings.Replace(fromServer, "300B", fmt.Sprintf("%dB", len(data)), 1) + "\n" + data + "\n"
	}
	const server, kind = " frame < cap/cap/http 2026-01-06T10:30:01Z ", "Content-Type: application/json; charset="
	head := func(fields string) string { return okHead + "\r\n" + fields + "\r\n" }
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"UTF-8", piece(head(kind+"utf-8\r\n") + pong), []string{"5" + server + pong}},
		{"declared", piece(head(kind+"shift_jis\r\n") + pong + "\n" + ping), []string{"5 " + fmt.Sprintf(skip, "shift_jis"), "5" + server + pong, "6" + server + ping}},
		{"in chunks", piece(head(kind+"x\r\n") + fmt.Sprintf("%x\r\n", len(pong)) + pong), []string{"6 " + fmt.Sprintf(skip, "x"), "6" + server + pong}},
		{"encoded", piece(head(kind+"x\r\nContent-Encoding: gzip\r\n") + string(gzipped(t, pong))), []string{"6 " + fmt.Sprintf(skip, "x"), "6" + server + pong}},
		{"UTF-16", piece(head(kind+"\r\n") + wide), []string{"5 " + fmt.Sprintf(skip, "utf-16"), "5" + server + wide}},
	} {
		t.Run("text, "+tt.name, func(t *testing.T) { diff(t, read(t, "cap.txt", tt.in), tt.want...) })
	}
}
