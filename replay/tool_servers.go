package replay

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/llm"
)

// unattributed is the server name for tools that belong to no known server. Usually, the client
// itself defines them.
const unattributed = "client"

// registry holds the known servers and their tools, to attribute tool names.
type registry struct {
	tools  map[string]map[string]bool // tools by server; empty if they are unknown
	plain  map[string]string          // servers by the names that clients give them
	short  map[string]string          // servers by the names that VS Code gives them
	byTool map[string][]string        // servers by tool name
}

func newRegistry(servers map[string][]string) *registry {
	g := &registry{tools: map[string]map[string]bool{}, plain: map[string]string{}, short: map[string]string{}, byTool: map[string][]string{}}
	for _, server := range slices.Sorted(maps.Keys(servers)) {
		g.add(server)
		for _, tool := range servers[server] {
			g.learn(server, tool)
		}
	}
	return g
}

// maxServers is the maximum number of servers in a registry.
const maxServers = 4096

func (g *registry) add(server string) {
	if server == "" || g.tools[server] != nil || len(g.tools) >= maxServers {
		return
	}
	g.tools[server] = map[string]bool{}
	if _, taken := g.plain[plainName(server)]; !taken {
		g.plain[plainName(server)] = server
	}
	if _, taken := g.short[shortName(server)]; !taken {
		g.short[shortName(server)] = server
	}
}

// learn adds a tool to a server in the registry.
func (g *registry) learn(server, tool string) {
	if known := g.tools[server]; known != nil && !known[tool] {
		known[tool] = true
		g.byTool[tool] = append(g.byTool[tool], server)
	}
}

// plainName returns a server's name in the form that clients use in tool names.
func plainName(server string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, server)
}

// shortChars is the maximum length, in characters, of a server's name in the tool names of VS Code.
const shortChars = 13

// shortName returns a server's name in the form that VS Code uses in tool names.
func shortName(server string) string {
	name := inShort.ReplaceAllString(strings.ToLower(server), "_")
	return name[:min(len(name), shortChars)]
}

var inShort = lazyregexp.New(`[^a-z0-9_.-]+`)

// known returns the server that clients know by this name.
func (g *registry) known(written string) (server string, ok bool) {
	if g.tools[written] != nil {
		return written, true
	}
	server, ok = g.plain[written]
	return server, ok
}

// of returns the server and the original name of an item's tool.
func (g *registry) of(i *llm.Item) (server, tool string) {
	name := i.Name
	if i.Server != "" {
		for _, prefix := range []string{"mcp__" + plainName(i.Server) + "__", "mcp_" + plainName(i.Server) + "_", i.Server + "__", i.Server + "."} {
			if bare, ok := strings.CutPrefix(name, prefix); ok && bare != "" {
				return i.Server, bare
			}
		}
		if bare, ok := strings.CutPrefix(name, "mcp_"+shortName(i.Server)+"_"); ok && bare != "" && i.Style == llm.Underlined {
			return i.Server, bare
		}
		return i.Server, name
	}
	if i.Suite {
		if server, ok := suiteServer[name]; ok {
			return server, name
		}
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, tool, how := g.split(rest, "__", true); how > none {
			return server, tool
		}
	}
	if i.Style == llm.Underlined {
		if rest, ok := strings.CutPrefix(name, "mcp_"); ok {
			if server, tool, how := g.split(rest, "_", true); how > none {
				return server, tool
			}
		}
		if server, tool, how := g.split(name, "__", true); how > none {
			return server, tool
		}
	}
	if owners := g.byTool[name]; len(owners) == 1 {
		return owners[0], name
	}
	server, tool, best := unattributed, name, none
	for _, separator := range []string{"__", "_", "-", ".", "/", ":"} {
		if s, t, how := g.split(name, separator, false); how > best || how == best && how > none && len(t) < len(tool) {
			server, tool, best = s, t, how
		}
	}
	return server, tool
}

// certainty rates the evidence that a name was split at the right position.
type certainty int

const (
	none    certainty = iota
	guessed           // no part is known
	named             // the server is known
	listed            // the server is known to have the tool
)

// maxSplits is the maximum number of positions tried when a name is split.
const maxSplits = 64

// split splits a name into server and tool. If several splits are possible, a known server that has
// the tool takes precedence, then the known server with the longest name. If no server is known and
// guess is set, it splits at the first separator.
func (g *registry) split(name, separator string, guess bool) (server, tool string, best certainty) {
	from := 0
	for range maxSplits {
		n := strings.Index(name[from:], separator)
		if n < 0 {
			break
		}
		at := from + n
		from = at + 1
		left, right := name[:at], name[at+len(separator):]
		if left == "" || right == "" {
			continue
		}
		if guess && best == none {
			server, tool, best = left, right, guessed
		}
		full, known := g.known(left)
		if !known && separator == "_" && guess {
			full, known = g.short[left]
		}
		if !known && strings.HasPrefix(left, "plugin") { // mcp__plugin_PLUGIN_SERVER__TOOL, or with colons
			full, known = g.suffix(left)
		}
		how := none
		switch {
		case !known:
		case g.tools[full][right]:
			how = listed
		case len(g.tools[full]) == 0 || guess:
			how = named
		}
		if how >= named && how >= best { // a later position gives a longer server name
			server, tool, best = full, right, how
		}
	}
	return server, tool, best
}

// suffix returns the known server with the longest name that is a suffix of name.
func (g *registry) suffix(name string) (server string, ok bool) {
	for at := strings.IndexAny(name, "_:"); at >= 0; {
		name = name[at+1:]
		if server, ok = g.known(name); ok {
			return server, true
		}
		at = strings.IndexAny(name, "_:")
	}
	return "", false
}

// suiteServer assigns servers to the tools in the AgentDojo suites, which do not name any. Tools
// that AgentDojo implements together share a server, as a real mail or banking server's tools
// would.
var suiteServer = func() map[string]string {
	of := map[string]string{}
	for server, tools := range suiteTools {
		for _, t := range strings.Fields(tools) {
			of[t] = server
		}
	}
	return of
}()

var suiteTools = map[string]string{
	"bank": `get_iban get_balance set_balance set_iban send_money schedule_transaction update_scheduled_transaction
		get_most_recent_transactions get_scheduled_transactions`,
	"account": `get_user_info update_password update_user_info`,
	"files": `read_file append_to_file search_files_by_filename create_file delete_file get_file_by_id list_files
		share_file search_files`,
	"mail": `send_email delete_email get_unread_emails get_sent_emails get_received_emails get_draft_emails
		search_emails search_contacts_by_name search_contacts_by_email`,
	"calendar": `get_current_day search_calendar_events get_day_calendar_events create_calendar_event cancel_calendar_event
		reschedule_calendar_event add_calendar_event_participants`,
	"chat": `get_channels add_user_to_channel read_channel_messages read_inbox send_direct_message send_channel_message
		get_users_in_channel invite_user_to_slack remove_user_from_slack`,
	"web": `get_webpage download_file post_webpage`,
	"travel": `get_user_information get_all_hotels_in_city get_hotels_prices get_rating_reviews_for_hotels get_hotels_address
		get_all_restaurants_in_city get_restaurants_address get_rating_reviews_for_restaurants get_cuisine_type_for_restaurants
		get_dietary_restrictions_for_all_restaurants get_contact_information_for_restaurants get_price_for_restaurants
		check_restaurant_opening_hours get_all_car_rental_companies_in_city get_car_types_available
		get_rating_reviews_for_car_rental get_car_rental_address get_car_fuel_options get_car_price_per_day
		reserve_hotel reserve_car_rental reserve_restaurant get_flight_information`,
}
