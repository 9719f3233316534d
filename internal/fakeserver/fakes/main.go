// The command fakes is each of the programs that tests start in the place of a server or
// of what starts one, by the name that it is called by.
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
