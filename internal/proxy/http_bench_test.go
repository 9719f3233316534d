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

// BenchmarkHTTP measures the round trip of a call through a bare reverse proxy, and through
// ours without rules and with all of them, by the size of the result.
func BenchmarkHTTP(b *testing.B) {
	var engines [2]*scanner.Engine
	for i, all := range [][]scanner.Rule{nil, rules.All()} {
		engine, err := scanner.New(all, scanner.Options{})
		if err != nil {
			b.Fatal(err)
		}
		engines[i] = engine
	}
	for _, size := range []int{1 << 10, 64 << 10} {
		prose := strings.Repeat("The report of the third quarter lists what was sold by region, and how that compares with last year. ", size/100)
		answer := `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"` + prose + `"}]}}`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", inJSON)
			fmt.Fprintf(w, answer, 1)
		}))
		at, _ := url.Parse(server.URL)
		transport := proxy.NewTransport(0, nil)
		bare := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(at) }, Transport: transport, FlushInterval: -1}
		ours := func(engine *scanner.Engine) *proxy.HTTP {
			return proxy.NewHTTP(proxy.Options{Engine: engine.Live(), MaxMessage: 1 << 20, Observe: true, Now: time.Now, Decided: func(*scanner.Event, *scanner.Outcome, scanner.Action) {}},
				proxy.Access{}, proxy.Upstream{Name: "srv", URL: at, Transport: transport})
		}
		for _, way := range []struct {
			name    string
			handler http.Handler
		}{{"bare", bare}, {"no-rules", ours(engines[0])}, {"all-rules", ours(engines[1])}} {
			b.Run(fmt.Sprintf("%s/%dKiB", way.name, size>>10), func(b *testing.B) {
				front := httptest.NewServer(way.handler)
				defer front.Close()
				var took []time.Duration
				for n := 0; b.Loop(); n++ {
					begin := time.Now()
					resp, err := http.Post(front.URL+"/", inJSON, strings.NewReader(call(fmt.Sprint(n), "read_report")))
					if err != nil {
						b.Fatal(err)
					}
					if n, _ := io.Copy(io.Discard, resp.Body); n < int64(size)*9/10 {
						b.Fatal("refused")
					}
					resp.Body.Close()
					took = append(took, time.Since(begin))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			})
		}
		server.Close()
	}
}
