package rules_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// FuzzConfig checks that no rule panics on any configuration.
func FuzzConfig(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	seeds := 0
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, m := range ar.Files {
			if name, ok := strings.CutPrefix(m.Name, "config/"); ok {
				f.Add(name, m.Data)
				seeds++
			}
		}
	}
	if seeds == 0 {
		f.Fatal("no case contains a configuration")
	}
	engine, err := scanner.New(rules.All(), scanner.Options{Workers: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		file, err := config.Parse(name, data)
		if err != nil {
			return
		}
		event := func() *scanner.Event {
			return &scanner.Event{Kind: scanner.ConfigEvent, Config: &file.ClientConfig, Origin: scanner.Origin{File: name, Line: 1, Column: 1}}
		}
		c := &collect{}
		if _, err := engine.Run(context.Background(), replay.Events([]*scanner.Event{event(), event()}), c); err != nil {
			t.Fatal(err)
		}
		if len(c.got) > 0 { // only rules that panicked
			t.Error(c.got)
		}
	})
}
