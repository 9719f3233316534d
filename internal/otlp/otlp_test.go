package otlp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// compact removes the white space from a JSON text.
func compact(t *testing.T, s string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

var start = time.Unix(1, 0)

// TestMetrics checks that counters and durations have the form that the protocol defines, and
// accumulate from the start.
func TestMetrics(t *testing.T) {
	m := New(start, Attributes{"service.name", "mcpscan"})
	for range 2 {
		m.Count("mcpscan.messages", "{message}", Attributes{"action", "forward"})
	}
	m.Count("mcpscan.messages", "{message}", Attributes{"action", "ref\"use\n"})
	m.Took(100 * time.Microsecond)
	m.Took(300 * time.Microsecond)
	m.Took(2 * time.Second)
	got := compact(t, string(m.Metrics(time.Unix(2, 5))))
	times := `"startTimeUnixNano":"1000000000","timeUnixNano":"2000000005"`
	want := compact(t, `{"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"mcpscan"}}]},"scopeMetrics":[{"scope":{"name":"mcpscan"},"metrics":[
		{"name":"mcpscan.messages","unit":"{message}","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[
			{"attributes":[{"key":"action","value":{"stringValue":"forward"}}],`+times+`,"asInt":"2"},
			{"attributes":[{"key":"action","value":{"stringValue":"ref\"use\n"}}],`+times+`,"asInt":"1"}]}},
		{"name":"mcpscan.decision.duration","unit":"ms","histogram":{"aggregationTemporality":2,"dataPoints":[{"attributes":[],`+times+`,"count":"3","sum":2000.4,
			"bucketCounts":["1","0","1","0","0","0","0","0","0","0","0","0","1"],"explicitBounds":[0.1,0.25,0.5,1,2.5,5,10,25,50,100,250,1000]}]}}]}]}]}`)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestLogs checks that each record is returned only once, and that records beyond
// the limit are counted.
func TestLogs(t *testing.T) {
	m := New(start, nil)
	if got := m.Logs(); got != nil {
		t.Errorf("got %s", got)
	}
	m.Log(time.Unix(3, 0), 13, "bl\x1bocked", Attributes{"rule", "r"})
	got := compact(t, string(m.Logs()))
	want := compact(t, `{"resourceLogs":[{"resource":{"attributes":[]},"scopeLogs":[{"scope":{"name":"mcpscan"},"logRecords":[
		{"timeUnixNano":"3000000000","severityNumber":13,"body":{"stringValue":"bl\u001bocked"},"attributes":[{"key":"rule","value":{"stringValue":"r"}}]}]}]}]}`)
	if got != want || m.Logs() != nil {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for range maxLogs + 7 {
		m.Log(start, 9, "x", nil)
	}
	if n := strings.Count(string(m.Logs()), "severityNumber"); n != maxLogs {
		t.Errorf("%d records", n)
	}
	if got := string(m.Metrics(start)); !strings.Contains(got, `"name":"mcpscan.logs.lost"`) || !strings.Contains(got, `"asInt":"7"`) {
		t.Errorf("got %s", got)
	}
}

// TestSeriesAreBounded checks that combinations of attributes beyond the limit are
// counted together.
func TestSeriesAreBounded(t *testing.T) {
	m := New(start, nil)
	for i := range maxSeries + 10 {
		m.Count("c", "1", Attributes{"n", string(rune(0x4e00 + i))})
	}
	if got := string(m.Metrics(start)); strings.Count(got, "asInt") != maxSeries+1 || !strings.Contains(got, `"otel.metric.overflow"`) || !strings.Contains(got, `"asInt":"10"`) {
		t.Errorf("%d series", strings.Count(got, "asInt"))
	}
}
