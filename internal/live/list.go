package live

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
)

// settle is how long a server that announces changes may take to do so after
// it met us: some register tools only when they know what the client can do.
const settle = 500 * time.Millisecond

// kind is one of the four lists.
type kind struct {
	method     string
	capability string
	changed    string // the notification that makes the list stale
	optional   bool   // many servers that declare the capability do not know the method
}

func kinds() []kind {
	return []kind{
		{"tools/list", "tools", "notifications/tools/list_changed", false},
		{"prompts/list", "prompts", "notifications/prompts/list_changed", false},
		{"resources/list", "resources", "notifications/resources/list_changed", false},
		{"resources/templates/list", "resources", "notifications/resources/list_changed", true},
	}
}

// list asks for everything. What the server declares goes first: a server may
// choke on a method that it does not know.
func (s *scan) list(ctx context.Context, p *peer, h hello) {
	for _, declared := range []bool{true, false} {
		for _, k := range kinds() {
			if h.declared[k.capability] == declared {
				p.takeChanged(k.method)
				s.pages(ctx, p, k, declared)
			}
		}
	}
	if !h.announces || h.era == EraModern {
		return
	}
	timer := time.NewTimer(min(settle, s.opts.StepTimeout/4))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.link.down():
	case <-ctx.Done():
	}
	for _, k := range kinds() {
		if p.takeChanged(k.method) {
			s.pages(ctx, p, k, h.declared[k.capability])
		}
	}
}

// pages asks for all pages of one list.
func (s *scan) pages(ctx context.Context, p *peer, k kind, declared bool) {
	timeout := s.opts.StepTimeout
	if !declared {
		timeout = min(impatience, timeout)
	}
	// Hashes, because a cursor may be as large as a frame.
	seen := map[[sha256.Size]byte]bool{}
	cursor := ""
	for page := 1; ctx.Err() == nil; page++ {
		if page > s.opts.MaxPages {
			s.problem(k.method, fmt.Sprintf("stopped after %d pages", s.opts.MaxPages))
			return
		}
		r, err := p.ask(ctx, k.method, p.listParams(cursor), timeout)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if page > 1 || !excused(err, k, declared) {
				s.problem(k.method, err.Error())
			}
			return
		case r.resultType == "input_required":
			s.problem(k.method, "the server asks for input in place of a list")
			return
		case r.nextCursor == nil:
			return
		case r.nextCursor.Kind() != '"' && r.nextCursor.Kind() != '0':
			s.problem(k.method, "the cursor of the next page is not a string: "+quote(string(r.nextCursor)))
			return
		}
		cursor = string(r.nextCursor)
		sum := sha256.Sum256(r.nextCursor)
		if seen[sum] {
			s.problem(k.method, "the server repeats the cursor "+quote(text(r.nextCursor)))
			return
		}
		seen[sum] = true
		timeout = s.opts.StepTimeout // it does know the method
	}
}

// excused says whether a failed list is no gap: nobody promised it.
func excused(err error, k kind, declared bool) bool {
	var over *oversizeError
	if errors.As(err, &over) {
		return false
	}
	if !declared {
		return true
	}
	var rpc *rpcError
	return k.optional && errors.As(err, &rpc) && rpc.code == codeNotFound
}

// listParams writes the params of a list request. The cursor is the raw token
// as the server sent it, "" for the first page.
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
