package main

import (
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// fakeNPX is the command "npx -y PACKAGE@VERSION": a registry of files. The
// package's stands in packages/, a dump as a server would fill it, and it is read
// again for each list, as a server's own mind can change. What stands in its .integrity
// file is kept as npx keeps it, once the package was fetched.
func fakeNPX() {
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool { return strings.HasPrefix(a, "-") })
	file := "packages/" + strings.ReplaceAll(args[0], "/", "_")
	keepAsNPX(args[0], file+".integrity")
	name := file + ".json"
	answerAll(func(r request) string {
		var dump map[string]json.RawMessage
		data, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(data, &dump) != nil {
			fmt.Fprintln(os.Stderr, "no such package:", name)
			os.Exit(1)
		}
		return served(r, dump)
	})
}

// keepAsNPX writes what npx writes of a package that it fetched.
func keepAsNPX(asked, integrityFile string) {
	integrity, err := os.ReadFile(integrityFile)
	if err != nil {
		return
	}
	at := strings.LastIndexByte(asked, '@')
	sum := sha512.Sum512([]byte(asked))
	dir := filepath.Join(os.Getenv("HOME"), ".npm", "_npx", hex.EncodeToString(sum[:])[:16])
	lock := fmt.Sprintf(`{"packages":{"node_modules/%s":{"version":%q,"integrity":%q}}}`, asked[:at], asked[at+1:], strings.TrimSpace(string(integrity)))
	if os.MkdirAll(dir, 0o755) != nil || os.WriteFile(filepath.Join(dir, "package-lock.json"), []byte(lock), 0o600) != nil {
		os.Exit(1)
	}
}

// fakeDocker is the command "docker": "docker run IMAGE" is a server, and "docker image
// inspect IMAGE" tells the digest that stands in images/IMAGE.
func fakeDocker() {
	image := os.Args[len(os.Args)-1]
	if os.Args[1] == "run" {
		answerAll(func(r request) string { return answer("docker", r) })
		return
	}
	digest, err := os.ReadFile("images/" + image)
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error: No such image:", image)
		os.Exit(1)
	}
	fmt.Printf("[\"%s@%s\"]\n", image, strings.TrimSpace(string(digest)))
}

func served(r request, dump map[string]json.RawMessage) string {
	part := func(key, otherwise string) string {
		if dump[key] == nil {
			return otherwise
		}
		return strings.Join(strings.Fields(strings.ReplaceAll(string(dump[key]), "\n", " ")), " ")
	}
	result := func(s string) string { return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":` + s + `}` }
	switch r.Method {
	case "initialize":
		return result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":` + part("serverInfo", `{"name":"fake","version":"1.0.0"}`) +
			`,"instructions":` + part("instructions", `""`) + `}`)
	case "tools/list":
		return result(`{"tools":` + part("tools", `[]`) + `}`)
	}
	return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32601,"message":"Method not found"}}`
}
