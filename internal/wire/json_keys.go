package wire

import (
	"unicode"
	"unicode/utf8"
)

// AnomalyKind says in which way a text can be read twice.
type AnomalyKind uint8

// The anomalies of keys. Each one makes two correct programs see two messages.
const (
	DuplicateKey AnomalyKind = iota // the same key twice in one object
	VariantKey                      // two keys that a case-folding or cleaning parser takes for one
	OddKey                          // one key with NUL or an invisible character in it
)

// Anomaly is one such place. Node is the member concerned, Other the earlier
// member it collides with, or -1.
type Anomaly struct {
	Kind        AnomalyKind
	Node, Other int32
}

// keyTable finds equal folded keys of one object in linear time. It is emptied
// by raising the generation, not by clearing.
type keyTable struct {
	slots []keySlot
	gen   uint32
	a, b  []byte // folded keys under comparison
}

type keySlot struct {
	gen  uint32
	hash uint32
	node int32
}

// checkKeys notes the anomalies among the keys of object i.
func (d *Doc) checkKeys(i int32) {
	t := &d.keys
	t.reset(int(d.Nodes[i].Len))
	mask := uint32(len(t.slots) - 1)
	for c := d.First(int(i)); c >= 0; c = d.Next(c) {
		odd := false
		t.a, odd = d.foldKey(t.a[:0], c)
		if odd {
			d.Anomalies = append(d.Anomalies, Anomaly{OddKey, int32(c), -1})
		}
		h := hashBytes(t.a)
		slot := h & mask
		for ; t.slots[slot].gen == t.gen; slot = (slot + 1) & mask {
			if t.slots[slot].hash != h {
				continue
			}
			other := int(t.slots[slot].node)
			t.b, _ = d.foldKey(t.b[:0], other)
			if string(t.a) == string(t.b) {
				d.Anomalies = append(d.Anomalies, Anomaly{d.collision(c, other), int32(c), int32(other)})
				break
			}
		}
		if t.slots[slot].gen != t.gen {
			t.slots[slot] = keySlot{t.gen, h, int32(c)}
		}
	}
}

func (d *Doc) collision(a, b int) AnomalyKind {
	var x, y []byte
	if string(d.Key(a, &x)) == string(d.Key(b, &y)) {
		return DuplicateKey
	}
	return VariantKey
}

func (t *keyTable) reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if size > len(t.slots) {
		t.slots, t.gen = make([]keySlot, size), 0
	}
	if t.gen++; t.gen == 0 {
		clear(t.slots)
		t.gen = 1
	}
}

func hashBytes(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// foldKey appends the key of node i as the most forgiving parser would read
// it: case folded (ſ is s and the Kelvin sign k, as encoding/json has it),
// without NUL and format characters. odd reports that something was removed.
func (d *Doc) foldKey(dst []byte, i int) (folded []byte, odd bool) {
	n := &d.Nodes[i]
	if n.flags>>keyShift == 0 {
		for _, b := range d.Data[n.KeyStart+1 : n.KeyEnd-1] {
			if b >= 'A' && b <= 'Z' {
				b += 'a' - 'A'
			}
			dst = append(dst, b)
		}
		return dst, false
	}
	d.buf = AppendUnquoted(d.buf[:0], d.Data[n.KeyStart:n.KeyEnd])
	return FoldKey(dst, d.buf)
}

// FoldKey appends key as the most forgiving parser would read it, and reports
// whether it had NUL or invisible characters. Two keys with one folded form
// can be taken for each other.
func FoldKey(dst, key []byte) (folded []byte, odd bool) {
	for len(key) > 0 {
		r, n := utf8.DecodeRune(key)
		key = key[n:]
		if r == 0 || unicode.Is(unicode.Cf, r) {
			odd = true
			continue
		}
		dst = utf8.AppendRune(dst, foldRune(r))
	}
	return dst, odd
}

// foldRune returns the smallest rune of r's simple folding orbit, in lower
// case for ASCII letters.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	if least >= 'A' && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
