// The command fakes stands in for the servers and launchers that tests start. The name by which it
// is invoked selects the server or launcher.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/fakeserver"
)

func main() {
	switch strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") {
	case "fakeserver":
		fakeServer()
	case "fakehttp":
		fakeHTTP()
	case "docker":
		fakeDocker()
	default:
		fakeserver.NPX()
	}
}
