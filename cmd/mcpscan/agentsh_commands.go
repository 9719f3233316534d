package main

import "context"

// inspectCmd is mcpscan inspect: scan under its agentsh name, for one file or one server.
type inspectCmd struct {
	Server string `help:"Inspect the server at this URL." placeholder:"URL"`
	scanCmd
}

// Run scans.
func (c *inspectCmd) Run(ctx context.Context, std streams) error {
	if c.Server != "" {
		c.Targets = append(c.Targets, c.Server)
	}
	if len(c.Targets) == 0 {
		return usage("expected a definition file, or --server and the URL of a server")
	}
	return c.scanCmd.Run(ctx, std)
}

// registryCmd is mcpscan registry: the lockfile commands under their agentsh names.
type registryCmd struct {
	List pinsListCmd `cmd:"" help:"List approved, pending and changed definitions."`
	Show pinsShowCmd `cmd:"" help:"Show an approved or pending definition."`
}
