// Package fakeserver has what the MCP servers that tests start have in common, and an
// npx that starts one from a file. It reads what mcpscan's own client writes, so
// encoding/json will do.
package fakeserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Request is what a fake server needs of a message.
type Request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor     string `json:"cursor"`
		Name       string `json:"name"`
		ClientInfo struct {
			Name string `json:"name"`
		} `json:"clientInfo"`
	} `json:"params"`
}

// Result is the response that has this result, which is JSON.
func (r Request) Result(json string) string {
	return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":` + json + `}`
}

// NotFound is the response of a server that does not know the method.
func (r Request) NotFound() string {
	return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32601,"message":"Method not found"}}`
}

// Serve answers the requests on standard input until there are no more.
func Serve(answer func(Request) string) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		var r Request
		if json.Unmarshal([]byte(line), &r) == nil && r.ID != nil {
			fmt.Println(answer(r))
		}
	}
}
