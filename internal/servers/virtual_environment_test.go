package servers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConsoleScript checks which scripts of a virtual environment count as those of a distribution.
func TestConsoleScript(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.ToSlash(filepath.Join(dir, "bin", "python3"))
	if !strings.HasPrefix(python, "/") {
		t.Skip("on Windows, console scripts are programs")
	}
	write := func(name, content string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(".", filepath.Join(dir, "evil ")); err != nil {
		t.Fatal(err)
	}
	write("pyvenv.cfg", "home = /usr/bin\n")
	write("lib/python3.12/site-packages/acme_notes-1.0.dist-info/entry_points.txt", "[console_scripts]\nacme = acme.cli:app.run [cli]\n\n[gui_scripts]\nother = acme.cli:app.run\n")
	write("lib/python3.12/site-packages/unrelated-2.0.dist-info/entry_points.txt", "[console_scripts]\nacme = unrelated:main\n")
	pip := "#!" + python + "\n# -*- coding: utf-8 -*-\nimport re\nimport sys\nfrom acme.cli import app\nif __name__ == '__main__':\n" +
		"    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n    sys.exit(app.run())\n"
	for name, one := range map[string]struct {
		content string
		want    bool
	}{
		"pip": {pip, true},
		"pip 25": {"#!" + python + "\nimport sys\nfrom acme.cli import app\nif __name__ == '__main__':\n" +
			"    sys.argv[0] = sys.argv[0].removesuffix('.exe')\n    sys.exit(app.run())\n", true},
		"uv": {"#!" + python + "\n# -*- coding: utf-8 -*-\nimport sys\nfrom acme.cli import app\nif __name__ == \"__main__\":\n" +
			"    if sys.argv[0].endswith(\"-script.pyw\"):\n        sys.argv[0] = sys.argv[0][:-11]\n" +
			"    elif sys.argv[0].endswith(\".exe\"):\n        sys.argv[0] = sys.argv[0][:-4]\n    sys.exit(app.run())\n", true},
		"Poetry":             {"#!" + python + "\nimport sys\nfrom acme.cli import app\n\nif __name__ == '__main__':\n    sys.exit(app.run())\n", true},
		"long path":          {strings.Replace(pip, "#!"+python, "#!/bin/sh\n'''exec' \""+python+"\" \"$0\" \"$@\"\n' '''", 1), true},
		"other interpreter":  {strings.Replace(pip, python, "/usr/bin/python3", 1), false},
		"options":            {strings.Replace(pip, python, python+" -i", 1), false},
		"other module":       {strings.Replace(pip, "acme.cli", "evil.cli", 1), false},
		"other function":     {strings.Replace(pip, "app.run()", "app.evil()", 1), false},
		"other import":       {strings.Replace(pip, "import app", "import other", 1), false},
		"more imports":       {strings.Replace(pip, "import re\n", "import re\nimport evil\n", 1), false},
		"more code":          {pip + "import evil\n", false},
		"code before":        {strings.Replace(pip, "import re\n", "exec('evil')\nimport re\n", 1), false},
		"shell code":         {strings.Replace(pip, "#!"+python, "#!/bin/sh\n'''exec' evil; \""+python+"\" \"$0\" \"$@\"\n' '''", 1), false},
		"quoted path":        {strings.Replace(pip, "#!"+python, "#!/bin/sh\n'''exec' '"+python+"' \"$0\" \"$@\"\n' '''", 1), true},
		"shell code in path": {strings.Replace(pip, "#!"+python, "#!/bin/sh\n'''exec' "+dir+"/evil;/../bin/python3 \"$0\" \"$@\"\n' '''", 1), false},
		"two words in path":  {strings.Replace(pip, python, dir+"/evil /../bin/python3", 1), false},
		"link in path":       {strings.Replace(pip, python, dir+"/evil /bin/python3", 1), false},
		"long script":        {pip + strings.Repeat("\n", maxConsoleScript), false},
	} {
		write("bin/acme", one.content)
		m := machine{disk: NewDisk(context.Background())}
		if got := m.consoleScript(filepath.Join(dir, "bin", "acme")); (got != "") != one.want || one.want && filepath.Base(got) != "acme_notes-1.0.dist-info" {
			t.Errorf("%s: got %q, expected a distribution: %v", name, got, one.want)
		}
	}
	write("bin/other", pip)
	m := machine{disk: NewDisk(context.Background())}
	if got := m.consoleScript(filepath.Join(dir, "bin", "other")); got != "" {
		t.Errorf("a program that is no console script: got %q", got)
	}
}
