// Command literals prints the literals that the rules search for, one per line, for comparisons
// with other programs. It omits those with a line feed. It is a separate program so that bench does
// not load the rules: on Linux, the peak memory reported for a process is at least the memory that
// its parent used.
package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/rules"
)

func main() {
	var literals []string
	all := rules.All()
	for i := range all {
		for _, p := range all[i].AllPatterns() {
			literals = append(literals, p.Anchors...)
		}
	}
	slices.Sort(literals)
	for _, s := range slices.Compact(literals) {
		if !strings.Contains(s, "\n") {
			fmt.Println(s)
		}
	}
}
