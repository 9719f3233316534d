package main

import (
	"context"

	"github.com/mcpscan/mcpscan/internal/config"
)

type unwrapCmd struct {
	wrapFlags
}

// Run restores the original entries.
func (c *unwrapCmd) Run(ctx context.Context, std streams) error {
	return c.edit(ctx, std, func(f *editedFile, data []byte, chosen func(*config.Server) bool) ([]byte, []config.Outcome, error) {
		return config.Unwrap(f.path, data, chosen)
	}, false)
}
