package wire

import "errors"

// ExceedsLimit reports whether a text was not parsed because it exceeds a limit of the parser: MaxDepth,
// or the maximum number of values.
func ExceedsLimit(err error) bool {
	syntax, ok := errors.AsType[*SyntaxError](err)
	return ok && syntax.Limit
}
