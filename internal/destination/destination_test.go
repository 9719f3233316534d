package destination

import "testing"

// TestDestinationOf checks that all notations of an address that programs accept have the
// same destination.
func TestDestinationOf(t *testing.T) {
	for host, want := range map[string]Destination{
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
		"127.0.0.1":                      {ThisMachine, false},
		"127.1":                          {ThisMachine, true},
		"0":                              {ThisMachine, true},
		"0.0.0.0":                        {ThisMachine, false},
		"::1":                            {ThisMachine, false},
		"::":                             {ThisMachine, false},
		"localhost":                      {ThisMachine, false},
		"app.localhost":                  {ThisMachine, false},
		"app.localtest.me":               {ThisMachine, true},
		"10.1.2.3":                       {Neighbour, false},
		"172.16.0.1":                     {Neighbour, false},
		"192.168.1.1":                    {Neighbour, false},
		"100.64.0.1":                     {Neighbour, false},
		"fd12:3456::1":                   {Neighbour, false},
		"0x0a000001":                     {Neighbour, true},
		"169.254.1.1":                    {LinkLocal, false},
		"fe80::1%eth0":                   {LinkLocal, false},
		"8.8.8.8":                        {Outside, false},
		"134744072":                      {Outside, true},
		"172.32.0.1":                     {Outside, false},
		"2001:db8::1":                    {Outside, false},
		"example.com":                    {Outside, false},
		"1.2.3.4.5":                      {Outside, false},
		"256.1.1.1":                      {Outside, false},
		"0b1.0.0.1":                      {Outside, false},
		"1_0.0.0.1":                      {Outside, false},
		"10.0.0.1.example.com":           {Outside, false},
		"metadata.google.internal.evil.": {Outside, false},
		"":                               {Outside, false},
	} {
		if got := Of(host); got.Reach != want.Reach || got.Disguised != want.Disguised && want.Reach != Outside {
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
		if got := LookalikeHost(host); got != want {
			t.Errorf("lookalikeHost(%q) = %v, want %v", host, got, want)
		}
	}
}

// TestDestinationURL checks that URLs are parsed as browsers do.
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
		scheme, u := ParseURL(address)
		host := ""
		if u != nil {
			host = u.Hostname()
		}
		if scheme != want[0] || host != want[1] {
			t.Errorf("destinationURL(%q) = %q, %q, want %q", address, scheme, host, want)
		}
	}
}

func TestHost(t *testing.T) {
	for host, want := range map[string]string{
		"Example.COM.": "example.com", "127.1": "127.0.0.1", "0x7f000001": "127.0.0.1", "[::ffff:7f00:1]": "127.0.0.1",
		"[2001:DB8:0::1]": "[2001:db8::1]", "①②7.0.0.1": "127.0.0.1", "": "",
	} {
		if got := Host(host); got != want {
			t.Errorf("%s: %s, expected %s", host, got, want)
		}
	}
}

// TestNetworks checks that hosts on this machine and on private networks are recognised in all notations.
func TestNetworks(t *testing.T) {
	for host, want := range map[string]string{
		"localhost": "this machine", "App.Localhost.": "this machine", "127.0.0.1": "this machine", "2130706433": "this machine", "0177.0.0.1": "this machine",
		"0x7F.1": "this machine", "127.1": "this machine", "::1": "this machine", "::ffff:127.0.0.1": "this machine", "0.0.0.0": "this machine",
		"10.0.0.1": "private", "167772161": "private", "0300.0250.1": "private", "169.254.169.254": "private", "fe80::1%eth0": "private", "nas": "private", "nas.local": "private",
		"8.8.8.8": "", "134744072": "", "0x8.8.8.8": "", "example.com": "", "127.1.example.com": "",
		"localtest.me": "", // depends on somebody's name server
	} {
		got := ""
		switch {
		case Loopback(host):
			got = "this machine"
		case Private(host):
			got = "private"
		}
		if got != want {
			t.Errorf("%s: %q, expected %q", host, got, want)
		}
	}
}

func TestDevelopment(t *testing.T) {
	for _, host := range []string{"localhost", "db.localhost", "localtest.me", "127.0.0.9", "127.1", "::1", "db", "DB.", "host.docker.internal", "host.containers.internal"} {
		if !Development(host) {
			t.Errorf("%s: expected a development host", host)
		}
	}
	for _, host := range []string{"db.example.com", "db.internal", "10.0.0.1", "167772161", "192.168.1.5", "fd00::1", "8.8.8.8", "host.docker.internal.example.com"} {
		if Development(host) {
			t.Errorf("%s: expected another machine", host)
		}
	}
}
