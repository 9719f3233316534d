package app

import (
	"fmt"
	"os"
	"slices"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/osv"
	"github.com/mcpscan/mcpscan/rules/supplychain"
	"github.com/mcpscan/mcpscan/scanner"
)

// Advise reads advisories from files, and makes the checks use the advisories about packages in the
// events' configurations. It calls the function read for each file.
func (c *Checks) Advise(files []string, events []*scanner.Event, read func(name string, s osv.Stats)) error {
	if len(files) == 0 {
		return nil
	}
	var configs []*configfile.ClientConfig
	for _, e := range events {
		if e.Kind == scanner.ConfigEvent {
			configs = append(configs, e.Config)
		}
	}
	wanted := supplychain.Wanted(configs)
	var kept []supplychain.Advisory
	for _, name := range files {
		found, stats, err := readAdvisories(name, wanted)
		if err != nil {
			return fmt.Errorf("reading advisories: %w", err)
		}
		kept = append(kept, found...)
		read(name, stats)
	}
	c.Files = append(c.Files, files...)
	return c.useAdvisories(supplychain.NewAdvisories(kept))
}

func readAdvisories(name string, wanted func(launch.Ecosystem, string) bool) ([]supplychain.Advisory, osv.Stats, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, osv.Stats{}, err
	case !info.Mode().IsRegular():
		return nil, osv.Stats{}, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, osv.Stats{}, err
	}
	defer file.Close()
	return osv.Read(name, file, info.Size(), wanted)
}

// useAdvisories makes the rules for vulnerable and malicious packages use the given advisories.
func (c *Checks) useAdvisories(a *supplychain.Advisories) error {
	run := slices.Clone(c.engine.Rules())
	for _, list := range [...][]scanner.Rule{run, c.Rules} {
		for i := range list {
			list[i] = supplychain.Advised(list[i], a)
		}
	}
	engine, err := scanner.New(run, c.Options)
	if err != nil {
		return err
	}
	c.engine = engine
	return nil
}
