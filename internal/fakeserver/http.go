package fakeserver

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// ListenAndServe serves on a free port and writes the address to a file. It exits after two
// minutes, so that a failing script does not leave it behind.
func ListenAndServe(handler http.Handler, file string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.WriteFile(file+".tmp", []byte("http://"+l.Addr().String()+"/mcp"), 0o600) != nil || os.Rename(file+".tmp", file) != nil {
		os.Exit(1)
	}
	time.AfterFunc(2*time.Minute, func() { os.Exit(0) })
	_ = http.Serve(l, handler)
}
