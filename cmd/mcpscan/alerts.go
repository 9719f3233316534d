package main

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/deliver"
	"github.com/mcpscan/mcpscan/internal/otlp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// alertFlags say who is told what a proxy decides, while it runs. Without them nobody is.
type alertFlags struct {
	Webhook         string `help:"URL that gets each detection of alert_threshold (high without it) or more, as a JSON object in a POST." placeholder:"URL"`
	WebhookTokenEnv string `help:"Variable that holds a bearer token for --webhook." placeholder:"NAME"`
	OTLP            string `name:"otlp" help:"OTLP/HTTP endpoint that gets logs and metrics, as http://127.0.0.1:4318. Header fields come from OTEL_EXPORTER_OTLP_HEADERS." placeholder:"URL"`
}

// exportEvery is how often logs and metrics are sent.
const exportEvery = 5 * time.Second

// check refuses flags that cannot be meant.
func (f *alertFlags) check() error {
	for flag, raw := range map[string]string{"--webhook": f.Webhook, "--otlp": f.OTLP} {
		if u, err := url.Parse(raw); raw != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
			return usage("%s: expected a URL with http:// or https:// and a host", flag)
		}
	}
	switch {
	case f.WebhookTokenEnv != "" && f.Webhook == "":
		return usage("--webhook-token-env %s: there is no --webhook", text.Visible(f.WebhookTokenEnv, 200))
	case f.WebhookTokenEnv != "" && os.Getenv(f.WebhookTokenEnv) == "":
		return usage("--webhook-token-env %s: the variable is not set or empty; expected the token in it", text.Visible(f.WebhookTokenEnv, 200))
	}
	if _, err := otlpHeader(); f.OTLP != "" && err != nil {
		return err
	}
	return nil
}

// otlpHeader is the header that the environment has for OTLP, in the form of the OpenTelemetry
// specification: NAME=VALUE, percent-encoded, with commas between.
func otlpHeader() (http.Header, error) {
	header := http.Header{}
	for field := range strings.SplitSeq(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		name, raw, ok := strings.Cut(strings.TrimSpace(field), "=")
		value, err := url.PathUnescape(raw)
		switch {
		case strings.TrimSpace(field) == "":
		case !ok || err != nil || strings.TrimSpace(name) == "":
			return nil, usage("OTEL_EXPORTER_OTLP_HEADERS: expected NAME=VALUE, with commas between several, and values percent-encoded")
		default:
			header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return header, nil
}

// alerts tells others what a proxy decides. Telling delays no message.
type alerts struct {
	least   scanner.Severity // that the webhook gets
	webhook *deliver.Sender  // nil for none
	events  *report.Events   // writes to the webhook

	meter         *otlp.Meter // nil for none
	logs, metrics *deliver.Sender
	ended, done   chan struct{}
}

// startAlerts starts telling. least is the severity that the webhook gets, nil for high.
func (f *alertFlags) startAlerts(least *scanner.Severity) *alerts {
	a := &alerts{least: scanner.High}
	if least != nil {
		a.least = *least
	}
	if f.Webhook != "" {
		header := http.Header{}
		if f.WebhookTokenEnv != "" {
			header.Set("Authorization", "Bearer "+os.Getenv(f.WebhookTokenEnv))
		}
		a.webhook = deliver.New(f.Webhook, header)
		a.events = report.NewEvents(&detectionLines{to: a.webhook})
	}
	if f.OTLP != "" {
		header, _ := otlpHeader() // checked already
		base := strings.TrimSuffix(f.OTLP, "/")
		a.meter = otlp.New(time.Now(), otlp.Attributes{"service.name", "mcpscan", "service.version", version()})
		a.logs, a.metrics = deliver.New(base+"/v1/logs", header), deliver.New(base+"/v1/metrics", header)
		a.ended, a.done = make(chan struct{}), make(chan struct{})
		go a.export()
	}
	return a
}

// took returns what is told how long a decision took, nil for nobody.
func (a *alerts) took() func(time.Duration) {
	if a.meter == nil {
		return nil
	}
	return a.meter.Took
}

// decided takes in what became of an event. Findings of others than this event are not open.
func (a *alerts) decided(e *scanner.Event, out *scanner.Outcome, do scanner.Action) {
	if a.events != nil {
		_ = a.events.Flush() // a sender has no errors
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
	if do == scanner.Refuse {
		a.meter.Log(e.Time, severityWarn, "refused "+saidIn(e, out)+": "+text.Visible(out.Decision.Reason, 400), otlp.Attributes{
			"server", server, "session", text.Visible(e.Session, 200), "rule", text.Visible(out.Decision.Rule, 200), "check", out.Decision.Check.String(), "verdict", out.Decision.Verdict.String()})
	}
}

// Numbers of severities in the data model of OpenTelemetry.
const (
	severityInfo = 9
	severityWarn = 13
	severityHigh = 17
)

// Event is for the webhook.
func (a *alerts) Event(e *scanner.Event, out *scanner.Outcome) error {
	if a.events == nil {
		return nil
	}
	return a.events.Event(e, out)
}

// Finding takes in a finding of the event at hand.
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
		a.meter.Log(f.Time, level, text.Visible(f.Message, 400), append(about, "session", text.Visible(f.Session, 200)))
	}
	if a.events == nil || f.Severity < a.least {
		return nil
	}
	return a.events.Finding(f)
}

// export sends logs and metrics from time to time, and at the end.
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

// close sends what waits. What was not delivered is told, and fails nothing.
func (a *alerts) close(tell func(string, ...any)) {
	for what, to := range map[string]*deliver.Sender{"--webhook": a.webhook, "--otlp, logs": a.logs, "--otlp, metrics": a.metrics} {
		if to == nil {
			continue
		}
		if to != a.webhook && a.ended != nil {
			close(a.ended)
			<-a.done
			a.ended = nil
		}
		if err := to.Close(); err != nil {
			tell("%s: %s", what, text.Visible(err.Error(), 400))
		}
	}
}

// detectionLines posts those audit events that are detections.
type detectionLines struct {
	to   *deliver.Sender
	rest []byte // of a line that is not whole
}

func (d *detectionLines) Write(b []byte) (int, error) {
	d.rest = append(d.rest, b...)
	for {
		line, rest, whole := bytes.Cut(d.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		if bytes.HasPrefix(line, []byte(`{"type":"mcp_detection"`)) || bytes.HasPrefix(line, []byte(`{"type":"mcp_cross_server_blocked"`)) {
			d.to.Send(bytes.Clone(line))
		}
		d.rest = append(d.rest[:0], rest...)
	}
}
