package proxy_test

import (
	"fmt"
	"io"
	"log"
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

// BenchmarkHTTP measures a call's round trip, by result size: through a bare reverse proxy, through
// ours with all rules, and through ours with none. For ours, it reports separately how long judging
// and forwarding the two messages take. It alternates between the proxies, so that all run under
// the same load.
func BenchmarkHTTP(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) { benchHTTP(b, size) })
	}
}

func benchHTTP(b *testing.B, size int) {
	prose := strings.Repeat("The report of the third quarter lists what was sold by region, and how that compares with last year. ", size/100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", inJSON)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"`+prose+`"}]}}`, 1)
	}))
	defer server.Close()
	at, _ := url.Parse(server.URL)
	transport := proxy.NewTransport(0, nil)
	bare := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(at) }, Transport: transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0)})
	defer bare.Close()
	decided := make(chan time.Duration, 2) // for the request and for the response
	ours := func(all []scanner.Rule) *httptest.Server {
		engine, err := scanner.New(all, scanner.Options{})
		if err != nil {
			b.Fatal(err)
		}
		h := proxy.NewHTTP(proxy.Options{Engine: engine.Live(), MaxMessage: 1 << 20, Observe: true, Now: time.Now, OnDuration: func(d time.Duration) { decided <- d }, Decided: func(*scanner.Event, *scanner.Outcome, scanner.Action) {}},
			proxy.Access{}, proxy.Upstream{Name: "srv", URL: at, Transport: transport})
		b.Cleanup(h.Close)
		front := httptest.NewServer(h)
		b.Cleanup(front.Close)
		return front
	}
	post := func(to *httptest.Server, n int) (time.Duration, error) {
		begin := time.Now()
		resp, err := http.Post(to.URL+"/", inJSON, strings.NewReader(call(fmt.Sprint(n), "read_report")))
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || len(body) < size*9/10 {
			return 0, fmt.Errorf("status %d, %d bytes, %.300q: %w", resp.StatusCode, len(body), body, err)
		}
		return time.Since(begin), nil
	}
	took := map[string][]time.Duration{}
	with, without := ours(rules.All()), ours(nil)
	for n := 0; b.Loop(); n++ {
		// The bare proxy occasionally fails: net/http closes the request body when the response
		// begins, while the transport may still be looking for the body's end, and then closes the
		// connection.
		if d, err := post(bare, n); err == nil {
			took["bare"] = append(took["bare"], d)
		}
		for _, way := range []struct {
			name string
			to   *httptest.Server
		}{{"", with}, {"no-rules-", without}} {
			all, err := post(way.to, n)
			if err != nil {
				b.Fatal(err)
			}
			judge := <-decided + <-decided
			took[way.name+"proxy"] = append(took[way.name+"proxy"], all)
			took[way.name+"judge"] = append(took[way.name+"judge"], judge)
			took[way.name+"forward"] = append(took[way.name+"forward"], all-judge)
		}
	}
	for name, took := range took {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), name+"-p50-µs")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), name+"-p99-µs")
	}
}
