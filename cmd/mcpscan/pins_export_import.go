package main

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/text"
)

// foreignPin is a pin in the format of agentsh or MCPProxy.
type foreignPin struct {
	ServerID   string `json:"server_id,omitempty"`
	ServerName string `json:"server_name,omitempty"`
	Tool       string `json:"tool_name"`
	Hash       string `json:"hash,omitempty"`
	Approved   string `json:"approved_hash,omitempty"`
	TrustedAt  string `json:"trusted_at,omitempty"`
	TrustedBy  string `json:"trusted_by,omitempty"`
	ApprovedAt string `json:"approved_at,omitempty"`
	ApprovedBy string `json:"approved_by,omitempty"`
	Status     string `json:"status,omitempty"`
}

type pinsExportCmd struct {
	For      string `help:"Program whose digests the pins contain: agentsh, mcpproxy." required:"" enum:"agentsh,mcpproxy"`
	Lockfile string `help:"The lockfile." default:"mcpscan.lock" placeholder:"FILE"`
}

// Run writes the pins as a JSON array.
func (c *pinsExportCmd) Run(std streams) error {
	f, err := loadLock(c.Lockfile)
	if err != nil {
		return err
	}
	if err := f.Intact(); err != nil { // another program would trust the exported pins
		return err
	}
	rows := []foreignPin{}
	for _, p := range f.Pins(lockfile.Formula(c.For)) {
		at := p.At.UTC().Format(time.RFC3339)
		if c.For == string(lockfile.AgentSH) {
			rows = append(rows, foreignPin{ServerID: p.Server, Tool: p.Tool, Hash: p.Hash, TrustedAt: at, TrustedBy: p.By})
		} else {
			rows = append(rows, foreignPin{ServerName: p.Server, Tool: p.Tool, Approved: p.Hash, ApprovedAt: at, ApprovedBy: p.By, Status: "approved"})
		}
	}
	return writeJSON(std.out, rows)
}

type pinsImportCmd struct {
	File string `arg:"" help:"A JSON array of pins." placeholder:"FILE"`
	From string `help:"The program that wrote the pins: agentsh or mcpproxy." required:"" enum:"agentsh,mcpproxy"`
	Now  string `help:"Approval time for pins that contain none; default: now." placeholder:"TIME"`
	pinFlags
}

// maxPinFile is the maximum size of a pin file.
const maxPinFile = 64 << 20

// Run approves identical definitions.
func (c *pinsImportCmd) Run(ctx context.Context, std streams) error {
	data, err := app.ReadTarget(c.File, maxPinFile)
	if err != nil {
		return err
	}
	pins, err := lockfile.ParsePins(c.File, data)
	if err != nil {
		return err
	}
	var refused []string
	done, err := approving(ctx, c.Lockfile, c.Now, func(f *lockfile.File, at time.Time) (done []lockfile.Change, err error) {
		done, refused = f.Import(pins, lockfile.Formula(c.From), at)
		return done, nil
	})
	if err != nil {
		return err
	}
	for _, r := range refused {
		fmt.Fprintf(std.err, "mcpscan: not approved: %s\n", text.Visible(r, 600))
	}
	return (&approveCmd{By: "the pins of " + c.From, Lockfile: c.Lockfile, JSON: c.JSON}).tell(std, done, "no pending or changed definition has an imported digest")
}
