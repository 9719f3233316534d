package main

import (
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestEveryFieldIsCompared checks that removing any field from a complete example of the
// settings makes config.Compare report a change. It therefore fails for a new field that
// config.Compare does not know; TestConfigurationDocument checks that the example is
// complete.
func TestEveryFieldIsCompared(t *testing.T) {
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(readFile(t, filepath.Join(root, "docs", "configuration.md")))
	parse := func() *config.Settings {
		s, err := config.ParseSettings("mcpscan.yaml", []byte(example[1]), app.Vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		// The example contains default values, and removing them would change nothing, so replace
		// them.
		no, alert, most := false, scanner.Alert, 7
		s.Definitions, s.Outputs.Enabled = &no, &no
		strict, err := config.ParseSettings("mcpscan.yaml", []byte("detection: {profile: strict}"), app.Vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		s.Profile = strict.Profile
		s.Similarity = 0.5
		s.Approval = config.Approval{Quarantine: &no, TrustFirst: &no, Skip: s.Approval.Skip}
		c := &s.CrossServer
		c.Enabled, c.SimilarityCheck, c.ReadThenSend.Enabled, c.Flow.Enabled, c.Flow.SameTurnOnly, c.Burst.Enabled = &no, &no, &no, &no, &no, &no
		c.ReadThenSend.Window, c.Flow.Window, c.Burst.Window, c.Burst.MaxCalls = 7, 7, 7, most
		s.RateLimits.DefaultRPM, s.RateLimits.DefaultBurst = most, most
		s.Policy.FailClosed = true
		s.Policy.Pinning = policy.Pinning{Enabled: s.Policy.Pinning.Enabled, OnChange: &alert, TrustFirst: &no, Binary: &no}
		s.Policy.AllowedTools, s.Policy.ToolMode = s.Policy.DeniedTools[1:], policy.Allowlist
		s.Policy.DeniedTools = s.Policy.DeniedTools[1:]
		web := s.Policy.Servers[1]
		db := &s.Policy.Servers[0]
		db.URL, db.TLSFingerprint, db.EnvDeny = web.URL, web.TLSFingerprint, web.EnvDeny
		return s
	}
	eachField(t, "Settings", reflect.ValueOf(parse()).Elem(), nil, func(name string, path []int) {
		full, without := parse(), parse()
		field := reflect.ValueOf(without).Elem()
		for _, i := range path {
			if field = element(field); field.Kind() == reflect.Struct {
				field = field.Field(i)
			}
		}
		if field.IsZero() {
			t.Errorf("%s: the example has none, so that nothing is compared", name)
			return
		}
		field.SetZero()
		if len(config.Compare(full, without, nil, app.Vocabulary()))+len(config.Compare(without, full, nil, app.Vocabulary())) == 0 {
			t.Errorf("%s: changes to it are not detected; add it to config.Compare, and its meaning to the table there", name)
		}
	})
}

// element follows pointers, and returns the first element of a list.
func element(v reflect.Value) reflect.Value {
	for {
		switch {
		case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct:
			v = v.Elem()
		case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
			v = v.Index(0)
		default:
			return v
		}
	}
}

// eachField visits the fields of settings, including those of nested structs from the
// same packages, except positions. Names and hashes count as single values.
func eachField(t *testing.T, name string, v reflect.Value, path []int, visit func(name string, path []int)) {
	t.Helper()
	position := reflect.TypeFor[configfile.Position]()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		at := append(path[:len(path):len(path)], i)
		name := name + "." + field.Name
		switch {
		case field.Type == position, name == "Settings.Path", name == "Settings.Idle", name == "Settings.Policy.File", !field.IsExported():
			continue
		case v.Field(i).Kind() == reflect.Slice && v.Field(i).Len() == 0:
			t.Errorf("%s: the example has none", name)
			continue
		}
		inner := element(v.Field(i))
		if own := inner.Type().PkgPath(); inner.Kind() == reflect.Struct && (own == reflect.TypeFor[config.Settings]().PkgPath() || own == reflect.TypeFor[policy.Lists]().PkgPath()) && inner.NumField() > 0 && inner.Type().Field(0).IsExported() {
			eachField(t, name, inner, at, visit)
			continue
		}
		visit(name, at)
	}
}
