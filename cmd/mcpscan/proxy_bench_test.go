//go:build linux || darwin

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// roundTrip is a connection to a server through a command, with the durations of its calls.
type roundTrip struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	n    int
	took []time.Duration
}

func startRoundTrip(b *testing.B, name string, env []string, command ...string) *roundTrip {
	b.Helper()
	r := &roundTrip{name: name, cmd: exec.Command(command[0], command[1:]...)}
	r.cmd.Env = append(os.Environ(), env...)
	in, err1 := r.cmd.StdinPipe()
	out, err2 := r.cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		b.Fatal(err1, err2)
	}
	if err := r.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	r.in, r.out = in, bufio.NewReaderSize(out, 64<<10)
	b.Cleanup(r.end)
	r.ask(b, `"tools/list"`)
	return r
}

func (r *roundTrip) end() {
	r.in.Close()
	_ = r.cmd.Wait()
}

func (r *roundTrip) ask(b *testing.B, method string) time.Duration {
	b.Helper()
	r.n++
	begin := time.Now()
	if _, err := fmt.Fprintf(r.in, `{"jsonrpc":"2.0","id":%d,"method":%s}`+"\n", r.n, method); err != nil {
		b.Fatal(err)
	}
	line, err := r.out.ReadString('\n')
	if err != nil || !strings.Contains(line, `"result"`) {
		b.Fatal(r.name, err, line)
	}
	return time.Since(begin)
}

// BenchmarkSession measures the round trip of a call with a 1 KiB result through a bare relay,
// through a proxy with its own session, and through two proxies that share a session and are called
// alternately. For the proxy, it reports the time spent judging the two messages and the time spent
// forwarding them separately. It alternates between all of these, so that they run under the same
// load.
func BenchmarkSession(b *testing.B) {
	home := b.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(home, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		return file
	}
	settings := write("mcpscan.yaml", "cross_server: {burst: {enabled: false}}\n")
	prose := strings.Repeat("The report of the third quarter lists what was sold by region, and how that compares. ", 12)
	server := func(name string) []string {
		return []string{"fakeserver", "scripted", write(name, fmt.Sprintf(`{"tools":[{"name":"compute_%s","description":"Computes.","inputSchema":{"type":"object"}}],"answers":{"compute_%[1]s":%q}}`, name, prose))}
	}
	through := func(name string, command ...string) *roundTrip {
		return startRoundTrip(b, name, []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home}, append(command, server(name)...)...)
	}
	behind := func(name, session string) *roundTrip {
		return through(name, "mcpscan", "proxy", "--config", settings, "--quiet", "--name", name, "--session", session, "--")
	}
	decisions := filepath.Join(home, "decisions")
	relay, timed := through("relay", "relay"), through("timed", "timedproxy", decisions)
	alone, one, two := behind("alone", noSession), behind("one", "bench"), behind("two", "bench")
	for b.Loop() {
		for _, r := range []*roundTrip{relay, timed, alone, one, two} {
			r.took = append(r.took, r.ask(b, `"tools/call","params":{"name":"compute_`+r.name+`","arguments":{"of":"the third quarter"}}`))
		}
	}
	timed.end()
	forward, judge := timed.apart(b, decisions)
	reportTimes(b, "relay", relay.took)
	reportTimes(b, "forward", forward)
	reportTimes(b, "judge", judge)
	reportTimes(b, "alone", alone.took)
	reportTimes(b, "shared", append(one.took, two.took...))
}

// apart divides the duration of each round trip into the time spent forwarding its two messages and
// the time spent judging them. The file contains the durations of all decisions, the first two of
// which are about tools/list.
func (r *roundTrip) apart(b *testing.B, file string) (forward, judge []time.Duration) {
	b.Helper()
	text, err := os.ReadFile(file)
	lines := strings.Fields(string(text))
	if err != nil || len(lines) != 2*r.n {
		b.Fatalf("%d decisions about %d messages: %v", len(lines), 2*r.n, err)
	}
	for i, took := range r.took {
		request, err1 := strconv.Atoi(lines[2*i+2])
		response, err2 := strconv.Atoi(lines[2*i+3])
		if err1 != nil || err2 != nil {
			b.Fatal(err1, err2)
		}
		judge = append(judge, time.Duration(request+response))
		forward = append(forward, took-judge[i])
	}
	return forward, judge
}

// reportTimes reports the median and the 99th percentile of durations.
func reportTimes(b *testing.B, name string, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), name+"-p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), name+"-p99-µs")
}
