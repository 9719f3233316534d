// Package app assembles a run of mcpscan for any command: it turns settings, rules and policies
// into Checks, and the input into a scanner.Source.
//
// Load returns the Checks of a run: its engine, the rules as configured, and what determines the
// severity and status of findings. Against adds the definitions that a lockfile approves, Compare adds
// a baseline, and Advise adds advisories. With Options.Base, the settings from before the change under
// review apply, and the change itself is inspected.
//
// A source comes from a Plan of files and servers, or from Recordings. Checks.Engine inspects it
// and passes events and findings to a sink. The sink that Into returns sets the severity and status
// of findings before they reach a report, an AuditLog, or both. Recording and Traffic record
// messages. Complete adds to a report the settings that determined the status of its findings.
//
// Errors other than IncompleteError and those of Close mean wrong usage or configuration. The package
// never prints or prompts; commands pass in functions for that.
package app
