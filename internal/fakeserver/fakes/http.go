package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/mcpscan/mcpscan/internal/fakeserver"
)

// fakeHTTP is the command "fakehttp MODE PORTFILE": an HTTP server that is benign or poisoned,
// reflects its input, requires a cookie, or answers everything with a web page. It writes its
// address to PORTFILE when it is listening.
func fakeHTTP() {
	mode, file := os.Args[1], os.Args[2]
	handler := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if mode == "html" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html><body><h1>It works</h1></body></html>")
			return
		}
		if mode == "cookie" && req.Header.Get("Cookie")+req.Header.Get("X-One") != "a=1; b=21" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var r fakeserver.Request
		if req.Method != http.MethodPost || json.NewDecoder(req.Body).Decode(&r) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if r.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if mode == "reflects" && r.Method == "tools/list" {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, reflected(req.Header.Get("Authorization"), req.Header.Get("X-Api-Key")))
			return
		}
		fmt.Fprint(w, answer(mode, r))
	})
	fakeserver.ListenAndServe(handler, file)
}
