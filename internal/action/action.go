// Package action has the tests of the GitHub Action: of action.yml, the scripts below
// .github/action, the workflows, and the examples of docs/action.md. The tests do what a
// runner does with them, with a stub in the place of mcpscan or with mcpscan itself.
package action
