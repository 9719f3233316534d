package text

import "github.com/aymanbagabas/go-udiff"

// maxDiffed is the maximum total size, in bytes, of the two strings that LineDiff
// compares.
const maxDiffed = 128 << 10

// LineDiff returns the unified diff of two strings under the given names. If they are too long to
// be compared line by line, ok is false and the diff states this.
func LineDiff(oldName, newName, before, after string) (diff string, ok bool) {
	if len(before)+len(after) > maxDiffed {
		return "@@ too long to compare line by line @@", false
	}
	return udiff.Unified(oldName, newName, before, after), true
}
