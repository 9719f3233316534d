// Package text processes hostile text: it folds text into the normalized form that patterns are
// written for, finds many patterns in one pass, masks secrets and makes text safe to display in
// reports.
//
// It must never run a backtracking pattern without a time limit, and the work on a string must be
// linear in its length, whatever its content.
package text
