package live

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// settle is how long to wait after listing for a server to announce changes, because some servers
// register tools only after they have learned the client's capabilities.
const settle = 500 * time.Millisecond

// undeclaredWait is how long to wait, in total, for the first pages of all lists that the server did
// not declare.
const undeclaredWait = time.Second

// maxPages is the default maximum number of pages read from one list.
const maxPages = 200

// mostRelistings is the maximum number of times that changed lists are requested again.
const mostRelistings = 3

// kind is one of the four lists.
type kind struct {
	method     string
	capability string
	member     string // member of the result that contains the list
	changed    string // the notification that marks the list as changed
	optional   bool   // some servers declare the capability without implementing the method
}

func kinds() []kind {
	return []kind{
		{"tools/list", "tools", "tools", "notifications/tools/list_changed", false},
		{"prompts/list", "prompts", "prompts", "notifications/prompts/list_changed", false},
		{"resources/list", "resources", "resources", "notifications/resources/list_changed", false},
		{"resources/templates/list", "resources", "resourceTemplates", "notifications/resources/list_changed", true},
	}
}

// list fetches all lists, starting with the declared ones because some servers fail on methods that
// they do not know.
func (s *scan) list(ctx context.Context, p *peer, h hello) {
	var declared, others []kind
	for _, k := range kinds() {
		if h.declared[k.capability] {
			declared = append(declared, k)
		} else {
			others = append(others, k)
		}
	}
	if len(declared) == 0 { // the server may offer lists without declaring them, so a missing answer is a problem
		declared, others = others, nil
	}
	if !s.lists(ctx, p, h, declared, others) {
		return
	}
	s.undeclared(ctx, p, others)
	for range mostRelistings {
		stale := s.settle(ctx, p, h)
		if len(stale) == 0 {
			return
		}
		s.lists(ctx, p, h, stale, nil)
	}
}

// settle waits for a change notification, and returns the lists that have changed since they were
// requested.
func (s *scan) settle(ctx context.Context, p *peer, h hello) (stale []kind) {
	stale = slices.DeleteFunc(kinds(), func(k kind) bool { return !p.isChanged(k.method) })
	if len(stale) > 0 || h.era == eraModern && s.result.transport != "stdio" { // modern HTTP servers send no unsolicited messages
		return stale
	}
	timer := time.NewTimer(min(settle, s.opts.StepTimeout/4))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.changes:
	case <-p.link.down():
	case <-ctx.Done():
	}
	return slices.DeleteFunc(kinds(), func(k kind) bool { return !p.isChanged(k.method) })
}

// lists fetches the given lists in order, and reports whether further lists can be requested. If the
// server is gone or its time is up, the remaining lists, including those to be requested later, are
// reported as one problem.
func (s *scan) lists(ctx context.Context, p *peer, h hello, order, later []kind) bool {
	for i, k := range order {
		p.forgetChange(k.method)
		err := s.pages(ctx, p, k, h.declared[k.capability])
		if !s.finish(ctx, k, h.declared[k.capability], err) && h.promises(k) {
			s.result.Unlisted = true
		}
		_, down := errors.AsType[*downError](err)
		switch {
		case ctx.Err() != nil && !tooLong(ctx):
			return false
		case ctx.Err() != nil || down:
			s.notAsked(slices.Concat(order[i+1:], later))
			return false
		}
	}
	return true
}

// undeclared requests lists that the server did not declare, all at once. Clients rarely request
// such lists, so the server may ignore the requests.
func (s *scan) undeclared(ctx context.Context, p *peer, lists []kind) {
	if len(lists) == 0 {
		return
	}
	p.forget()
	var calls []*call
	for _, k := range lists {
		p.forgetChange(k.method)
		calls = append(calls, p.start(k.method, p.listParams(""), p.announced()))
	}
	limit := min(undeclaredWait, s.opts.StepTimeout)
	unanswered := fmt.Errorf("not declared, and not answered within %v", limit)
	brief, cancel := context.WithTimeoutCause(ctx, limit, unanswered)
	defer cancel()
	var ignored []string
	for i, k := range lists {
		r, err := calls[i].wait(brief, s.opts.StepTimeout)
		if errors.Is(err, unanswered) {
			ignored = append(ignored, k.method)
			continue
		}
		s.finish(ctx, k, false, s.rest(ctx, p, k, r, err))
	}
	if len(ignored) > 0 {
		s.note(strings.Join(ignored, ", "), unanswered.Error())
	}
}

// promises reports whether a server should have a list, judging by what it declares. If it declares
// none of the lists, it is expected to have tools.
func (h hello) promises(k kind) bool {
	declares := func(k kind) bool { return h.declared[k.capability] }
	return declares(k) && !k.optional || k.capability == "tools" && !slices.ContainsFunc(kinds(), declares)
}

// finish records how reading a list ended. It returns false if definitions could be missing.
func (s *scan) finish(ctx context.Context, k kind, declared bool, err error) bool {
	_, absent := errors.AsType[*absentError](err)
	switch {
	case tooLong(ctx):
		s.problem(k.method, TooLong)
		return false
	case ctx.Err() != nil: // the caller of List reports this
		return false
	case err == nil:
		s.listed[k.method] = true
	case absent && (!declared || k.optional || !s.listed[k.method]):
		if declared && !k.optional {
			s.note(k.method, "declared, but "+err.Error())
		}
		s.result.Absent = append(s.result.Absent, k.member)
	default: // any other error could hide definitions
		s.problem(k.method, err.Error())
		return false
	}
	return true
}

func tooLong(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errTooLong) }

func (s *scan) notAsked(left []kind) {
	var methods []string
	for _, k := range left {
		methods = append(methods, k.method)
	}
	if len(methods) > 0 {
		s.problem(strings.Join(methods, ", "), "not requested, because reading the previous list failed")
	}
}

// pages fetches all pages of one list. The error says why the list is incomplete.
func (s *scan) pages(ctx context.Context, p *peer, k kind, declared bool) error {
	timeout := s.opts.StepTimeout
	if !declared {
		timeout = min(shortWait, timeout)
	}
	r, err := p.ask(ctx, k.method, p.listParams(""), timeout)
	return s.rest(ctx, p, k, r, err)
}

// rest fetches the pages after the first one, whose request ended with r and err.
func (s *scan) rest(ctx context.Context, p *peer, k kind, r reply, err error) error {
	if rpc, ok := errors.AsType[*rpcError](err); ok && rpc.code == codeNotFound {
		return &absentError{rpc}
	}
	// Store hashes, because a cursor may be as large as a frame.
	seen := map[[sha256.Size]byte]bool{}
	for page := 1; ; page++ {
		switch {
		case err != nil:
			return err
		case r.resultType == "input_required":
			return errors.New("the server asks for input instead of returning a list")
		case r.lists[k.member] != '[':
			return fmt.Errorf("the result has no array %q", k.member)
		case r.nextCursor == nil:
			return nil
		case r.nextCursor.Kind() != '"' && r.nextCursor.Kind() != '0':
			return errors.New("the cursor of the next page is not a string: " + s.opts.quote(string(r.nextCursor)))
		}
		sum := sha256.Sum256(r.nextCursor)
		if seen[sum] {
			return errors.New("the server repeats the cursor " + s.opts.quote(text(r.nextCursor)))
		}
		seen[sum] = true
		if page == s.opts.maxPages {
			return fmt.Errorf("stopped after %d pages", page)
		}
		r, err = p.ask(ctx, k.method, p.listParams(string(r.nextCursor)), s.opts.StepTimeout)
	}
}

// absentError reports that the server does not know the method of a list, so there is no such list.
type absentError struct{ *rpcError }

// listParams returns the params for a list request. The cursor is the raw token that the server
// sent, or "" for the first page.
func (p *peer) listParams(cursor string) string {
	switch {
	case cursor != "" && p.meta:
		return `{"cursor":` + cursor + `,` + p.opts.meta() + `}`
	case cursor != "":
		return `{"cursor":` + cursor + `}`
	case p.meta:
		return "{" + p.opts.meta() + "}"
	}
	return ""
}
