package text

import "bytes"

// emails yields the e-mail addresses in s[start:end].
func emails(s []byte, start, end int, yield func(Distinct)) {
	for {
		at := bytes.IndexByte(s[start:end], '@')
		if at < 0 {
			return
		}
		at += start
		from, to := at, at+1
		for from > start && valueClass[s[from-1]]&localClass != 0 {
			from--
		}
		for to < end && valueClass[s[to]]&localClass != 0 {
			to++
		}
		host := bytes.TrimRight(s[at+1:to], ".-_+")
		if from < at && bytes.IndexByte(host, '.') > 0 {
			yield(NewDistinct(s, from, at+1+len(host), EmailValue))
		}
		start = to
	}
}

// linkIn returns the position of a link in a run, or -1 if there is none.
func linkIn(of []byte) int {
	at := bytes.Index(of, []byte("://"))
	if at < 0 {
		if at = bytes.IndexByte(of, '.'); at >= 3 && len(of) > at+4 && bytes.EqualFold(of[at-3:at], []byte("www")) && (at == 3 || valueClass[of[at-4]]&alnumClass == 0) {
			return at - 3
		}
		return -1
	}
	for at > 0 && lower(of[at-1]) >= 'a' && lower(of[at-1]) <= 'z' {
		at--
	}
	return at
}

// link yields the link s[start:end], the link without its query, and its host.
func link(s []byte, start, end int, yield func(Distinct)) {
	v := s[start:end]
	if i := bytes.Index(v, []byte("://")); i >= 0 {
		v = v[i+3:]
	}
	if len(v) > 4 && bytes.EqualFold(v[:4], []byte("www.")) {
		v = v[4:]
	}
	v, _, _ = bytes.Cut(v, []byte("#"))
	if whole := bytes.TrimRight(v, "/"); bytes.IndexByte(whole, '.') > 0 || bytes.IndexByte(whole, ':') > 0 {
		yield(Distinct{Start: start, End: end, Kind: LinkValue, Digest: digestOf(whole, notSpaces)})
	} else {
		return
	}
	for _, ends := range [...]string{"?", "/"} {
		if i := bytes.IndexByte(v, ends[0]); i > 0 && i+1 < len(v) {
			yield(Distinct{Start: start, End: end, Kind: LinkValue, Digest: digestOf(bytes.TrimRight(v[:i], "/"), notSpaces), Base: true})
		}
	}
}
