package main

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated documents instead of comparing them")

// root is the relative path from this package to the repository root.
const root = "../.."

// imports contains the packages of this module that each package may import. The table is a policy,
// so a commit that adds an entry must change nothing else but ARCHITECTURE.md.
var imports = map[string][]string{
	"internal/wire":                {},
	"internal/lazyregexp":          {},
	"internal/effort":              {},
	"internal/gitleaks":            {"internal/lazyregexp"},
	"internal/gitleaks/genrules":   {"internal/gitleaks"},
	"internal/fakeserver":          {"internal/fakeserver/fakes"},
	"internal/fakeserver/fakes":    {"internal/fakeserver"},
	"internal/action":              {},
	"internal/text":                {"internal/lazyregexp"},
	"internal/conform":             {"internal/wire"},
	"internal/reading":             {"internal/lazyregexp"},
	"internal/intent":              {"internal/mcp", "internal/text", "scanner"},
	"internal/intent/learn":        {"internal/intent", "internal/mcp", "internal/text", "rules", "rules/instructions", "scanner"},
	"internal/intent/train":        {"internal/intent", "internal/intent/learn", "internal/replace"},
	"internal/intent/vectors":      {},
	"internal/policy":              {"internal/configfile", "internal/destination", "internal/lazyregexp", "internal/mcp", "internal/names", "internal/text", "internal/wire", "scanner"},
	"internal/config":              {"internal/capability", "internal/configfile", "internal/lazyregexp", "internal/mcp", "internal/names", "internal/policy", "internal/text", "internal/wire", "scanner"},
	"internal/lockfile":            {"internal/baseline", "internal/mcp", "internal/replace", "internal/text", "internal/wire", "scanner"},
	"internal/replace":             {},
	"internal/live":                {"internal/lazyregexp", "internal/wire"},
	"internal/osv":                 {"internal/launch", "rules/supplychain", "scanner"},
	"internal/deliver":             {},
	"internal/otlp":                {"internal/wire"},
	"internal/sessionlog":          {},
	"internal/proxy":               {"internal/mcp", "internal/sessionlog", "internal/text", "internal/wire", "replay", "scanner"},
	"internal/recgen":              {},
	"internal/spool":               {},
	"internal/recgen/genrecording": {"internal/recgen"},
	"internal/score":               {"internal/mcp", "replay", "rules", "scanner"},
	"bench":                        {"internal/recgen", "internal/replace"},
	"bench/literals":               {"rules"},
	"beam":                         {"replay", "report", "rules", "scanner"},
	"internal/score/scorecorpus":   {"internal/score"},
	"scanner":                      {"internal/baseline", "internal/capability", "internal/configfile", "internal/conform", "internal/lazyregexp", "internal/mcp", "internal/names", "internal/text", "internal/wire"},
	"rules":                        {"internal/mcp", "internal/text", "rules/configuration", "rules/crossserver", "rules/declaration", "rules/drift", "rules/hidden", "rules/instructions", "rules/policy", "rules/protocol", "rules/requests", "rules/session", "rules/supplychain", "scanner"},
	"rules/configuration":          {"internal/configfile", "internal/destination", "internal/entries", "internal/gitleaks", "internal/launch", "internal/lazyregexp", "internal/names", "internal/secrets", "internal/text", "internal/wire", "scanner"},
	"rules/crossserver":            {"internal/capability", "internal/destination", "internal/mcp", "internal/names", "internal/text", "internal/tools", "scanner"},
	"rules/declaration":            {"internal/clause", "internal/destination", "internal/jsonschema", "internal/lazyregexp", "internal/mcp", "internal/names", "internal/secrets", "internal/sensitive", "internal/text", "internal/tools", "internal/wire", "scanner"},
	"rules/drift":                  {"internal/baseline", "internal/clause", "internal/configfile", "internal/destination", "internal/jsonschema", "internal/languages", "internal/launch", "internal/lazyregexp", "internal/mcp", "internal/names", "internal/reading", "internal/secrets", "internal/sense", "internal/sensitive", "internal/text", "internal/tools", "internal/wire", "scanner"},
	"rules/hidden":                 {"internal/clause", "internal/lazyregexp", "internal/mcp", "internal/names", "internal/text", "internal/tools", "internal/wire", "scanner"},
	"rules/instructions":           {"internal/clause", "internal/intent", "internal/languages", "internal/lazyregexp", "internal/mcp", "internal/names", "internal/paths", "internal/reading", "internal/secrets", "internal/sense", "internal/sensitive", "internal/text", "scanner"},
	"rules/policy":                 {"internal/mcp", "internal/text", "scanner"},
	"rules/protocol":               {"internal/jsonschema", "internal/mcp", "internal/names", "internal/text", "internal/wire", "scanner"},
	"rules/requests":               {"internal/clause", "internal/destination", "internal/jsonschema", "internal/lazyregexp", "internal/mcp", "internal/names", "internal/secrets", "internal/sensitive", "internal/text", "internal/wire", "scanner"},
	"rules/session":                {"internal/capability", "internal/clause", "internal/destination", "internal/lazyregexp", "internal/mcp", "internal/names", "internal/paths", "internal/secrets", "internal/text", "internal/wire", "scanner"},
	"rules/supplychain":            {"internal/configfile", "internal/destination", "internal/entries", "internal/launch", "internal/names", "internal/text", "scanner"},
	"internal/clause":              {"internal/lazyregexp", "internal/text", "scanner"},
	"internal/destination":         {"internal/lazyregexp", "internal/names", "internal/text"},
	"internal/jsonschema":          {"internal/lazyregexp", "internal/wire"},
	"internal/languages":           {"internal/clause", "internal/lazyregexp", "internal/text", "scanner"},
	"internal/names":               {"internal/text"},
	"internal/paths":               {"internal/names", "internal/text"},
	"internal/secrets":             {"internal/gitleaks", "internal/lazyregexp", "internal/text"},
	"internal/sense":               {"internal/lazyregexp", "internal/mcp", "internal/reading", "internal/text", "scanner"},
	"internal/sensitive":           {"internal/lazyregexp", "internal/names", "scanner"},
	"internal/tools":               {"internal/lazyregexp", "internal/mcp", "internal/names", "internal/text", "internal/wire", "scanner"},
	"internal/entries":             {"internal/configfile", "internal/launch", "internal/lazyregexp", "internal/text", "scanner"},
	"internal/launch":              {"internal/lazyregexp"},
	"internal/capability":          {"internal/names", "internal/text", "internal/wire"},
	"internal/llm":                 {"internal/lazyregexp", "internal/wire", "scanner"},
	"replay":                       {"internal/lazyregexp", "internal/llm", "internal/mcp", "internal/wire", "scanner"},
	"report":                       {"internal/lazyregexp", "internal/mcp", "internal/text", "internal/wire", "scanner"},
	"cmd/mcpscan":                  {"internal/app", "internal/baseline", "internal/config", "internal/configfile", "internal/deliver", "internal/lazyregexp", "internal/live", "internal/lockfile", "internal/mcp", "internal/osv", "internal/otlp", "internal/policy", "internal/proxy", "internal/replace", "internal/secrets", "internal/servers", "internal/sessionlog", "internal/text", "internal/wire", "replay", "report", "rules", "scanner"},
	"internal/app":                 {"internal/baseline", "internal/config", "internal/configfile", "internal/launch", "internal/lazyregexp", "internal/lockfile", "internal/mcp", "internal/osv", "internal/policy", "internal/servers", "internal/spool", "internal/text", "replay", "report", "rules", "rules/supplychain", "scanner"},
	"internal/servers":             {"internal/baseline", "internal/config", "internal/configfile", "internal/gitleaks", "internal/launch", "internal/lazyregexp", "internal/live", "internal/lockfile", "internal/mcp", "internal/policy", "internal/secrets", "internal/text", "internal/wire", "scanner"},
	"internal/configfile":          {"internal/secrets", "internal/text"},
	"internal/baseline":            {"internal/configfile", "internal/destination", "internal/launch", "internal/lazyregexp", "internal/secrets", "internal/text", "internal/wire"},
	"internal/mcp":                 {"internal/baseline", "internal/capability", "internal/text", "internal/wire"},
}

const module = "github.com/mcpscan/mcpscan/"

// TestImports checks the imports of all packages against the table.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	walkGo(t, func(path string) {
		dir := filepath.ToSlash(filepath.Dir(path))
		seen[dir] = true
		allowed, known := imports[dir]
		if !known {
			t.Errorf("%s is not in the table of imports", dir)
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if own, ok := strings.CutPrefix(imported, module); ok && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s, which the table does not allow", path, own)
			}
		}
	})
	for dir := range imports {
		if !seen[dir] {
			t.Errorf("the table of imports names %s, which does not exist", dir)
		}
	}
}

// TestNoClockNoIO checks that the pure packages use no clock, files, network or
// init functions.
func TestNoClockNoIO(t *testing.T) {
	forbidden := regexp.MustCompile(`\btime\.(Now|Since|Until|After|Tick|Sleep|NewTimer|NewTicker)\b|\n(?:import )?\s*\w* ?"(os|net|net/http|os/exec|math/rand|math/rand/v2|log)"\n|\nfunc init\(`)
	walkGo(t, func(path string) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if !pure(dir) {
			return
		}
		if m := forbidden.FindString(readFile(t, root, path)); m != "" {
			t.Errorf("%s has %q", path, m)
		}
	})
}

// pure reports whether a package's results must depend only on its input. This applies to the
// engine, the rules (with the packages that they use) and the reports.
func pure(dir string) bool {
	switch dir {
	case "scanner", "report", "internal/text", "internal/reading", "internal/intent", "internal/conform":
		return true
	}
	return dir == "rules" || strings.HasPrefix(dir, "rules/") || slices.ContainsFunc(rulePackages, func(p string) bool { return dir == "internal/"+p })
}

// rulePackages lists the packages in internal that several families of rules use.
var rulePackages = []string{"baseline", "capability", "clause", "configfile", "destination", "entries", "jsonschema", "languages", "launch", "mcp", "names", "paths", "secrets", "sense", "sensitive", "tools"}

// TestScannerIsSmall checks that the engine's package exports few names: rules, sources and
// reports must understand all of them.
func TestScannerIsSmall(t *testing.T) {
	const most = 140
	set := token.NewFileSet()
	var names []string
	files, err := filepath.Glob(root + "/scanner/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil {
					names = append(names, n.Name.Name)
				}
				return false
			case *ast.TypeSpec:
				names = append(names, n.Name.Name)
				return false
			case *ast.ValueSpec:
				for _, name := range n.Names {
					names = append(names, name.Name)
				}
			}
			return true
		})
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !token.IsExported(name) })
	if len(names) == 0 || len(names) > most {
		t.Errorf("package scanner exports %d names, want at most %d", len(names), most)
	}
}

// TestFamiliesStandAlone checks that neither rule families nor the packages that they share import
// a family.
func TestFamiliesStandAlone(t *testing.T) {
	for dir, imported := range imports {
		family := strings.HasPrefix(dir, "rules/")
		shared := slices.ContainsFunc(rulePackages, func(p string) bool { return dir == "internal/"+p })
		for _, other := range imported {
			if (family || shared) && strings.HasPrefix(other, "rules") {
				t.Errorf("%s imports %s: code that both need belongs in a package under internal", dir, other)
			}
		}
	}
}

// TestDependenciesAreExplained checks that ARCHITECTURE.md explains each direct
// dependency.
func TestDependenciesAreExplained(t *testing.T) {
	architecture := readFile(t, root, "ARCHITECTURE.md")
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)
	for _, m := range direct.FindAllStringSubmatch(readFile(t, root, "go.mod"), -1) {
		if !strings.Contains(architecture, "`"+m[1]+"`") {
			t.Errorf("ARCHITECTURE.md does not say what %s is for", m[1])
		}
	}
}

// TestArchitecture checks that ARCHITECTURE.md has no duplicate rows, and that the files,
// tests and scripts in it exist.
func TestArchitecture(t *testing.T) {
	architecture := readFile(t, root, "ARCHITECTURE.md")
	seen := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.+?) \| `).FindAllStringSubmatch(architecture, -1) {
		if seen[row[1]] && row[1] != "---" {
			t.Errorf("ARCHITECTURE.md has two rows for %q", row[1])
		}
		seen[row[1]] = true
	}
	for _, m := range regexp.MustCompile("`(?:[a-z]+/)*([a-z_]+\\.go)`").FindAllStringSubmatch(architecture, -1) {
		found := false
		for _, dir := range []string{"*", "*/*", "*/*/*"} {
			files, _ := filepath.Glob(filepath.Join(root, dir, m[1]))
			found = found || len(files) > 0
		}
		if !found {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", m[1])
		}
	}
	exists := proofs(t)
	for _, m := range regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w+|\\w+\\.txtar)`").FindAllStringSubmatch(architecture, -1) {
		if !exists[m[1]] {
			t.Errorf("ARCHITECTURE.md names the test %s, which does not exist", m[1])
		}
	}
}

// proofs returns the names of all Go tests and scripts.
func proofs(t *testing.T) map[string]bool {
	exists := map[string]bool{}
	walkTests(t, func(path string) {
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(readFile(t, root, path), -1) {
			exists[m[1]] = true
		}
	})
	scripts, _ := filepath.Glob(filepath.Join(root, "testdata", "scripts", "*.txtar"))
	for _, path := range scripts {
		exists[filepath.Base(path)] = true
	}
	return exists
}

// testCommand is the command that runs all tests.
const testCommand = "go test ./..."

// walkGo calls f for each Go file that is not a test, with its path from the root.
func walkGo(t *testing.T, f func(path string)) {
	t.Helper()
	walkFiles(t, f, func(name string) bool { return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") })
}

// walkTests calls f for each test file, with its path from the root.
func walkTests(t *testing.T, f func(path string)) {
	t.Helper()
	walkFiles(t, f, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}

// walkFiles calls f for each file whose name is wanted, with its path from the root.
func walkFiles(t *testing.T, f func(path string), wanted func(name string) bool) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if wanted(path) {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			f(filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
