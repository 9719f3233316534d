package wire

import (
	"hash/maphash"
	"unicode"
	"unicode/utf8"
)

// AnomalyKind is a way in which a key is ambiguous.
type AnomalyKind uint8

// The key anomalies. Each can make two conforming parsers read the same message differently.
const (
	DuplicateKey AnomalyKind = iota // the same key twice in one object
	VariantKey                      // two keys that a parser considers equal if it ignores case or invisible characters
	OddKey                          // a key that contains NUL or an invisible character
)

// Anomaly is an ambiguous key. Node is the member concerned; Other is the earlier member that it
// collides with, or -1.
type Anomaly struct {
	Kind        AnomalyKind
	Node, Other int32
}

// keyTable finds equal keys of an object in linear time. Incrementing the generation empties
// it. The hash has a random seed, because with a fixed one a sender could choose keys that all
// collide.
type keyTable struct {
	slots []keySlot
	gen   uint32
	seed  maphash.Seed
	a, b  []byte // keys being compared
}

type keySlot struct {
	gen  uint32
	hash uint32
	node int32
}

// keyForm appends the form in which a key is compared.
type keyForm func(d *Doc, dst []byte, i int) (form []byte, odd bool)

// checkKeys records the anomalies among the keys of object i.
func (d *Doc) checkKeys(i int32) {
	d.keys.reset(int(d.Nodes[i].Len))
	for c := d.First(int(i)); c >= 0; c = d.Next(c) {
		other, odd := d.enterKey(c, (*Doc).foldKey)
		if odd {
			d.Anomalies = append(d.Anomalies, Anomaly{OddKey, int32(c), -1})
		}
		if other < 0 {
			continue
		}
		kind := DuplicateKey
		if !d.sameKey(c, other) {
			// If several earlier keys have this folded form, any of them can have the same spelling
			// as this key, not only the first.
			if exact, _ := d.enterKey(c, (*Doc).exactKey); exact >= 0 {
				other = exact
			} else {
				kind = VariantKey
			}
		}
		d.Anomalies = append(d.Anomalies, Anomaly{kind, int32(c), int32(other)})
	}
}

// enterKey returns the member in the table whose key has the same form as the key of node i, or
// enters i and returns -1.
func (d *Doc) enterKey(i int, form keyForm) (other int, odd bool) {
	t := &d.keys
	mask := uint32(len(t.slots) - 1)
	t.a, odd = form(d, t.a[:0], i)
	h := uint32(maphash.Bytes(t.seed, t.a))
	slot := h & mask
	for ; t.slots[slot].gen == t.gen; slot = (slot + 1) & mask {
		if t.slots[slot].hash != h {
			continue
		}
		other = int(t.slots[slot].node)
		if t.b, _ = form(d, t.b[:0], other); string(t.a) == string(t.b) {
			return other, odd
		}
	}
	t.slots[slot] = keySlot{t.gen, h, int32(i)}
	return -1, odd
}

func (d *Doc) sameKey(a, b int) bool {
	t := &d.keys
	t.a, _ = d.exactKey(t.a[:0], a)
	t.b, _ = d.exactKey(t.b[:0], b)
	return string(t.a) == string(t.b)
}

// exactKey appends the decoded key of node i.
func (d *Doc) exactKey(dst []byte, i int) (key []byte, odd bool) {
	n := &d.Nodes[i]
	return AppendUnquoted(dst, d.Data[n.KeyStart:n.KeyEnd]), false
}

func (t *keyTable) reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if size > len(t.slots) {
		t.slots, t.gen, t.seed = make([]keySlot, size), 0, maphash.MakeSeed()
	}
	if t.gen++; t.gen == 0 {
		clear(t.slots)
		t.gen = 1
	}
}

// foldKey appends the key of node i as the most lenient parser would read it: case folded (ſ
// becomes s, and the Kelvin sign becomes k, as in encoding/json), without NUL and format
// characters. odd reports whether the key contained any of these.
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

// KeyReads reports whether the most lenient parser reads the key of node i as key, which must be in
// folded form.
func (d *Doc) KeyReads(i int, key string) bool {
	n := &d.Nodes[i]
	if n.KeyEnd == 0 || n.flags>>keyShift == 0 && int(n.KeyEnd-n.KeyStart) != len(key)+2 {
		return false
	}
	t := &d.keys
	t.a, _ = d.foldKey(t.a[:0], i)
	return string(t.a) == key
}

// FoldKey appends key as the most lenient parser would read it, and reports whether it
// contained NUL or invisible characters. Two keys with the same folded form can be mistaken for
// each other.
func FoldKey(dst, key []byte) (folded []byte, odd bool) {
	for len(key) > 0 {
		r, n := utf8.DecodeRune(key)
		key = key[n:]
		if r == 0 || unicode.Is(unicode.Cf, r) {
			odd = true
			continue
		}
		dst = utf8.AppendRune(dst, FoldRune(r))
	}
	return dst, odd
}

// FoldRune returns the smallest rune of r's simple folding orbit, lowercased if it is an ASCII
// letter.
func FoldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	if least >= 'A' && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
