// Package otlp writes logs and metrics in the JSON form of the OpenTelemetry protocol.
//
// It must never do I/O, and its memory must not grow with the number of events.
package otlp

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

const (
	maxLogs   = 1000 // log records between two exports
	maxSeries = 2000 // combinations of attributes of one counter
)

// bounds are the upper bounds of the duration buckets, in milliseconds. The last bucket is
// unbounded.
var bounds = [...]float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000}

// Attributes are key-value pairs in a fixed order.
type Attributes []string

// key returns the key under which counts with the same attributes are added up.
func (a Attributes) key() string { return strings.Join(a, "\x00") }

// Meter counts and logs. It is safe for concurrent use.
type Meter struct {
	mu       sync.Mutex
	resource Attributes
	start    time.Time
	counters map[string]*counter
	took     histogram
	logs     [][]byte
	lost     int64 // log records
}

type counter struct {
	unit   string
	series map[string]*series
}

type series struct {
	attributes Attributes
	count      int64
}

type histogram struct {
	count   int64
	sum     float64
	buckets [len(bounds) + 1]int64
}

// New returns an empty meter. resource describes the program.
func New(start time.Time, resource Attributes) *Meter {
	return &Meter{resource: resource, start: start, counters: map[string]*counter{}}
}

// Count adds one to a counter.
func (m *Meter) Count(name, unit string, attributes Attributes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(name, unit, attributes, 1)
}

func (m *Meter) add(name, unit string, attributes Attributes, n int64) {
	c := m.counters[name]
	if c == nil {
		c = &counter{unit, map[string]*series{}}
		m.counters[name] = c
	}
	key := attributes.key()
	s := c.series[key]
	if s == nil {
		if len(c.series) >= maxSeries {
			attributes = Attributes{"otel.metric.overflow", "true"} // the name that OpenTelemetry specifies
			key = attributes.key()
			s = c.series[key]
		}
		if s == nil {
			s = &series{attributes: attributes}
			c.series[key] = s
		}
	}
	s.count += n
}

// Took records the duration of a decision.
func (m *Meter) Took(d time.Duration) {
	ms := float64(d) / float64(time.Millisecond)
	i, _ := slices.BinarySearch(bounds[:], ms)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took.count++
	m.took.sum += ms
	m.took.buckets[i]++
}

// Log adds a record, or counts it as lost if too many are waiting. severity is the record's
// severity number in the OpenTelemetry data model: 9 is INFO, 13 WARN, 17 ERROR.
func (m *Meter) Log(at time.Time, severity int, body string, attributes Attributes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.logs) >= maxLogs {
		m.lost++
		return
	}
	b := append([]byte(`{"timeUnixNano":"`), strconv.FormatInt(at.UnixNano(), 10)...)
	b = append(b, `","severityNumber":`...)
	b = strconv.AppendInt(b, int64(severity), 10)
	b = append(b, `,"body":{"stringValue":`...)
	b = wire.AppendString(b, []byte(body))
	b = append(appendAttributes(append(b, `},`...), attributes), '}')
	m.logs = append(m.logs, b)
}

// Logs returns the records since the last call as an ExportLogsServiceRequest, or nil if there are
// none.
func (m *Meter) Logs() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost > 0 {
		m.add("mcpscan.logs.lost", "{record}", nil, m.lost)
		m.lost = 0
	}
	if len(m.logs) == 0 {
		return nil
	}
	b := m.begin(`{"resourceLogs":[`)
	b = append(b, `"scopeLogs":[{"scope":{"name":"mcpscan"},"logRecords":[`...)
	for i, record := range m.logs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, record...)
	}
	m.logs = nil
	return append(b, `]}]}]}`...)
}

// Metrics returns what was counted since the start as an ExportMetricsServiceRequest.
func (m *Meter) Metrics(now time.Time) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	times := `"startTimeUnixNano":"` + strconv.FormatInt(m.start.UnixNano(), 10) + `","timeUnixNano":"` + strconv.FormatInt(now.UnixNano(), 10) + `"`
	b := m.begin(`{"resourceMetrics":[`)
	b = append(b, `"scopeMetrics":[{"scope":{"name":"mcpscan"},"metrics":[`...)
	for _, name := range slices.Sorted(maps.Keys(m.counters)) {
		c := m.counters[name]
		b = append(b, `{"name":"`+name+`","unit":"`+c.unit+`","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[`...)
		for i, s := range slices.SortedFunc(maps.Values(c.series), func(a, b *series) int { return cmp.Compare(a.attributes.key(), b.attributes.key()) }) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, '{')
			b = append(appendAttributes(b, s.attributes), `,`+times+`,"asInt":"`...)
			b = append(strconv.AppendInt(b, s.count, 10), `"}`...)
		}
		b = append(b, `]}},`...)
	}
	b = append(b, `{"name":"mcpscan.decision.duration","unit":"ms","histogram":{"aggregationTemporality":2,"dataPoints":[{"attributes":[],`+times+`,"count":"`...)
	b = append(strconv.AppendInt(b, m.took.count, 10), `","sum":`...)
	b = append(strconv.AppendFloat(b, m.took.sum, 'g', -1, 64), `,"bucketCounts":[`...)
	for i, n := range m.took.buckets {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendInt(append(b, '"'), n, 10), '"')
	}
	b = append(b, `],"explicitBounds":[`...)
	for i, bound := range bounds {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, bound, 'g', -1, 64)
	}
	return append(b, `]}]}}]}]}]}`...)
}

// begin starts a request with the resource.
func (m *Meter) begin(head string) []byte {
	b := append([]byte(head), `{"resource":{`...)
	return append(appendAttributes(b, m.resource), `},`...)
}

func appendAttributes(b []byte, a Attributes) []byte {
	b = append(b, `"attributes":[`...)
	for i := 0; i+1 < len(a); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(append(b, `{"key":`...), []byte(a[i]))
		b = append(wire.AppendString(append(b, `,"value":{"stringValue":`...), []byte(a[i+1])), `}}`...)
	}
	return append(b, ']')
}
