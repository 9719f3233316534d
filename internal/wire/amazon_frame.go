package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// EventFrame is a message of an Amazon event stream (application/vnd.amazon.eventstream). It
// consists of its total length, the length of its headers, a checksum of these two, the headers, a
// JSON payload, and a checksum of everything before it.
type EventFrame struct {
	Raw     []byte
	Type    string // value of :event-type, :exception-type or :error-code
	Payload []byte
}

const (
	// FramePrelude is the number of bytes needed to determine the size of a frame.
	FramePrelude = 12
	frameTail    = 4 // bytes of the checksum at the end
)

// ErrFrame reports bytes that are not a message of an Amazon event stream.
var ErrFrame = errors.New("not a valid message of an Amazon event stream: a length, a header, a checksum or the payload is wrong")

// FrameSize returns the size of the frame that begins with the given prelude.
func FrameSize(prelude []byte) (int64, error) {
	if len(prelude) < FramePrelude || crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]) {
		return 0, ErrFrame
	}
	size, headers := int64(binary.BigEndian.Uint32(prelude)), int64(binary.BigEndian.Uint32(prelude[4:]))
	if size < FramePrelude+headers+frameTail {
		return 0, ErrFrame
	}
	return size, nil
}

// ParseEventFrame parses a frame. It rejects duplicate headers, more than one type, and a payload
// that is neither empty nor a single JSON object, because other readers might interpret them
// differently.
func ParseEventFrame(raw []byte) (EventFrame, error) {
	size, err := FrameSize(raw)
	if err != nil || size != int64(len(raw)) || crc32.ChecksumIEEE(raw[:size-frameTail]) != binary.BigEndian.Uint32(raw[size-frameTail:]) {
		return EventFrame{}, ErrFrame
	}
	begin := FramePrelude + int64(binary.BigEndian.Uint32(raw[4:]))
	f := EventFrame{Raw: raw, Payload: raw[begin : size-frameTail]}
	seen := map[string]bool{}
	for rest := raw[FramePrelude:begin]; len(rest) > 0; {
		name, value, next, ok := frameHeader(rest)
		if !ok || seen[name] {
			return EventFrame{}, ErrFrame
		}
		seen[name], rest = true, next
		switch name {
		case ":event-type", ":exception-type", ":error-code":
			if f.Type != "" {
				return EventFrame{}, ErrFrame
			}
			f.Type = value
		}
	}
	if root, err := Skim(f.Payload, MaxNodes); len(f.Payload) > 0 && (err != nil || root.Kind() != Object) {
		return EventFrame{}, ErrFrame
	}
	return f, nil
}

// headerSizes are the sizes of header values, by type; -1 stands for bytes and strings, which
// are preceded by their length in 2 bytes.
var headerSizes = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

// frameHeader parses a header. value is "" if it is not a string.
func frameHeader(b []byte) (name, value string, rest []byte, ok bool) {
	n := int(b[0]) + 2
	if n == 2 || len(b) < n || int(b[n-1]) >= len(headerSizes) {
		return "", "", nil, false
	}
	name, kind, b := string(b[1:n-1]), b[n-1], b[n:]
	size := headerSizes[kind]
	if size < 0 {
		if len(b) < 2 {
			return "", "", nil, false
		}
		size, b = int(binary.BigEndian.Uint16(b)), b[2:]
	}
	if len(b) < size {
		return "", "", nil, false
	}
	if kind == 7 {
		value = string(b[:size])
	}
	return name, value, b[size:], true
}

// Data returns the frame as JSON in the form that Amazon's SDKs use: an object with one member,
// named after the type of the event.
func (f *EventFrame) Data() []byte {
	payload := f.Payload
	if len(payload) == 0 {
		payload = []byte("{}")
	}
	oneLine := bytes.Map(func(c rune) rune {
		if c == '\r' || c == '\n' { // in valid JSON, a line break is white space
			return ' '
		}
		return c
	}, payload)
	return append(append(append(AppendString([]byte{'{'}, []byte(f.Type)), ':'), oneLine...), '}')
}

// AppendSSE appends the frame as a server-sent event, which is its form in recordings.
func (f *EventFrame) AppendSSE(dst []byte) []byte {
	return append(append(append(dst, "data: "...), f.Data()...), "\n\n"...)
}

// AppendEventFrame appends a frame with the given kind (event or exception) and type.
func AppendEventFrame(dst []byte, kind, name string, payload []byte) []byte {
	var headers []byte
	for _, h := range [...][2]string{{":" + kind + "-type", name}, {":content-type", "application/json"}, {":message-type", kind}} {
		headers = append(append(append(headers, byte(len(h[0]))), h[0]...), 7)
		headers = append(binary.BigEndian.AppendUint16(headers, uint16(len(h[1]))), h[1]...)
	}
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(FramePrelude+len(headers)+len(payload)+frameTail))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(headers)))
	dst = binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
	dst = append(append(dst, headers...), payload...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}

// ErrFrameSize reports a frame that exceeds the size limit.
var ErrFrameSize = errors.New("a message of an Amazon event stream exceeds the size limit")

// ReadEventFrame reads a frame of at most max bytes; 0 means no limit. After an error, Raw contains
// the bytes read so far; it is empty at the end of the stream, where the error is io.EOF. held, if
// not nil, is called with the size of the frame before memory is allocated for it.
func ReadEventFrame(r io.Reader, max int64, held func(size int64) error) (f EventFrame, err error) {
	f.Raw = make([]byte, FramePrelude)
	n, err := io.ReadFull(r, f.Raw)
	if err != nil {
		f.Raw = f.Raw[:n]
		return f, err
	}
	size, err := FrameSize(f.Raw)
	if err == nil && max > 0 && size > max {
		err = ErrFrameSize
	}
	if err == nil && held != nil {
		err = held(size)
	}
	if err != nil {
		return f, err
	}
	var all bytes.Buffer // grows with the data received, not to the size announced in the prelude
	all.Write(f.Raw)
	if _, err = io.CopyN(&all, r, size-FramePrelude); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	raw := all.Bytes()
	if err == nil {
		f, err = ParseEventFrame(raw)
	}
	f.Raw = raw
	return f, err
}
