package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestInterruptedReplay checks that an interrupted replay reports the events read
// so far and the unread rest, and that a blocked read does not delay the exit.
func TestInterruptedReplay(t *testing.T) {
	const line = `{"type":"mcp_message","timestamp":"2026-01-06T10:30:00Z","session_id":"s","server_id":"a","direction":"client_to_server","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}` + "\n"
	for name, written := range map[string]string{"nothing was read": "", "much was read": strings.Repeat(line, 20_000)} {
		t.Run(name, func(t *testing.T) {
			r, w := io.Pipe()
			defer w.Close()
			ctx, cancel := context.WithCancelCause(context.Background())
			go func() {
				_, _ = io.WriteString(w, written)
				time.Sleep(50 * time.Millisecond)
				cancel(&signalled{os.Interrupt})
			}()
			c := &replayCmd{Files: []string{"-"}}
			c.Format, c.FailOn, c.MinSeverity, c.MaxMessage = []string{"text"}, "high", "low", 1<<20
			var out bytes.Buffer
			err := c.Run(ctx, streams{r, &out, io.Discard})
			if exitOf(err).code != exitIncomplete {
				t.Errorf("got %v", err)
			}
			if s := out.String(); !strings.Contains(s, "interrupted: the rest was not read") || strings.Contains(s, "No findings.") {
				t.Errorf("the report is\n%s", s)
			}
			if s := out.String(); written != "" && !strings.Contains(s, " events;") {
				t.Errorf("what was read is not reported:\n%s", s)
			}
		})
	}
}

// TestInterruptedReads checks that an interrupt ends every command that waits for
// input.
func TestInterruptedReads(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&signalled{os.Interrupt})
	query := queryFlags{Files: []string{"-"}, engineFlags: engineFlags{MaxMessage: 1 << 20}}
	output := outputFlags{Format: []string{"text"}, FailOn: "high", MinSeverity: "low"}
	std := streams{r, io.Discard, io.Discard}
	for name, err := range map[string]error{
		"events": (&eventsCmd{queryFlags: query}).Run(ctx, std),
		"report": (&reportCmd{File: "-", outputFlags: output}).Run(ctx, std),
	} {
		if exitOf(err).code != exitIncomplete || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
