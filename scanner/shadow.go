package scanner

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/names"
)

// maxShadows bounds the number of tools per server that are remembered because another server lists
// a tool whose name looks the same.
const maxShadows = 4096

// shadow remembers a listed tool, and each tool on another server whose name looks the same, as
// shadows of each other, so that calls need no search.
func (s *Session) shadow(srv *Server, k *Known) {
	for _, o := range s.Owners(k.Definition.Name) {
		if other := s.Servers[o.Server]; other != nil && other != srv && !separated(k.Definition.Name, o.Definition.Name) {
			srv.shadowed(k, o)
			other.shadowed(o, k)
		}
	}
}

// separated reports whether two names differ only in separators, so that a reader can tell them
// apart.
func separated(a, b string) bool {
	return !strings.EqualFold(a, b) && plainASCII(a) && plainASCII(b) && names.FoldName(a) == names.FoldName(b)
}

func plainASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// shadowed remembers another server's tool whose name looks the same as that of one of this server's
// own: the first one with a different definition or, until there is one, the last one.
func (srv *Server) shadowed(own, other *Known) {
	name := own.Definition.Name
	if o := srv.shadows[name]; o != nil && o.Definition.Digest != own.Definition.Digest || o == nil && len(srv.shadows) >= maxShadows {
		return
	}
	set(&srv.shadows, name, other)
}

// Shadow returns another server's tool whose name looks the same as the called tool's, or nil if
// there is none or the message is not a call.
func (p *JudgePass) Shadow() *Known {
	if p.call == nil {
		return nil
	}
	return p.Server.shadows[p.Message.Target]
}
