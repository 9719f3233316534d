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
	"strings"
	"testing"
	"time"
)

// roundTrip is a server behind something, and how long its answers take.
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
	b.Cleanup(func() {
		r.in.Close()
		_ = r.cmd.Wait()
	})
	r.ask(b, `"tools/list"`)
	return r
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

// BenchmarkSession measures the round trip of a call with a result of 1 KiB through a bare
// relay, through the proxy alone, and through two proxies that share a session and are called
// in turns. All are called one after the other, so that the machine is the same for all.
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
	behind := func(way, name, session string) *roundTrip {
		command := []string{"mcpscan", "proxy", "--config", settings, "--quiet", "--name", name, "--session", session, "--"}
		return startRoundTrip(b, way, []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home}, append(command, server(name)...)...)
	}
	ways := []*roundTrip{startRoundTrip(b, "relay", nil, append([]string{"relay"}, server("relay")...)...), behind("alone", "alone", noSession), behind("shared", "one", "bench"), behind("shared", "two", "bench")}
	names := []string{"relay", "alone", "one", "two"}
	for b.Loop() {
		for i, r := range ways {
			r.took = append(r.took, r.ask(b, `"tools/call","params":{"name":"compute_`+names[i]+`","arguments":{"of":"the third quarter"}}`))
		}
	}
	ways[2].took = append(ways[2].took, ways[3].took...)
	for _, r := range ways[:3] {
		slices.Sort(r.took)
		b.ReportMetric(float64(r.took[len(r.took)/2].Microseconds()), r.name+"-p50-µs")
		b.ReportMetric(float64(r.took[len(r.took)*99/100].Microseconds()), r.name+"-p99-µs")
	}
}
