package rules

import "testing"

// TestDestinationOf: the forms of one address that programs read alike lead to one place.
func TestDestinationOf(t *testing.T) {
	for host, want := range map[string]destination{
		"169.254.169.254":                {metadata, false},
		"metadata.google.internal.":      {metadata, false},
		"2852039166":                     {metadata, true},
		"0xA9FEA9FE":                     {metadata, true},
		"0xa9.0xfe.0xa9.0xfe":            {metadata, true},
		"0251.0376.0251.0376":            {metadata, true},
		"169.254.43518":                  {metadata, true},
		"::ffff:169.254.169.254":         {metadata, true},
		"::ffff:a9fe:a9fe":               {metadata, true},
		"64:ff9b::a9fe:a9fe":             {metadata, true},
		"2002:a9fe:a9fe::1":              {metadata, true},
		"169-254-169-254.nip.io":         {metadata, true},
		"app.169.254.169.254.sslip.io":   {metadata, true},
		"１６９.254.169.254":                {metadata, true},
		"169。254。169。254":                {metadata, true},
		"fd00:ec2::254":                  {metadata, false},
		"100.100.100.200":                {metadata, false},
		"127.0.0.1":                      {thisMachine, false},
		"127.1":                          {thisMachine, true},
		"0":                              {thisMachine, true},
		"0.0.0.0":                        {thisMachine, false},
		"::1":                            {thisMachine, false},
		"::":                             {thisMachine, false},
		"localhost":                      {thisMachine, false},
		"app.localhost":                  {thisMachine, false},
		"app.localtest.me":               {thisMachine, true},
		"10.1.2.3":                       {neighbour, false},
		"172.16.0.1":                     {neighbour, false},
		"192.168.1.1":                    {neighbour, false},
		"100.64.0.1":                     {neighbour, false},
		"fd12:3456::1":                   {neighbour, false},
		"0x0a000001":                     {neighbour, true},
		"169.254.1.1":                    {linkLocal, false},
		"fe80::1%eth0":                   {linkLocal, false},
		"8.8.8.8":                        {outside, false},
		"134744072":                      {outside, true},
		"172.32.0.1":                     {outside, false},
		"2001:db8::1":                    {outside, false},
		"example.com":                    {outside, false},
		"1.2.3.4.5":                      {outside, false},
		"256.1.1.1":                      {outside, false},
		"0b1.0.0.1":                      {outside, false},
		"1_0.0.0.1":                      {outside, false},
		"10.0.0.1.example.com":           {outside, false},
		"metadata.google.internal.evil.": {outside, false},
		"":                               {outside, false},
	} {
		if got := destinationOf(host); got.reach != want.reach || got.disguised != want.disguised && want.reach != outside {
			t.Errorf("destinationOf(%q) = %v, want %v", host, got, want)
		}
	}
}

func TestLookalikeHost(t *testing.T) {
	for host, want := range map[string]bool{
		"p\u0430ypal.com": true, "xn--pypal-4ve.com": true, "\u0430\u0440\u0440\u04cf\u0435.com": true, "xn--80ak6aa92e.com": true,
		"paypal.com": false, "m\u00fcnchen.de": false, "xn--mnchen-3ya.de": false, "\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444": false,
		"\u4f8b\u3048.jp": false, "": false, "xn--": false,
	} {
		if got := lookalikeHost(host); got != want {
			t.Errorf("lookalikeHost(%q) = %v, want %v", host, got, want)
		}
	}
}

// TestDestinationURL: an address is read as a browser reads it.
func TestDestinationURL(t *testing.T) {
	for address, want := range map[string][2]string{
		"https://example.com/x":            {"https", "example.com"},
		" \tHTTPS://Example.com":           {"https", "Example.com"},
		`http:\\10.0.0.1\x`:                {"http", "10.0.0.1"},
		"java\nscript:alert(1)":            {"javascript", ""},
		"\x01javascript:alert(1)":          {"javascript", ""},
		"https://user:pw@10.0.0.1:8080/":   {"https", "10.0.0.1"},
		"http://[::ffff:127.0.0.1]/":       {"http", "::ffff:127.0.0.1"},
		"/relative/path":                   {"", ""},
		"data:image/png;base64,iVBORw0KGg": {"data", ""},
	} {
		scheme, u := destinationURL(address)
		host := ""
		if u != nil {
			host = u.Hostname()
		}
		if scheme != want[0] || host != want[1] {
			t.Errorf("destinationURL(%q) = %q, %q, want %q", address, scheme, host, want)
		}
	}
}
