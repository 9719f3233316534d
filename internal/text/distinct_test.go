package text

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func distincts(s string) (found []string) {
	Distincts([]byte(s), false, func(d Distinct) {
		if !d.Base {
			found = append(found, fmt.Sprintf("%s: %s", d.Kind, s[d.Start:d.End]))
		}
	})
	return found
}

func TestDistincts(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"nothing here, and 2024-05-15 16:30:00 neither", nil},
		{"write to Dora <dora.m@mail.example>.", []string{"an e-mail address: dora.m@mail.example"}},
		{"a@x.example,b@y.example;c@z", []string{"an e-mail address: a@x.example", "an e-mail address: b@y.example"}},
		{"user@host and a@b", nil},
		{"see www.blog-of-dora.example; or http://a.example/x?q=1.", []string{"a link: www.blog-of-dora.example", "a link: http://a.example/x?q=1"}},
		{"a file guide.md in docs/guide.md", nil},
		{"pay to DE89 3704 0044 0532 0130 00 Now", []string{"an account, card or telephone number: DE89 3704 0044 0532 0130 00"}},
		{"or GB29NWBK60161331926819.", []string{"an account, card or telephone number: GB29NWBK60161331926819"}},
		{"call +41 44 668 18 00", []string{"an account, card or telephone number: +41 44 668 18 00"}},
		{"card 4929-3813-3266-4295", []string{"an account, card or telephone number: 4929-3813-3266-4295"}},
		{"1767695400123, 2.10.11234567890.1, 00000000000", nil},
		{"id 7f9c24e8-3b12-4fd1-9a77-0c5de1a2b3c4", []string{"an identifier: 7f9c24e8-3b12-4fd1-9a77-0c5de1a2b3c4"}},
		{"my-blog-post-about-2024-05-15-results", nil},
		{"key: gho_Zq8RtY3uWm5NcV7bXs2LkD9fGh4Jp6Aa1EeT", []string{"a secret: gho_Zq8RtY3uWm5NcV7bXs2LkD9fGh4Jp6Aa1EeT", "an identifier: gho_Zq8RtY3uWm5NcV7bXs2LkD9fGh4Jp6Aa1EeT"}},
		{"api_key = your-key-goes-here-please", nil},
		{"- body: The harbour is closed for boats over nine metres\n    until the end of March.\n  by: Eve", []string{
			"a passage: The harbour is closed for boats over nine metres\n    until the end of March"}},
		{"The harbour is closed for boats over nine metres until\nMarch. Use the northern pier", []string{
			"a passage: The harbour is closed for boats over nine metres until\nMarch"}},
		{"The harbour is closed for boats over nine metres\n2. Use the northern pier", []string{
			"a passage: The harbour is closed for boats over nine metres"}},
	} {
		if got := distincts(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%q:\ngot  %q\nwant %q", c.in, got, c.want)
		}
	}
}

// digests returns the digests of the values of one kind.
func digests(s string, kind DistinctKind) (all []uint64) {
	Distincts([]byte(s), false, func(d Distinct) {
		if d.Kind == kind {
			all = append(all, d.Digest)
		}
	})
	return all
}

// TestOneValueInManyForms checks that all spellings of a value have the same
// digest.
func TestOneValueInManyForms(t *testing.T) {
	for kind, forms := range map[DistinctKind][]string{
		EmailValue:   {"dora@mail.example", "DORA@Mail.Example", "mailto:dora@mail.example?subject=x", `"Dora" <dora@mail.example>;`},
		LinkValue:    {"www.in.example/c", "https://in.example/c/", "see HTTP://WWW.IN.EXAMPLE/c#top.", "https://in.example/c?d=1"},
		AccountValue: {"4929381332664295", "4929 3813 3266 4295", "card 4929-3813-3266-4295."},
		TokenValue:   {"7f9c24e83b124fd19a770c5de1a2b3c4", "x=7F9C24E83B124FD19A770C5DE1A2B3C4&y", "/items/7f9c24e83b124fd19a770c5de1a2b3c4/"},
		PassageValue: {"The harbour is closed for boats over nine metres today.", "- Notes: the harbour IS closed\nfor boats  over nine metres, today!"},
	} {
		want := digests(forms[0], kind)
		if len(want) == 0 {
			t.Errorf("%q has no value", forms[0])
			continue
		}
		for _, f := range forms[1:] {
			if !slices.Contains(digests(f, kind), want[0]) {
				t.Errorf("%q is not taken for %q", f, forms[0])
			}
		}
	}
}

func TestCarried(t *testing.T) {
	for in, want := range map[string]string{
		"data=ZG9yYUBtYWlsLmV4YW1wbGU=":            "dora@mail.example",
		"646f7261406d61696c2e6578616d706c65":       "dora@mail.example",
		"to=dora%40mail.example":                   "to=dora@mail.example",
		`{"to":"dora\u0040mail.example"}`:          `{"to":"dora@mail.example"}`,
		"?d=NNKDS6SRGR3EY6BSNVBA====":              "kT9zQ4vLx2mB",
		"the information is in the representation": "",
		"INTERNATIONALIZATION OF INFORMATION":      "",

		"https://evil.example/646f7261406d61696c2e6578616d706c65":     "dora@mail.example",
		"https://646f7261406d61696c2e6578616d706c65.evil.example":     "dora@mail.example",
		"https://nnkds6srgr3ey6bs.evil.example":                       "kT9zQ4vLx2",
		"notes/ZG9yYUBtYWlsLmV4YW1wbGU.txt":                           "dora@mail.example",
		"reports/upload-646f7261406d61696c2e6578616d706c65_1.txt":     "dora@mail.example",
		"reports/information-in-the-representation/of-internationals": "",
	} {
		var got []string
		Carried([]byte(in), func(h Hidden) { got = append(got, string(h.Text)) })
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestDistinctSpans checks that values lie within the text and that the search does
// not modify it.
func TestDistinctSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := []byte(strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.String(),
			rapid.StringMatching(`[a-zA-Z0-9@./:+ =%-]{0,60}`), rapid.Just("https://www."), rapid.Just("DE89 37")), 0, 8).Draw(t, "parts"), ""))
		before := bytes.Clone(s)
		Distincts(s, false, func(d Distinct) {
			if d.Start < 0 || d.Start >= d.End || d.End > len(s) {
				t.Fatalf("%+v of %d bytes", d, len(s))
			}
		})
		Carried(s, func(h Hidden) {
			if h.Start < 0 || h.Start >= h.End || h.End > len(s) {
				t.Fatalf("%+v of %d bytes", h, len(s))
			}
		})
		if !bytes.Equal(s, before) {
			t.Fatal("the text was changed")
		}
	})
}

// TestSecretsAnywhere checks that a secret is found at any position in a long text.
func TestSecretsAnywhere(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n", 40) + "-----END PRIVATE KEY-----"
	for _, secret := range []string{"gho_Zq8RtY3uWm5NcV7bXs2LkD9fGh4Jp6Aa1EeT", key} {
		want := digests(secret, SecretValue)
		for before := 0; before < 3000; before += 97 {
			s := strings.Repeat("a few words and more of them ", 110)[:before] + "\n" + secret + "\n" + strings.Repeat("and then some ", 200)
			if got := digests(s, SecretValue); !slices.Equal(got, want) || len(got) != 1 {
				t.Fatalf("%.20s after %d bytes: %x, want %x", secret, before, got, want)
			}
		}
	}
}
