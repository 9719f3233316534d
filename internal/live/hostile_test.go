package live

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"
)

// hostileModes returns servers that each do one thing wrong.
func hostileModes() map[string]func(*session, message) bool {
	page := 0
	return map[string]func(*session, message) bool{
		"plain": nil,
		"ignores discover": func(_ *session, m message) bool {
			return m.method == methodDiscover
		},
		"dies of discover": func(_ *session, m message) bool {
			if m.method == methodDiscover {
				fmt.Fprintln(os.Stderr, "unexpected message")
				os.Exit(1)
			}
			return false
		},
		"answers discover with nothing": emptyDiscover,
		"answers without an id":         withoutID,
		"pages for ever": func(_ *session, m message) bool {
			if m.method == "tools/list" {
				page++
				answer(m.id, fmt.Sprintf(`{"tools":[],"nextCursor":"c%d"}`, page))
			}
			return m.method == "tools/list"
		},
		"repeats a cursor": func(_ *session, m message) bool {
			if m.method == "tools/list" {
				page++
				answer(m.id, fmt.Sprintf(`{"tools":[],"nextCursor":"c%d\u0041"}`, page%3))
			}
			return m.method == "tools/list"
		},
		"odd cursor": func(_ *session, m message) bool {
			if m.method == "tools/list" {
				answer(m.id, `{"tools":[],"nextCursor":{"x":1}}`)
			}
			return m.method == "tools/list"
		},
		"hides page two":      hidesPageTwo,
		"asks back":           asksBack,
		"long line":           longLine,
		"long list":           longList,
		"batch":               batch,
		"declares all":        declaresAll,
		"list changes":        listChanges(&page, 1<<30),
		"list changes once":   listChanges(&page, 1),
		"modern list changes": modernListChanges(&page),
		"late change":         lateChange(&page),
		"dies of undeclared lists": func(_ *session, m message) bool {
			if strings.HasSuffix(m.method, "/list") && m.method != "tools/list" {
				os.Exit(5)
			}
			return false
		},
		"errs on prompts": func(_ *session, m message) bool {
			if m.method == "prompts/list" {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"not for you"}}`, m.id)
			}
			return m.method == "prompts/list"
		},
		"silent on templates": func(_ *session, m message) bool { return m.method == "resources/templates/list" },
		"answers only what it declared": func(_ *session, m message) bool {
			return strings.HasSuffix(m.method, "/list") && m.method != "tools/list"
		},
		"declares nothing": func(_ *session, m message) bool {
			if m.method == methodStart {
				answer(m.id, `{"protocolVersion":"2025-06-18","capabilities":{}}`)
			}
			return m.method == methodStart || m.method == "prompts/list"
		},
		"loses a list": func(_ *session, m message) bool {
			if m.method != "tools/list" {
				return false
			}
			if page++; page == 1 {
				answer(m.id, oneTool)
				say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			} else {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.id)
			}
			return true
		},
		"loses a page": func(_ *session, m message) bool {
			if m.method != "tools/list" {
				return false
			}
			if page++; page == 1 {
				answer(m.id, `{"tools":[],"nextCursor":"2"}`)
			} else {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.id)
			}
			return true
		},
		"no tools":           toolsResult(`{"Tools":[{"name":"a"}]}`),
		"tools in an object": toolsResult(`{"tools":{"a":{"name":"a"}}}`),
		"tools twice":        toolsResult(`{"tools":[{"name":"a"}],"tools":null}`),
		"nothing in page two": func(_ *session, m message) bool {
			if m.method != "tools/list" {
				return false
			}
			if page++; page == 1 {
				answer(m.id, `{"tools":[],"nextCursor":"2"}`)
			} else {
				answer(m.id, `{}`)
			}
			return true
		},
		"breaks off":           breaksOff,
		"dies while listing":   diesWhileListing,
		"errors":               errorsOnTools,
		"old discover":         oldDiscover,
		"modern input":         modernInput,
		"unknown version":      unknownVersion,
		"floods with requests": floods,
	}
}

func hidesPageTwo(_ *session, m message) bool {
	if m.method != "tools/list" {
		return false
	}
	// parse drops params, but our ids distinguish the pages
	if m.id == "3" {
		answer(m.id, `{"tools":[{"name":"harmless"}],"nextCursor":""}`)
	} else {
		answer(m.id, `{"tools":[{"name":"hidden"}]}`)
	}
	return true
}

func asksBack(s *session, m message) bool {
	if m.method != "tools/list" {
		return false
	}
	for i, method := range []string{"roots/list", "ping", "sampling/createMessage", "elicitation/create", "x/y"} {
		id := fmt.Sprintf(`"q-%d"`, i)
		say(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{}}`, id, method)
		for {
			back, ok := s.read()
			if !ok {
				return true
			}
			if back.id == id {
				break
			}
		}
	}
	return false
}

func longLine(_ *session, m message) bool {
	if m.method == "tools/list" {
		out := bufio.NewWriterSize(os.Stdout, 1<<20)
		fmt.Fprint(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"`)
		for range 100 {
			fmt.Fprint(out, strings.Repeat("x", 1<<20))
		}
		fmt.Fprintln(out, `"}}`)
		out.Flush()
	}
	return false
}

func longList(_ *session, m message) bool {
	if m.method == "tools/list" {
		answer(m.id, `{"tools":[{"name":"a","description":"`+strings.Repeat("x", 2<<20)+`"}]}`)
	}
	return m.method == "tools/list"
}

// batch answers every request with an array that also contains a notification.
func batch(_ *session, m message) bool {
	result := map[string]string{methodStart: helloLegacy, "tools/list": oneTool}[m.method]
	if result != "" {
		say(`[{"jsonrpc":"2.0","method":"notifications/message","params":{}},{"jsonrpc":"2.0","id":%s,"result":%s}]`, m.id, result)
	}
	return result != ""
}

// declaresAll declares four lists but supports only one.
func declaresAll(_ *session, m message) bool {
	if m.method == methodStart {
		answer(m.id, `{"protocolVersion":"2024-11-05","capabilities":{"tools":{},"prompts":{},"resources":{}}}`)
	}
	return m.method == methodStart
}

// listChanges announces a change right after the list, the given number of times.
func listChanges(page *int, times int) func(*session, message) bool {
	return func(_ *session, m message) bool {
		switch m.method {
		case methodStart:
			answer(m.id, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}`)
		case "tools/list":
			*page++
			answer(m.id, fmt.Sprintf(`{"tools":[{"name":"v%d"}]}`, *page))
			if *page <= times {
				say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		default:
			return false
		}
		return true
	}
}

func modernListChanges(page *int) func(*session, message) bool {
	legacy := listChanges(page, 1)
	return func(s *session, m message) bool {
		if m.method == methodDiscover {
			answer(m.id, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
			return true
		}
		return legacy(s, m)
	}
}

// lateChange announces a change after the last list, without having declared that it
// would.
func lateChange(page *int) func(*session, message) bool {
	return func(_ *session, m message) bool {
		switch m.method {
		case "tools/list":
			*page++
			answer(m.id, fmt.Sprintf(`{"tools":[{"name":"v%d"}]}`, *page))
		case "resources/templates/list":
			// In one write, because the client only waits for a moment after the last list.
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, m.id)
		default:
			return false
		}
		return true
	}
}

func toolsResult(result string) func(*session, message) bool {
	return func(_ *session, m message) bool {
		if m.method == "tools/list" {
			answer(m.id, result)
		}
		return m.method == "tools/list"
	}
}

func breaksOff(_ *session, m message) bool {
	if m.method == "tools/list" {
		say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a",}]}}`, m.id)
	}
	return m.method == "tools/list"
}

func diesWhileListing(_ *session, m message) bool {
	if m.method == "tools/list" {
		fmt.Fprintln(os.Stderr, "panic: nil map")
		os.Exit(2)
	}
	return false
}

func errorsOnTools(_ *session, m message) bool {
	if m.method == "tools/list" {
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no\u202ekey"}}`, m.id)
	}
	return m.method == "tools/list"
}

// oldDiscover supports server/discover, but no newer protocol version.
func oldDiscover(_ *session, m message) bool {
	switch m.method {
	case methodDiscover:
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"v","data":{"supported":["2024-11-05","2025-03-26"]}}}`, m.id)
	default:
		return false
	}
	return true
}

func modernInput(_ *session, m message) bool {
	switch m.method {
	case methodDiscover:
		answer(m.id, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	case "tools/list":
		answer(m.id, `{"resultType":"input_required","inputRequests":{}}`)
	default:
		return false
	}
	return true
}

func unknownVersion(_ *session, m message) bool {
	if m.method == methodStart {
		answer(m.id, `{"protocolVersion":"2030-01-01","capabilities":{"tools":{}}}`)
	}
	return m.method == methodStart
}

// floods answers tools/list with 5000 requests of its own, whose answers it never reads, and lists
// no tools.
func floods(_ *session, m message) bool {
	if m.method != "tools/list" {
		return false
	}
	for i := range 5000 {
		say(`{"jsonrpc":"2.0","id":"f%d","method":"roots/list"}`, i)
	}
	time.Sleep(time.Hour)
	return true
}

func emptyDiscover(_ *session, m message) bool {
	if m.method == methodDiscover {
		answer(m.id, "{}")
	}
	return m.method == methodDiscover
}

func withoutID(_ *session, m message) bool {
	if m.method == methodDiscover {
		say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`)
	}
	return m.method == methodDiscover
}
