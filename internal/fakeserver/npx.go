package fakeserver

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

// NPX imitates the command "npx -y PACKAGE@VERSION", with a directory as its registry: it serves the
// definitions in packages/PACKAGE@VERSION.json, in the working directory or one above it. It reads the file
// again for each list, so that a test can change it while the server runs. If packages/PACKAGE@VERSION.integrity exists,
// NPX caches its content as npx caches the integrity of a fetched package.
func NPX() {
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool { return strings.HasPrefix(a, "-") })
	file := filepath.Join(registry(), strings.ReplaceAll(args[0], "/", "_"))
	cacheIntegrity(args[0], file+".integrity")
	Serve(func(r Request) string {
		dump, err := os.ReadFile(file + ".json")
		if err != nil {
			fmt.Fprintln(os.Stderr, "no such package:", file+".json")
			os.Exit(1)
		}
		return r.From(dump)
	})
}

// registry returns the closest directory called packages, in the working directory or above it.
func registry() string {
	const name = "packages"
	dir := name
	for range 8 {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		dir = filepath.Join("..", dir)
	}
	return name
}

func cacheIntegrity(asked, integrityFile string) {
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

// From returns the response that a server with the definitions in a dump sends. If the dump has a
// member "fails", tools/list fails with this error.
func (r Request) From(dump []byte) string {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(dump, &members); err != nil {
		fmt.Fprintln(os.Stderr, "not a dump:", err)
		os.Exit(1)
	}
	part := func(key, otherwise string) string {
		if members[key] == nil {
			return otherwise
		}
		return strings.Join(strings.Fields(strings.ReplaceAll(string(members[key]), "\n", " ")), " ")
	}
	switch r.Method {
	case "initialize":
		return r.Result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":` + part("serverInfo", `{"name":"fake","version":"1.0.0"}`) +
			`,"instructions":` + part("instructions", `""`) + `}`)
	case "tools/list":
		if members["fails"] != nil {
			return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":` + part("fails", "") + `}`
		}
		return r.Result(`{"tools":` + part("tools", `[]`) + `}`)
	}
	return r.NotFound()
}
