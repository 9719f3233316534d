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

// settle is how long to wait after listing for a server to announce changes, because some
// register tools only once they know the client's capabilities.
const settle = 500 * time.Millisecond

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
	optional   bool   // many servers declare the capability without implementing the method
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
	var order []kind
	for _, declared := range []bool{true, false} {
		for _, k := range kinds() {
			if h.declared[k.capability] == declared {
				order = append(order, k)
			}
		}
	}
	s.lists(ctx, p, h, order)
	for range mostRelistings {
		stale := s.settle(ctx, p, h)
		if len(stale) == 0 {
			return
		}
		s.lists(ctx, p, h, stale)
	}
}

// settle waits for a change notification, and returns the lists that have changed since they were
// requested.
func (s *scan) settle(ctx context.Context, p *peer, h hello) (stale []kind) {
	stale = slices.DeleteFunc(kinds(), func(k kind) bool { return !p.isChanged(k.method) })
	if len(stale) > 0 || h.era == EraModern && s.result.Transport != "stdio" { // servers send no unsolicited messages here
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

// lists fetches the given lists. If the server is gone or its time is up, the remaining ones are
// reported as one problem.
func (s *scan) lists(ctx context.Context, p *peer, h hello, order []kind) {
	for i, k := range order {
		p.forgetChange(k.method)
		err := s.pages(ctx, p, k, h.declared[k.capability])
		late := errors.Is(context.Cause(ctx), errTooLong)
		var down *downError
		switch {
		case ctx.Err() != nil && !late:
			return // the caller reports this
		case late:
			err = errTooLong
		case err == nil:
			continue
		}
		s.problem(k.method, err.Error())
		if late || errors.As(err, &down) {
			s.notAsked(order[i+1:])
			return
		}
	}
}

func (s *scan) notAsked(left []kind) {
	var methods []string
	for _, k := range left {
		methods = append(methods, k.method)
	}
	if len(methods) > 0 {
		s.problem(strings.Join(methods, ", "), "not requested, because the previous list failed")
	}
}

// pages fetches all pages of one list. The error says what is missing.
func (s *scan) pages(ctx context.Context, p *peer, k kind, declared bool) error {
	timeout := s.opts.StepTimeout
	if !declared {
		timeout = min(impatience, timeout)
	}
	// Store hashes, because a cursor may be as large as a frame.
	seen := map[[sha256.Size]byte]bool{}
	cursor := ""
	for page := 1; ; page++ {
		if page > s.opts.MaxPages {
			return fmt.Errorf("stopped after %d pages", s.opts.MaxPages)
		}
		r, err := p.ask(ctx, k.method, p.listParams(cursor), timeout)
		switch {
		case err != nil && page == 1 && excused(err, k, declared):
			return nil
		case err != nil:
			return err
		case r.resultType == "input_required":
			return errors.New("the server asks for input instead of returning a list")
		case r.lists[k.member] != '[':
			return fmt.Errorf("the result has no array %q", k.member)
		case r.nextCursor == nil:
			return nil
		case r.nextCursor.Kind() != '"' && r.nextCursor.Kind() != '0':
			return errors.New("the cursor of the next page is not a string: " + quote(string(r.nextCursor)))
		}
		cursor = string(r.nextCursor)
		sum := sha256.Sum256(r.nextCursor)
		if seen[sum] {
			return errors.New("the server repeats the cursor " + quote(text(r.nextCursor)))
		}
		seen[sum] = true
		timeout = s.opts.StepTimeout // the server knows the method
	}
}

// excused reports whether a failed list is acceptable: it is undeclared or optional, and the server
// answered that it does not know the method. Any other failure could hide definitions.
func excused(err error, k kind, declared bool) bool {
	var rpc *rpcError
	return (!declared || k.optional) && errors.As(err, &rpc) && rpc.code == codeNotFound
}

// listParams returns the params for a list request. The cursor is the raw token that the server
// sent, or "" for the first page.
func (p *peer) listParams(cursor string) string {
	var members []string
	if cursor != "" {
		members = append(members, member("cursor", cursor))
	}
	if p.meta {
		members = append(members, p.opts.meta())
	}
	if len(members) == 0 {
		return ""
	}
	return object(members...)
}
