// Package app wires a run of mcpscan, whatever the command: settings, rules and policies become
// Checks, and what is inspected becomes a scanner.Source.
//
// Load returns the Checks of a run: its engine, the rules as configured, and the decisions about
// findings. Against adds the definitions that a lockfile approves, Compare a baseline, and Advise
// advisories. With Options.Base, the settings before the change under review decide, and the change
// itself is inspected.
//
// A source is a Plan of files and servers, or Recordings. Checks.Engine runs it into a sink: Into
// triages findings on their way to a report, an AuditLog, or both. Recording and Traffic keep what
// servers sent. Complete adds to a report what the findings were decided by.
//
// Errors mean wrong usage or configuration, except IncompleteError. The package prints nothing and
// asks nobody: commands pass functions for that.
package app
