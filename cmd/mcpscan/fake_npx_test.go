package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// fakeNPX is the command "npx -y PACKAGE@VERSION": a registry of files. The
// package's stands in packages/, a dump as a server would fill it, and it is read
// again for each list, as a server's own mind can change.
func fakeNPX() {
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool { return strings.HasPrefix(a, "-") })
	name := "packages/" + strings.ReplaceAll(args[0], "/", "_") + ".json"
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
