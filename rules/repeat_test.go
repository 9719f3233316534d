package rules_test

import (
	"regexp"
	"strconv"
	"strings"
)

// repetition matches the notation for a repeated text that would be too long for a file: <<1000
// times row #, >> stands for "row 1, row 2, row 3, …".
var repetition = regexp.MustCompile(`<<(\d+) times (.*?)>>`)

func unrolled(text string) string {
	return repetition.ReplaceAllStringFunc(text, func(s string) string {
		m := repetition.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[1])
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(m[2], "#", strconv.Itoa(i+1)))
		}
		return b.String()
	})
}
