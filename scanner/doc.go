// Package scanner is the engine: it turns events into facts, judges them in order and passes
// findings to sinks.
//
// Inspect is a pure function of one event and runs on many workers. Judge adds facts to
// sessions, one event at a time and in the same order in every run. The package does no I/O and
// reads no clock; the time of a decision is the time of its event. The package must never
// import rules, replay or report.
package scanner
