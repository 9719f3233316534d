package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// BenchmarkLLM measures the time to the first byte of a stream with nothing to block, alternating
// between a bare reverse proxy and ours with the default rules, by request size and provider
// response time. The rest of the answer is sent once the first byte has arrived, because a model
// sends events one after another.
func BenchmarkLLM(b *testing.B) {
	byDefault := slices.DeleteFunc(rules.All(), func(r scanner.Rule) bool { return r.OptIn })
	engine, err := scanner.New(byDefault, scanner.Options{})
	if err != nil {
		b.Fatal(err)
	}
	rest := strings.Repeat(`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words "}}`+"\n\n", 50) + anthropicEnd
	for _, messages := range []int{1, 50} {
		for _, thinks := range []time.Duration{0, 20 * time.Millisecond} {
			seen := make(chan bool)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				time.Sleep(thinks)
				say(w, stream, anthropicStart)
				w.(http.Flusher).Flush()
				<-seen
				_, _ = io.WriteString(w, rest)
			}))
			at, _ := url.Parse(server.URL)
			transport := proxy.NewTransport(0, nil)
			bare := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(at) }, Transport: transport, FlushInterval: -1})
			llm := proxy.NewLLM(proxy.Options{Engine: engine.Live(), MaxMessage: 8 << 20, Now: time.Now, Decided: func(*scanner.Event, *scanner.Outcome, scanner.Action) {}},
				proxy.Access{}, proxy.LLMOptions{Name: "mcp://llm"}, []proxy.Upstream{{URL: at, Transport: transport}})
			ours := httptest.NewServer(llm)
			body := requestOf("Reads the mail of a folder.", strings.Repeat(historyOf(strings.Repeat("The report of the third quarter lists what was sold. ", 10)), messages/2))
			b.Run(fmt.Sprintf("%dKiB/%v", len(body)>>10, thinks), func(b *testing.B) {
				var took [2][]time.Duration
				for b.Loop() {
					for i, to := range []string{bare.URL, ours.URL} {
						took[i] = append(took[i], firstByte(b, to, body, seen))
					}
				}
				var p50 [2]float64
				for i := range took {
					slices.Sort(took[i])
					p50[i] = float64(took[i][len(took[i])/2].Microseconds())
				}
				b.ReportMetric(p50[0], "bare-p50-µs")
				b.ReportMetric(p50[1], "ours-p50-µs")
				b.ReportMetric(p50[1]/p50[0], "ours/bare")
			})
			ours.Close()
			bare.Close()
			server.Close()
			llm.Close()
		}
	}
}

// firstByte returns the time until the first byte of an answer. It signals on seen when the
// byte has arrived.
func firstByte(b *testing.B, to, body string, seen chan<- bool) time.Duration {
	begin := time.Now()
	resp, err := http.Post(to+"/v1/messages", inJSON, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil || resp.StatusCode != 200 {
		b.Fatal(resp.Status, err)
	}
	took := time.Since(begin)
	seen <- true
	_, _ = io.Copy(io.Discard, resp.Body)
	return took
}
