package score

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// Transcript is what an agent and its tools said to each other in one run of AgentDojo,
// a line of transcripts.jsonl:
//
//	id                names the run, and no other
//	label             attack or benign
//	source            OWNER/NAME of the public repository that the tasks are from
//	suite             the set of tools
//	model, user_task  what ran, and what it was asked for
//	attack_succeeded  in attacks: whether the model did what the attacker asked
//	messages          as chat APIs have them: {role, content, tool_calls, tool_call_id}
type Transcript struct {
	ID        string        `json:"id"`
	Label     string        `json:"label"`
	Source    string        `json:"source"`
	Suite     string        `json:"suite"`
	Model     string        `json:"model"`
	Task      string        `json:"user_task"`
	Succeeded bool          `json:"attack_succeeded"`
	Messages  []chatMessage `json:"messages"`
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Calls   []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	Answers string `json:"tool_call_id"`
}

// suiteServers are the servers that the tools of the suites are put on, which ran them
// all in one place: those that AgentDojo implements together are on one server, as an
// MCP server for mail or for a bank would have them.
var suiteServers = map[string][]string{
	"bank": {"get_iban", "get_balance", "set_balance", "set_iban", "send_money", "schedule_transaction", "update_scheduled_transaction",
		"get_most_recent_transactions", "get_scheduled_transactions"},
	"account": {"get_user_info", "update_password", "update_user_info"},
	"files": {"read_file", "append_to_file", "search_files_by_filename", "create_file", "delete_file", "get_file_by_id", "list_files",
		"share_file", "search_files"},
	"mail": {"send_email", "delete_email", "get_unread_emails", "get_sent_emails", "get_received_emails", "get_draft_emails",
		"search_emails", "search_contacts_by_name", "search_contacts_by_email"},
	"calendar": {"get_current_day", "search_calendar_events", "get_day_calendar_events", "create_calendar_event", "cancel_calendar_event",
		"reschedule_calendar_event", "add_calendar_event_participants"},
	"chat": {"get_channels", "add_user_to_channel", "read_channel_messages", "read_inbox", "send_direct_message", "send_channel_message",
		"get_users_in_channel", "invite_user_to_slack", "remove_user_from_slack"},
	"web": {"get_webpage", "download_file", "post_webpage"},
	"travel": {"get_user_information", "get_all_hotels_in_city", "get_hotels_prices", "get_rating_reviews_for_hotels", "get_hotels_address",
		"get_all_restaurants_in_city", "get_restaurants_address", "get_rating_reviews_for_restaurants", "get_cuisine_type_for_restaurants",
		"get_dietary_restrictions_for_all_restaurants", "get_contact_information_for_restaurants", "get_price_for_restaurants",
		"check_restaurant_opening_hours", "get_all_car_rental_companies_in_city", "get_car_types_available",
		"get_rating_reviews_for_car_rental", "get_car_rental_address", "get_car_fuel_options", "get_car_price_per_day",
		"reserve_hotel", "reserve_car_rental", "reserve_restaurant", "get_flight_information"},
}

// serverOf returns the server of each tool.
func serverOf() map[string]string {
	of := map[string]string{}
	for server, tools := range suiteServers {
		for _, t := range tools {
			of[t] = server
		}
	}
	return of
}

// Transcripts reads a file of them; a file that does not exist has none.
func Transcripts(path string) ([]*Transcript, error) {
	f, err := openCorpus(path)
	if f == nil {
		return nil, err
	}
	defer f.Close()
	var all []*Transcript
	d := json.NewDecoder(bufio.NewReader(f))
	for n := 1; ; n++ {
		t := &Transcript{}
		if err := d.Decode(t); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s, row %d: %w", path, n, err)
		}
		if t.ID == "" || t.Label != "attack" && t.Label != "benign" {
			return nil, fmt.Errorf("%s, row %d: expected id, and label attack or benign", path, n)
		}
		all = append(all, t)
	}
}

// Events returns the calls of a transcript and their results as the frames of a
// session. Nobody noted when they were sent, so each is a second behind the one before;
// calls of one message of the model have one request_id. There are no definitions, and
// what the user and the model said to each other is in no frame.
func (t *Transcript) Events() ([]*scanner.Event, error) {
	type call struct {
		id     int
		server string
	}
	open, servers := map[string][]call{}, serverOf() // by id; some models give all calls the same one, and are answered in order
	var events []*scanner.Event
	frame := func(server string, d scanner.Direction, message int, format string, args ...any) {
		r := row{ID: t.ID}
		e := r.frame(server, d, len(events), format, args...)
		e.Request = fmt.Sprint("message-", message)
		events = append(events, e)
	}
	for n, m := range t.Messages {
		for _, c := range m.Calls {
			server := servers[c.Function.Name]
			if server == "" {
				return nil, fmt.Errorf("transcript %s: expected a tool of the AgentDojo suites, got %q: put it on a server in suiteServers", t.ID, c.Function.Name)
			}
			open[c.ID] = append(open[c.ID], call{len(events) + 1, server})
			name, _ := json.Marshal(c.Function.Name)
			frame(server, scanner.ClientToServer, n, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s,"arguments":%s}}`,
				len(events)+1, name, or(c.Function.Arguments, "{}"))
		}
		if m.Role != "tool" {
			continue
		}
		if len(open[m.Answers]) == 0 {
			return nil, fmt.Errorf("transcript %s: message %d answers the call %q, which nobody made before it", t.ID, n, m.Answers)
		}
		c := open[m.Answers][0]
		open[m.Answers] = open[m.Answers][1:]
		frame(c.server, scanner.ServerToClient, n, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, c.id, or(m.Content, `""`))
	}
	return events, nil
}

// or returns a JSON value, or another one where there is none.
func or(v json.RawMessage, otherwise string) []byte {
	if len(v) == 0 || string(v) == "null" {
		return []byte(otherwise)
	}
	return v
}

// Record writes transcripts as a recording, a session for each.
func Record(w io.Writer, all []*Transcript) error {
	r := replay.NewRecorder(w, "transcripts")
	for _, t := range all {
		events, err := t.Events()
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := r.Record(e); err != nil {
				return err
			}
		}
	}
	return nil
}
