package mcp

import "github.com/mcpscan/mcpscan/internal/baseline"

// Departed contains servers that are gone, by the program that they ran. S is the type of a server, and D
// that of its definitions.
type Departed[S, D any] map[string][]departed[S, D]

type departed[S, D any] struct {
	server      S
	definitions map[DefinitionKey]D
}

// maxDeparted is the maximum number of servers of one program that a new server is compared with.
const maxDeparted = 16

// Add adds a server.
func (d Departed[S, D]) Add(id *baseline.Identity, server S, definitions map[DefinitionKey]D) {
	if program := id.Program(); program != "" && len(d[program]) < maxDeparted {
		d[program] = append(d[program], departed[S, D]{server, definitions})
	}
}

// Renamed returns the server that was probably renamed to a new one, and reports whether there is
// one. Both run the same program, perhaps with different arguments, and at least half of the names
// in the shorter list of definitions are also in the other list. The names are compared because
// different arguments can turn a program into a different server.
func Renamed[S, D, N any](d Departed[S, D], id *baseline.Identity, definitions map[DefinitionKey]N) (server S, ok bool) {
	most := 0
	for _, was := range d[id.Program()] {
		common := 0
		for key := range definitions {
			if _, known := was.definitions[key]; known {
				common++
			}
		}
		if common > most && 2*common >= min(len(was.definitions), len(definitions)) {
			server, ok, most = was.server, true, common
		}
	}
	return server, ok
}
