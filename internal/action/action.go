// Package action contains the tests of the GitHub Action, which consists of action.yml, the scripts
// in .github/action and the workflows, and of the examples in docs/action.md. The tests run them as
// a runner does, with a stub in place of mcpscan or with mcpscan itself.
package action
