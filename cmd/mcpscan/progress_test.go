package main

import (
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		of          unit
		done, total int64
		elapsed     time.Duration
		want        string
	}{
		{bytesRead, 0, 50e6, time.Second, "reading: 0.0 MB of 50.0 MB, 1s"},
		{bytesRead, 20e6, 50e6, 2 * time.Second, "reading: 20.0 MB of 50.0 MB, 10.0 MB/s, 3s left, 2s"},
		{bytesRead, 20e6, 0, 2 * time.Second, "reading: 20.0 MB, 10.0 MB/s, 2s"},
		{bytesRead, 50e6, 50e6, 5 * time.Second, "reading: 50.0 MB of 50.0 MB, 10.0 MB/s, 5s"},
		{listedServers, 0, 5, time.Second, "reading: 0 of 5, 1s"},
		{listedServers, 2, 5, 4 * time.Second, "reading: 2 of 5, 30.0/min, 6s left, 4s"},
		{listedServers, 4, 5, 2 * time.Second, "reading: 4 of 5, 2.0/s, 1s left, 2s"},
	} {
		if got := progressLine("reading", c.of, c.done, c.total, c.elapsed); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
