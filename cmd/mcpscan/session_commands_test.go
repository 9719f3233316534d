package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolCall is a call that a session client should make.
type toolCall struct {
	Server    string            `json:"server"`
	Tool      string            `json:"tool"`
	Arguments map[string]string `json:"arguments"`
}

// clientConfig is a client configuration.
type clientConfig struct {
	Servers map[string]clientEntry `json:"mcpServers"`
}

type clientEntry struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// sessionClient is the command "sessionclient CONFIG": a client that uses the official Go SDK
// and does the same as testdata/sessionclient.mjs.
func sessionClient() {
	if err := runSessionClient(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runSessionClient(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var config clientConfig
	if err := json.Unmarshal(text, &config); err != nil {
		return err
	}
	ctx, sessions := context.Background(), map[string]*mcp.ClientSession{}
	for _, name := range slices.Sorted(maps.Keys(config.Servers)) {
		entry := config.Servers[name]
		cmd := exec.Command(entry.Command, entry.Args...)
		cmd.Stderr = os.Stderr
		client := mcp.NewClient(&mcp.Implementation{Name: "session", Version: "1.0.0"}, nil)
		if sessions[name], err = client.Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: 5 * time.Minute}, nil); err == nil {
			_, err = sessions[name].ListTools(ctx, nil)
		}
		if err != nil {
			return err
		}
	}
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var c toolCall
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return err
		}
		_, err := sessions[c.Server].CallTool(ctx, &mcp.CallToolParams{Name: c.Tool, Arguments: c.Arguments})
		var refused *jsonrpc.Error
		var data struct{ Rule string }
		switch {
		case err == nil:
			fmt.Println("ok")
		case errors.As(err, &refused) && json.Unmarshal(refused.Data, &data) == nil:
			fmt.Println(data.Rule)
		default:
			return err
		}
	}
	for _, s := range sessions {
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// sessionLoad is the command "sessionload CONFIG": a client that calls a tool of each server
// repeatedly. It prints the process ID of each proxy, each answer, and each proxy that
// exits.
func sessionLoad() {
	text, err := os.ReadFile(os.Args[1])
	var config clientConfig
	if err = errors.Join(err, json.Unmarshal(text, &config)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var wg sync.WaitGroup
	for name, entry := range config.Servers {
		wg.Go(func() {
			cmd := exec.Command(entry.Command, entry.Args...)
			in, err1 := cmd.StdinPipe()
			out, err2 := cmd.StdoutPipe()
			if errors.Join(err1, err2, cmd.Start()) == nil {
				fmt.Println("proxy", name, cmd.Process.Pid)
				load(name, in, bufio.NewReader(out))
				_ = cmd.Wait()
			}
			fmt.Println("gone", name)
		})
	}
	wg.Wait()
}

// load keeps calling a tool until there is no answer.
func load(name string, in io.Writer, out *bufio.Reader) {
	for id := 1; ; id++ {
		method := `"tools/call","params":{"name":"compute_` + name + `","arguments":{"of":"user-` + strconv.Itoa(id) + `@example.com"}}`
		if id == 1 {
			method = `"tools/list"`
		}
		if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%s}`+"\n", id, method); err != nil {
			return
		}
		line, err := out.ReadString('\n')
		if err != nil {
			return
		}
		if !strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) {
			fmt.Println("wrong", line)
		}
		fmt.Println("answer", name)
	}
}

// relay is the command "relay COMMAND...", which only passes on lines between its standard
// streams and a server.
func relay() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		os.Exit(1)
	}
	pass := func(to io.Writer, from io.Reader) {
		for lines := bufio.NewReaderSize(from, 64<<10); ; {
			line, err := lines.ReadBytes('\n')
			if _, failed := to.Write(line); err != nil || failed != nil {
				return
			}
		}
	}
	go func() {
		pass(in, os.Stdin)
		in.Close()
	}()
	pass(os.Stdout, out)
	_ = cmd.Wait()
}
