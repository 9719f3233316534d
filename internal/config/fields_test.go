package config

import (
	"strings"
	"testing"
)

// TestParseEnvFile checks that settings of launchers are read as the launchers read them.
func TestParseEnvFile(t *testing.T) {
	for _, c := range []struct{ file, prefix, text, want string }{
		{".env", "", "# a=b\nexport A=1\nB-C = \"x y\" # z\n'D=2\n", "A=1 B-C=x y 'D=2"},
		{".npmrc", "npm_config_", "registry = https://a.example/\r\n@acme:registry=https://b.example\n", "npm_config_registry=https://a.example/ npm_config_@acme:registry=https://b.example"},
		{".npmrc", "npm_config_", "; comment\rnode-options=-r x", "npm_config_node_options=-r x"},
		{".npmrc", "npm_config_", `"reg\u0069stry"="https:\u002f\u002fa.example"`, "npm_config_registry=https://a.example"},
		{".npmrc", "npm_config_", "'registry'='https://a.example'", "npm_config_registry=https://a.example"},
		{".npmrc", "npm_config_", "reg${NONE?}istry=https://a.example", "npm_config_registry=https://a.example"},
		{"bunfig.toml", "BUN_CONFIG_", `registry = { url = "https://a.example", token = "x" }`, "BUN_CONFIG_registry=https://a.example"},
		{".yarnrc.yml", "YARN_", "yarnPath: ./y.cjs\nnpmScopes:\n  acme:\n    npmRegistryServer: \"https://a.example\"\n", "YARN_yarnPath=./y.cjs YARN_npmScopes= YARN_acme= YARN_npmRegistryServer=https://a.example"},
	} {
		var got []string
		for _, s := range ParseEnvFile(c.file, "", c.prefix, []byte(c.text)).Settings {
			got = append(got, strings.TrimPrefix(s.Pointer, "/envFile/")+"="+s.Text)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s %q:\ngot  %s\nwant %s", c.file, c.text, text, c.want)
		}
	}
}
