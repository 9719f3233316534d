package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/deliver"
	"github.com/mcpscan/mcpscan/internal/otlp"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// alertFlags configures where a running proxy sends findings, logs and metrics; by default,
// nowhere.
type alertFlags struct {
	Webhook         string `help:"Send each detection at or above alert_threshold (default: high) to this URL, as a JSON object in a POST request." placeholder:"URL"`
	WebhookTokenEnv string `help:"Environment variable with the bearer token for --webhook." placeholder:"NAME"`
	OTLP            string `name:"otlp" help:"Send logs and metrics to this OTLP/HTTP endpoint, such as http://127.0.0.1:4318. Set headers in OTEL_EXPORTER_OTLP_HEADERS." placeholder:"URL"`
}

// exportEvery is the interval at which logs and metrics are sent.
const exportEvery = 5 * time.Second

// check rejects invalid flags.
func (f *alertFlags) check() error {
	for _, to := range [...]struct{ flag, url string }{{"--webhook", f.Webhook}, {"--otlp", f.OTLP}} {
		if u, err := url.Parse(to.url); to.url != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
			return usage("%s: expected a URL with http:// or https:// and a host", to.flag)
		}
	}
	switch {
	case f.WebhookTokenEnv != "" && f.Webhook == "":
		return usage("--webhook-token-env %s applies only to a webhook; add --webhook URL", text.Visible(f.WebhookTokenEnv, 200))
	case f.WebhookTokenEnv != "" && os.Getenv(f.WebhookTokenEnv) == "":
		return usage("--webhook-token-env %s: the variable is not set or is empty; set it to the token", text.Visible(f.WebhookTokenEnv, 200))
	}
	if _, err := otlpHeader(); f.OTLP != "" && err != nil {
		return err
	}
	return nil
}

// otlpHeader parses OTEL_EXPORTER_OTLP_HEADERS, in the format of the OpenTelemetry specification:
// comma-separated NAME=VALUE pairs, percent-encoded.
func otlpHeader() (http.Header, error) {
	header := http.Header{}
	for field := range strings.SplitSeq(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		name, raw, ok := strings.Cut(strings.TrimSpace(field), "=")
		value, err := url.PathUnescape(raw)
		switch {
		case strings.TrimSpace(field) == "":
		case !ok || err != nil || strings.TrimSpace(name) == "":
			return nil, usage("OTEL_EXPORTER_OTLP_HEADERS: expected comma-separated NAME=VALUE pairs with percent-encoded values")
		default:
			header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return header, nil
}

// alerts sends a proxy's findings to the webhook, and logs and metrics to the OTLP endpoint,
// without delaying messages.
type alerts struct {
	tell    func(string, ...any) // reports failed deliveries
	least   scanner.Severity     // minimum severity for the webhook
	webhook *deliver.Sender      // nil for none
	events  *report.Events       // writes to the webhook

	meter         *otlp.Meter // nil for none
	logs, metrics *deliver.Sender
	ended, done   chan struct{}
}

// startAlerts starts the exports. least is the minimum severity for the webhook; nil means high. It
// reports failed deliveries with the function tell.
func (f *alertFlags) startAlerts(least *scanner.Severity, tell func(string, ...any)) *alerts {
	a := &alerts{tell: tell, least: scanner.High}
	if least != nil {
		a.least = *least
	}
	if f.Webhook != "" {
		header := http.Header{}
		if f.WebhookTokenEnv != "" {
			header.Set("Authorization", "Bearer "+os.Getenv(f.WebhookTokenEnv))
		}
		a.webhook = deliver.New(f.Webhook, header, a.trouble("--webhook"))
		a.events = report.NewFindingEvents(&postedLines{to: a.webhook})
	}
	if f.OTLP != "" {
		header, _ := otlpHeader() // already checked
		base := strings.TrimSuffix(f.OTLP, "/")
		a.meter = otlp.New(time.Now(), otlp.Attributes{"service.name", "mcpscan", "service.version", version()})
		a.logs, a.metrics = deliver.New(base+"/v1/logs", header, a.trouble("--otlp, logs")), deliver.New(base+"/v1/metrics", header, a.trouble("--otlp, metrics"))
		a.ended, a.done = make(chan struct{}), make(chan struct{})
		go a.export()
	}
	return a
}

// trouble returns a function that reports when deliveries begin or cease to fail.
func (a *alerts) trouble(what string) func(error) {
	return func(err error) {
		if err == nil {
			a.tell("%s: delivering again", what)
			return
		}
		a.tell("%s: not delivered: %s; messages still pass, and mcpscan continues to send", what, text.Visible(err.Error(), 400))
	}
}

// decisionTimer returns a function to call with the duration of each decision, or nil if there is no meter.
func (a *alerts) decisionTimer() func(time.Duration) {
	if a.meter == nil {
		return nil
	}
	return a.meter.Took
}

// decided posts the findings of an event, and counts and logs its outcome. It must be called after
// the event's last finding. held is set if someone is asked about the message.
func (a *alerts) decided(e *scanner.Event, out *scanner.Outcome, do scanner.Action, held bool) {
	if a.events != nil {
		_ = a.events.Flush() // a sender never fails
	}
	if a.meter == nil {
		return
	}
	server := text.Visible(e.Server, 200)
	switch e.Kind {
	case scanner.FrameEvent:
		a.meter.Count("mcpscan.messages", "{message}", otlp.Attributes{"server", server, "direction", e.Direction.String(), "action", do.String(), "verdict", out.Decision.Verdict.String()})
	case scanner.SkippedEvent:
		a.meter.Count("mcpscan.skipped", "{event}", otlp.Attributes{"server", server})
		a.meter.Log(e.Time, severityWarn, "not inspected: "+text.Visible(e.Reason, 400), otlp.Attributes{"server", server})
	}
	if do == scanner.Refuse && !held {
		a.meter.Log(e.Time, severityWarn, "refused "+describeMessage(e, out)+": "+text.Visible(out.Decision.Reason, 400), otlp.Attributes{
			"server", server, "session", text.Visible(e.Session, 200), "rule", text.Visible(out.Decision.Rule, 200), "check", out.Decision.Check.String(), "verdict", out.Decision.Verdict.String()})
	}
}

// answered logs the answer to a question about a held message.
func (a *alerts) answered(q *proxy.Question, what, by string) {
	if a.meter != nil {
		a.meter.Log(q.Event.Time, severityInfo, fmt.Sprintf("%s %s: %s", what, q, by), otlp.Attributes{
			"server", q.Server, "session", text.Visible(q.Event.Session, 200), "verdict", scanner.Prompt.String()})
	}
}

// Severity numbers of the OpenTelemetry data model.
const (
	severityInfo = 9
	severityWarn = 13
	severityHigh = 17
)

// Event begins a new event: the findings that follow are about it.
func (a *alerts) Event(e *scanner.Event, out *scanner.Outcome) error {
	if a.events == nil {
		return nil
	}
	return a.events.Event(e, out)
}

// Finding counts and logs an open finding of the current event, and queues it for the webhook if it
// is severe enough.
func (a *alerts) Finding(f *scanner.Finding) error {
	if f.Status != scanner.Open {
		return nil
	}
	if a.meter != nil {
		about := otlp.Attributes{"rule", f.Rule.ID, "severity", f.Severity.String(), "server", text.Visible(f.Server, 200)}
		a.meter.Count("mcpscan.findings", "{finding}", about)
		level := severityInfo
		switch {
		case f.Severity >= scanner.High:
			level = severityHigh
		case f.Severity >= scanner.Medium:
			level = severityWarn
		}
		a.meter.Log(f.Time, level, text.Visible(f.Message, 400), append(about, "session", text.Visible(f.Session, 200), "subject", f.Subject.String(), "name", text.Visible(f.Name, 200)))
	}
	if a.events == nil || f.Severity < a.least {
		return nil
	}
	return a.events.Finding(f)
}

// export sends logs and metrics at regular intervals, and at the end.
func (a *alerts) export() {
	defer close(a.done)
	tick := time.NewTicker(exportEvery)
	defer tick.Stop()
	for open := true; open; {
		select {
		case <-tick.C:
		case <-a.ended:
			open = false
		}
		if logs := a.meter.Logs(); logs != nil {
			a.logs.Send(logs)
		}
		a.metrics.Send(a.meter.Metrics(time.Now()))
	}
}

// close sends all pending data. It reports failed deliveries, but returns no error.
func (a *alerts) close() {
	if a.ended != nil {
		close(a.ended)
		<-a.done
	}
	for _, to := range [...]struct {
		what string
		*deliver.Sender
	}{{"--webhook", a.webhook}, {"--otlp, logs", a.logs}, {"--otlp, metrics", a.metrics}} {
		if to.Sender == nil {
			continue
		}
		if err := to.Close(); err != nil {
			a.tell("%s: %s", to.what, text.Visible(err.Error(), 400))
		}
	}
}

// postedLines is a writer that posts each line.
type postedLines struct {
	to   *deliver.Sender
	rest []byte // an incomplete line
}

func (d *postedLines) Write(b []byte) (int, error) {
	d.rest = append(d.rest, b...)
	for {
		line, rest, whole := bytes.Cut(d.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		d.to.Send(bytes.Clone(line))
		d.rest = append(d.rest[:0], rest...)
	}
}
