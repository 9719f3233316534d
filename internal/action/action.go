// Package action tests the GitHub Action (action.yml, the scripts in .github/action and the
// workflows) and the examples in docs/action.md. The tests run the scripts as a runner does, with a
// stub in place of mcpscan or with mcpscan itself.
package action
