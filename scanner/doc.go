// Package scanner is the engine: it turns events into facts, judges them in order and passes
// findings to sinks.
//
// Inspect is a pure function of one event and runs on many workers; Judge folds facts into
// sessions in input order. Nothing here does I/O or reads a clock: the time of a decision is
// the time of its event. The package must never import rules, replay or report.
package scanner
