package live

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// message contains the members of a JSON-RPC message that this package reads. The caller of List
// gets the whole message as bytes.
type message struct {
	id     string // the raw token, "" when absent or null
	method string
	answer bool // it has a result or an error member
	reply  reply
}

// reply contains the members of a response that this package reads: enough for the
// handshake and for paging.
type reply struct {
	err        *rpcError
	broken     error // why the response is malformed
	object     bool  // the result is an object
	nextCursor jsontext.Value
	lists      map[string]jsontext.Kind // kind of the value of each list member; 0 for duplicates of different kinds
	resultType string
	version    string
	supported  []string        // supportedVersions of a discover result
	declared   map[string]bool // capabilities that are present and neither null nor false
}

// rpcError is the error member of a response.
type rpcError struct {
	code      int
	message   string   // quoted by deliver
	supported []string // data.supported of an UnsupportedProtocolVersion
}

func (e *rpcError) Error() string {
	return fmt.Sprintf("the server answered with error %d %s", e.code, e.message)
}

var errInvalid = errors.New("the answer is not valid JSON")

func newDecoder(raw []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(raw),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// parse reads the messages in a frame: one, a batch, or several in a row. A truncated message is
// returned with the members that were read, and marked as broken.
func parse(frame []byte) []message {
	var all []message
	dec := newDecoder(frame)
	for {
		switch dec.PeekKind() {
		case '{':
			m, err := readMessage(dec)
			if err != nil {
				m.answer, m.reply.broken = true, errInvalid
			}
			all = append(all, m)
			if err != nil {
				return all
			}
		case '[', ']':
			if _, err := dec.ReadToken(); err != nil {
				return all
			}
		default:
			if dec.SkipValue() != nil {
				return all
			}
		}
	}
}

func readMessage(dec *jsontext.Decoder) (message, error) {
	var m message
	err := readMembers(dec, func(name string, v jsontext.Value) {
		switch name {
		case "id":
			m.id = ""
			if v.Kind() != 'n' {
				m.id = string(v)
			}
		case "method":
			m.method = text(v)
		case "result":
			m.answer = true
			m.reply.readResult(v)
		case "error":
			m.answer = m.answer || v.Kind() != 'n'
			m.reply.err = readError(v)
		}
	})
	return m, err
}

func (r *reply) readResult(raw jsontext.Value) {
	r.object = raw.Kind() == '{'
	members(raw, func(name string, v jsontext.Value) {
		switch name {
		case "nextCursor":
			r.nextCursor = nil
			if v.Kind() != 'n' {
				r.nextCursor = v.Clone()
			}
		case "tools", "prompts", "resources", "resourceTemplates":
			r.readList(name, v)
		case "resultType":
			r.resultType = text(v)
		case "protocolVersion":
			r.version = text(v)
		case "supportedVersions":
			r.supported = texts(v)
		case "capabilities":
			r.readCapabilities(v)
		}
	})
}

// readList records the kind of a list's value, or 0 if the key occurs again with a value of another
// kind, because a client may use either value.
func (r *reply) readList(name string, v jsontext.Value) {
	if r.lists == nil {
		r.lists = map[string]jsontext.Kind{}
	}
	kind, known := r.lists[name]
	if r.lists[name] = v.Kind(); known && kind != v.Kind() {
		r.lists[name] = 0
	}
}

func (r *reply) readCapabilities(raw jsontext.Value) {
	r.declared = map[string]bool{}
	members(raw, func(name string, v jsontext.Value) {
		switch name {
		case "tools", "prompts", "resources":
			r.declared[name] = v.Kind() != 'n' && v.Kind() != 'f'
		}
	})
}

// readError reads an error member; null means no error.
func readError(raw jsontext.Value) *rpcError {
	if raw.Kind() == 'n' {
		return nil
	}
	e := &rpcError{}
	members(raw, func(name string, v jsontext.Value) {
		switch name {
		case "code":
			if f, err := strconv.ParseFloat(string(v), 64); err == nil {
				e.code = int(f)
			}
		case "message":
			e.message = text(v)
		case "data":
			members(v, func(name string, v jsontext.Value) {
				if name == "supported" {
					e.supported = texts(v)
				}
			})
		}
	})
	return e
}

// members visits the members of raw if it is an object. The values are only valid during the visit.
// raw must be valid JSON.
func members(raw jsontext.Value, visit func(name string, v jsontext.Value)) {
	if raw.Kind() == '{' {
		_ = readMembers(newDecoder(raw), visit)
	}
}

func readMembers(dec *jsontext.Decoder, visit func(name string, v jsontext.Value)) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		visit(key, v)
	}
	_, err := dec.ReadToken()
	return err
}

// text returns the string in raw, or "" if raw is not a string.
func text(raw jsontext.Value) string {
	if raw.Kind() != '"' {
		return ""
	}
	tok, err := newDecoder(raw).ReadToken()
	if err != nil {
		return ""
	}
	return tok.String()
}

// texts returns the strings in an array, up to a limit that suits version lists.
func texts(raw jsontext.Value) []string {
	if raw.Kind() != '[' {
		return nil
	}
	dec := newDecoder(raw)
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	var all []string
	for dec.PeekKind() != ']' && len(all) < 100 {
		v, err := dec.ReadValue()
		if err != nil {
			return all
		}
		if s := text(v); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// quote makes untrusted text safe for an error, which ends up in reports and on terminals: masked,
// escaped and short. It masks before it cuts, because half a secret would not be recognised.
func (o Options) quote(s string) string {
	const most, mostMasked = 300, 64 << 10
	s = o.Mask(s[:min(len(s), mostMasked)])
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}
