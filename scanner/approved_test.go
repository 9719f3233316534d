package scanner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestMissingIsBounded checks that a missing definition is reported, and that if a server has more
// definitions than are remembered, reaching the limit is reported instead.
func TestMissingIsBounded(t *testing.T) {
	engine, err := scanner.New(rules.All(), scanner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := func(n int, more string) []*scanner.Event { // two pages
		tools := make([]string, n)
		for i := range tools {
			tools[i] = fmt.Sprintf(`{"name":"n%d"}`, i)
		}
		return []*scanner.Event{
			frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"2","tools":[`+strings.Join(tools, ",")+`]}}`),
			frame(1, mcp.ServerToClient, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"last"}`+more+`]}}`),
		}
	}
	for n, whole := range map[int]bool{100: true, 4090: true, 5000: false} {
		approved := scanner.NewSnapshot()
		if _, err := engine.Keeping().Run(context.Background(), replay.Events(list(n, `,{"name":"z"}`)), approved); err != nil {
			t.Fatal(err)
		}
		s := &sink{}
		res, err := engine.Against(approved, nil).Run(context.Background(), replay.Events(list(n, "")), s)
		if err != nil {
			t.Fatal(err)
		}
		missing, skipped := 0, 0
		for _, f := range s.findings {
			if f.Rule.ID == "drift-removed-tool" {
				missing++
			}
		}
		for _, skip := range res.Coverage.Skipped {
			if strings.Contains(skip.Reason, "missing approved definitions are not reported") {
				skipped++
			}
		}
		if (missing == 1) != whole || (skipped == 0) != whole {
			t.Errorf("%d tools: %d missing, %d skipped: %+v", n, missing, skipped, res.Coverage.Skipped)
		}
	}
}
