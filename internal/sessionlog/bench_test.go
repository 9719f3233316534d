//go:build linux || darwin

package sessionlog

import "testing"

// BenchmarkTurn measures one turn with the lock, in which one entry is read and one is written.
func BenchmarkTurn(b *testing.B) {
	base := b.TempDir()
	var logs [2]*Log
	for i := range logs {
		l, err := Join(base, "one")
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		logs[i] = l
	}
	data := make([]byte, 300)
	for i := range data {
		data[i] = 'x'
	}
	for n := 0; b.Loop(); n++ {
		l := logs[n%2]
		if _, _, err := l.Take(Wait); err != nil {
			b.Fatal(err)
		}
		if err := l.Write(Entry{Data: data}); err != nil {
			b.Fatal(err)
		}
		l.End()
	}
}
