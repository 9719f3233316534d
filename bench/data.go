//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mcpscan/mcpscan/internal/recgen"
)

// dataSet is a recording that the programs process.
type dataSet struct {
	name, what, file string
	size, lines      int64
}

// dataSets creates the recordings.
func dataSets(o options) (all []dataSet, err error) {
	made := []struct {
		name, what string
		write      func(io.Writer) error
	}{
		{"Benign results", "Generated: servers that do not change, with results in prose, code, JSON, logs and other languages.",
			func(w io.Writer) error { return recgen.Write(w, recgen.Options{Seed: 1, Bytes: o.bytes, Honest: true}) }},
		{"Generated sessions", "Generated: short sessions with long lists of tools, and many findings; one session in eight has a poisoned tool.",
			func(w io.Writer) error { return recgen.Write(w, recgen.Options{Seed: 1, Bytes: o.bytes}) }},
	}
	if o.shared != "" {
		made = append(made, struct {
			name, what string
			write      func(io.Writer) error
		}{"Recordings of real servers", "Recordings of published servers in sequence, repeated under new session names.",
			func(w io.Writer) error { return recordings(w, o) }},
			struct {
				name, what string
				write      func(io.Writer) error
			}{"Texts of a corpus", "Attacks and benign texts from public corpora as tools and results: the data with the most findings.",
				func(w io.Writer) error { return corpus(w, o) }})
	}
	for i, m := range made {
		d := dataSet{name: m.name, what: m.what, file: filepath.Join(o.dir, fmt.Sprintf("data%d.events.jsonl", i))}
		if d.size, d.lines, err = create(d.file, m.write); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// counter counts the bytes and lines written.
type counter struct {
	io.Writer
	bytes, lines int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	c.lines += int64(bytes.Count(p, []byte("\n")))
	return c.Writer.Write(p)
}

func create(name string, write func(io.Writer) error) (size, lines int64, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	c := &counter{Writer: f}
	b := bufio.NewWriterSize(c, 1<<20)
	if err := write(b); err != nil {
		return 0, 0, err
	}
	if err := b.Flush(); err != nil {
		return 0, 0, err
	}
	return c.bytes, c.lines, f.Close()
}

// recordings repeats the recordings of real servers. Each copy has its own sessions.
func recordings(w io.Writer, o options) error {
	names, err := filepath.Glob(filepath.Join(o.shared, "realservers", "recordings", "*.events.jsonl"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no recordings in %s/realservers/recordings: %w", o.shared, err)
	}
	for written, copies := int64(0), 0; written < o.bytes; copies++ {
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			data = bytes.ReplaceAll(data, []byte(`"session_id":"`), []byte(`"session_id":"`+strconv.Itoa(copies)+"-"))
			written += int64(len(data))
			if _, err := w.Write(data); err != nil {
				return err
			}
		}
	}
	return nil
}

// row is a line of the corpus.
type row struct {
	Text string          `json:"text"`
	Tool json.RawMessage `json:"tool"`
}

// corpus writes the corpus's tools and results as messages, 20 per session, and repeats them until
// the data set has the requested size.
func corpus(w io.Writer, o options) error {
	now := time.Date(2026, 1, 6, 10, 30, 0, 0, time.UTC)
	var written, n int64
	emit := func(r row) error {
		message := struct {
			JSONRPC string `json:"jsonrpc"`
			ID      int64  `json:"id"`
			Result  any    `json:"result"`
		}{"2.0", n, map[string]any{"content": []any{map[string]string{"type": "text", "text": r.Text}}}}
		if r.Tool != nil {
			message.Result = map[string]any{"tools": []any{r.Tool}}
		}
		data, err := json.Marshal(message)
		if err != nil {
			return err
		}
		k, err := fmt.Fprintf(w, `{"type":"mcp_message","timestamp":"%s","session_id":"corpus-%d","server_id":"server-%d","direction":"server_to_client","message":%s}`+"\n",
			now.Add(time.Duration(n)*time.Second).Format(time.RFC3339Nano), n/20, n%5, data)
		written, n = written+int64(k), n+1
		return err
	}
	for written < o.bytes {
		for _, name := range []string{"outputs.jsonl", "tooldefs.jsonl"} {
			if err := eachLine(filepath.Join(o.shared, "corpus", name), func(r row) error {
				if written >= o.bytes {
					return nil
				}
				return emit(r)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachLine decodes each line of a file.
func eachLine[T any](name string, see func(T) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var v T
			if err := json.Unmarshal(line, &v); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := see(v); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
