// Package fakeserver provides the common parts of the MCP servers that tests start, and an npx that
// serves definitions from a file. It reads messages only from mcpscan's own client, for which
// encoding/json is sufficient.
package fakeserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// Request contains the parts of a message that fake servers need.
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

// Result returns a response with the given result, which is JSON.
func (r Request) Result(json string) string {
	return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":` + json + `}`
}

// NotFound returns the response for an unknown method.
func (r Request) NotFound() string {
	return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32601,"message":"Method not found"}}`
}

// Serve answers requests on standard input until EOF.
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

// ListenAndServe serves on a free port and writes the address to a file. It exits after half an
// hour, so that a failing script does not leave it behind.
func ListenAndServe(handler http.Handler, file string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.WriteFile(file+".tmp", []byte("http://"+l.Addr().String()+"/mcp"), 0o600) != nil || os.Rename(file+".tmp", file) != nil {
		os.Exit(1)
	}
	time.AfterFunc(30*time.Minute, func() { os.Exit(0) })
	_ = http.Serve(l, handler)
}
