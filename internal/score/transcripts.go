package score

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Transcript holds the labels of one AgentDojo run, a conversation between an agent and its tools,
// stored as a line of transcripts.jsonl. The line has these members, some of which only package
// replay reads:
//
//	id                unique ID of the run
//	label             attack or benign
//	source            OWNER/NAME of the public repository with the tasks
//	suite             the set of tools
//	model, user_task  the model, and its task
//	attack_succeeded  for attacks: whether the model did what the attacker asked
//	messages          in the format of chat APIs: {role, content, tool_calls, tool_call_id}
type Transcript struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	Source    string `json:"source"`
	Suite     string `json:"suite"`
	Model     string `json:"model"`
	Task      string `json:"user_task"`
	Succeeded bool   `json:"attack_succeeded"`
}

// Transcripts reads a file of transcripts. If the file does not exist, there are none.
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
			return nil, fmt.Errorf("%s, row %d: expected id, and attack or benign as the label", path, n)
		}
		all = append(all, t)
	}
}
