package rules_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestLeaksAreMasked checks that a finding about a leaked secret does not contain the secret. Each
// secret in the cases contains one of the pieces once it is decoded.
func TestLeaksAreMasked(t *testing.T) {
	pieces := []string{"Vn7Tk2Wm9", "Qx7Rt5Vb8", "7WX2MZK5", "vT2x_Lq", "KBgHUyVWI4"}
	shown := 0
	for _, file := range cases(t, "res-secret-leak") {
		c := &whole{}
		if _, err := engine(t, rules.All()).Run(context.Background(), source(t, archive(t, file)), c); err != nil {
			t.Fatal(err)
		}
		for _, f := range c.got {
			if f.Rule.ID != "res-secret-leak" {
				continue
			}
			shown++
			for _, text := range []string{f.Message, f.Evidence.Text, f.Evidence.Context, f.Evidence.Decoded} {
				for _, piece := range pieces {
					if strings.Contains(text, piece) {
						t.Errorf("%s: the finding shows a part of the secret: %q", filepath.Base(file), text)
					}
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no case of res-secret-leak has a finding")
	}
}

type whole struct{ got []*scanner.Finding }

func (c *whole) Event(*scanner.Event, *scanner.Outcome) error { return nil }

func (c *whole) Finding(f *scanner.Finding) error {
	c.got = append(c.got, f)
	return nil
}
