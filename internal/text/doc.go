// Package text reads hostile text: it folds it into the one form that patterns
// are written for, finds many patterns in one pass, masks secrets and makes
// text visible for reports.
//
// It must never run a backtracking pattern without a time limit, and the work
// on a string is linear in its length whatever the string says.
package text
