package text

import "github.com/aymanbagabas/go-udiff"

// maxDiffed bounds the text that LineDiff compares, in bytes: both sides together.
const maxDiffed = 128 << 10

// LineDiff returns the unified diff of two texts under their names. ok is false where
// they are too long to be compared line by line; the diff then says so.
func LineDiff(oldName, newName, before, after string) (diff string, ok bool) {
	if len(before)+len(after) > maxDiffed {
		return "@@ too long to compare line by line @@", false
	}
	return udiff.Unified(oldName, newName, before, after), true
}
