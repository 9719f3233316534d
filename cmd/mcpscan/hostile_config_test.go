package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestHostileConfigurations scans projects in which a configuration tries to hide what it
// starts. Each project contains the text that the report must contain.
func TestHostileConfigurations(t *testing.T) {
	names, err := filepath.Glob("testdata/hostile/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no projects: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			target, want := dir, ""
			var packed bytes.Buffer
			bundle := zip.NewWriter(&packed)
			for _, f := range ar.Files {
				if name, inside := strings.CutPrefix(f.Name, "b.mcpb/"); inside {
					target = filepath.Join(dir, "b.mcpb")
					w, err := bundle.Create(name)
					if err == nil {
						_, err = w.Write(f.Data)
					}
					if err != nil {
						t.Fatal(err)
					}
					continue
				}
				path, to, link := strings.Cut(f.Name, " -> ")
				path = filepath.Join(dir, filepath.FromSlash(path))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				switch {
				case f.Name == "want":
					want = string(f.Data)
				case link:
					err = os.Symlink(to, path)
				default:
					err = os.WriteFile(path, f.Data, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := bundle.Close(); err != nil {
				t.Fatal(err)
			}
			if target != dir {
				if err := os.WriteFile(target, packed.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			if code := run([]string{"scan", "--no-run", "--no-config", target}, streams{strings.NewReader(""), &out, io.Discard}); code == exitUsage {
				t.Errorf("exit %d", code)
			}
			got := strings.Join(strings.Fields(strings.ReplaceAll(out.String(), dir+string(filepath.Separator), "")), " ")
			for line := range strings.Lines(want) {
				line = strings.TrimSpace(line)
				if absent, no := strings.CutPrefix(line, "! "); no && strings.Contains(got, absent) {
					t.Errorf("the report has %q:\n%s", absent, out.String())
				} else if !no && !strings.Contains(got, line) {
					t.Errorf("the report has no %q:\n%s", line, out.String())
				}
			}
		})
	}
}
