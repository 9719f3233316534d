package conform_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/conform"
)

// typical is a tool's schema as SDKs write it.
const typical = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"path":{"type":"string","description":"The path"},
"mode":{"type":"string","enum":["read","write","append"],"default":"read"},"limit":{"type":"integer","minimum":1,"maximum":1000},
"filter":{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"string"}}]},"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},
"new":{"type":"string"}},"required":["old","new"],"additionalProperties":false}}},"required":["path"],"additionalProperties":false}`

// BenchmarkCheck checks values and schemas that are not cached yet.
func BenchmarkCheck(b *testing.B) {
	small := `{"path":"/home/user/notes/%d.md","mode":"write","limit":20,"filter":["a","b"],"edits":[{"old":"x","new":"y"}]}`
	large := `{"path":"%d","edits":[` + strings.Repeat(`{"old":"some text","new":"another text"},`, 1000) + `{"old":"x","new":"y"}]}`
	for _, c := range []struct{ name, schema, value string }{
		{"conforms", typical, small},
		{"violates", typical, strings.Replace(small, `"limit":20`, `"limit":0`, 1)},
		{"pattern", strings.Replace(typical, `"description":"The path"`, `"pattern":"^/[a-z]+/"`, 1), small},
		{"large", typical, large},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var checker conform.Checker
			schema, of := []byte(c.schema), sha256.Sum256([]byte(c.schema))
			for i := 0; b.Loop(); i++ {
				checker.Check(of, conform.Digest{byte(i), byte(i >> 8), byte(i >> 16)}, schema, fmt.Appendf(nil, c.value, i))
			}
		})
	}
	b.Run("schema", func(b *testing.B) {
		b.ReportAllocs()
		var checker conform.Checker
		for i := 0; b.Loop(); i++ {
			checker.Check(conform.Digest{byte(i), byte(i >> 8), byte(i >> 16)}, conform.Digest{}, []byte(typical), []byte(`{"path":1}`))
		}
	})
}
