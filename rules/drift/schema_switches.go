package drift

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

// safeValue returns the value of a switch that makes the tool do less or nothing, such as true for
// dry_run or false for force. It returns "" if the parameter is not such a switch.
func safeValue(name string) string {
	switch {
	case anyWord(name, unsafeSwitchWords) && (anyWord(name, undoing) || !anyWord(name, safeSwitchWords)):
		return "false"
	case anyWord(name, safeSwitchWords):
		return "true"
	}
	return ""
}

var (
	unsafeSwitchWords = names.Set(`force forced overwrite recursive recursively delete remove purge destroy allow skip ` +
		`ignore disable unsafe insecure yes all public admin execute run write follow auto approve commit push ` +
		`publish share send notify apply bypass no without privileged unattended`)
	safeSwitchWords = names.Set(`dry plan preview simulate confirm confirmed confirmation safe secure sandbox ` +
		`sandboxed isolated verify verified validate check readonly read interactive ask prompt require ` +
		`required approve approval private backup encrypt encrypted ssl tls strict redact mask anonymize draft ` +
		`audit`)
	undoing = names.Set(`skip ignore disable allow bypass no without auto unsafe insecure force`)
)

// holding contains words for parameters, such as confirmations, that hold back a call until the
// caller sets them.
var holding = names.Set(`dry plan preview simulate confirm confirmed confirmation approve approval approved ` +
	`approver sandbox sandboxed isolated verify interactive ask draft otp pin mfa totp consent acknowledge ` +
	`acknowledged`)

// holds reports whether name is a parameter that holds back a call until the caller sets it.
func holds(name string) bool { return anyWord(name, holding) && safeValue(name) != "false" }

// compareDefault compares the values that apply if a caller omits the parameter.
func compareDefault(s *schemaChange, _ string, old, now int) {
	if s.same(old, now) {
		return
	}
	before, value := jsonschema.Text(&s.old, old), jsonschema.Text(&s.now, now)
	weight, where := s.moved([]string{before}, value)
	if where != "" {
		s.add(weight, "the default of %s changed and now %s", s.about(), where)
		return
	}
	weight = scanner.Low
	safe := safeValue(s.name)
	switch {
	case strings.Contains(value, "://"), strings.Contains(value, "@"), value != "" && (reaches(s.name) || asksForMore(s.name)):
		weight = scanner.Medium
	case safe != "" && (value == "true" || value == "false") && value != safe:
		weight = scanner.Medium
		if before == safe && (s.stake.acts || holds(s.name)) {
			weight = s.mentionWeight(value)
		}
	case safe != "" && before == safe && (s.stake.acts || holds(s.name)):
		weight = scanner.Medium
	case wideOpen(value) && !wideOpen(before) && (rank(before) >= 0 || anyWord(s.name, selecting)):
		weight = scanner.Medium
		if rank(before) <= 1 && s.stake.acts {
			weight = s.mentionWeight(value)
		}
	}
	s.add(weight, "the default of %s changed", s.about())
}

// wideOpen reports whether a value is one of the most permissive ones.
func wideOpen(value string) bool { return rank(value) == len(openness)-1 && !switchValues[value] }

// switchValues are values of switches, which have no meaning without the switch's name.
var switchValues = names.Set("true false on off yes no 0 1")

// actsByDefault reports whether a new parameter makes calls do more than before without a choice by
// the caller: its default, or its only value if it is required, turns on a switch or names a
// destination.
func (s *schemaChange) actsByDefault(n *property) bool {
	at := s.now.Get(n.schema(), "default")
	if n.needed == always {
		only := s.is.choices(s.is.view(n.schema()))
		if len(only) != 1 {
			return false
		}
		at = only[0]
	}
	value := jsonschema.Text(&s.now, at)
	if value == "true" {
		return s.stake.acts && safeValue(n.name) == "false" && anyWord(n.name, bolder)
	}
	place := s.inner(n.name, -1, n.schema()).placeOf(value)
	if place == "" || destination.Loopback(place) {
		return false
	}
	return asksForMore(n.name) || (leadsSomewhere(value) || anyWord(n.name, placeWords)) && s.strange(place)
}

// bolder contains words for switches that skip a confirmation or make an action irreversible.
var bolder = names.Set(`skip ignore disable bypass no without auto unsafe insecure force overwrite delete remove purge destroy publish public share push approve unattended privileged`)

// notAsked reports a confirmation parameter that calls no longer need. n is its current version,
// or nil if it was removed.
func (s *schemaChange) notAsked(o, n *property) bool {
	if o.needed == optional || !holds(o.name) {
		return false
	}
	in := s.inner(o.name, o.schema(), -1)
	how := "was removed"
	if n != nil {
		in.to, how = n.schema(), "is no longer required"
	}
	weight := scanner.Medium
	if s.stake.acts {
		weight = in.mentionWeight()
	}
	in.add(weight, "%q %s, although the tool held back calls without it", o.name, how)
	return true
}

// money contains words for parameters that limit an amount of money.
var money = names.Set(`amount value price total sum quantity budget limit fee`)

// wider rates a relaxed limit. It returns Low, except for these: an upper limit on the amount that a
// tool pays, or on the number of items that it destroys, if the limit was removed or raised at least
// tenfold; and the minimum length of a confirmation.
func (s *schemaChange) wider(name string, gone bool, before, after float64) scanner.Severity {
	const much = 10
	upper := strings.HasPrefix(name, "max") || name == "exclusiveMaximum"
	switch {
	case upper && s.stake.pays && anyWord(s.name, money) && (gone || after >= before*much):
		return s.mentionWeight()
	case name == "maxItems" && s.stake.ends && (gone || after >= before*much): // number of items destroyed at once
		return s.mentionWeight()
	case name == "minLength" && holds(s.name) && s.stake.acts:
		return s.mentionWeight()
	}
	return scanner.Low
}
