package scanner

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// ToolCategory is what a call does to data. A capability says what one agent can combine; a
// category says what happened in which order.
type ToolCategory uint8

// The categories. A tool whose effect cannot be recognised is unknown.
const (
	UnknownTool ToolCategory = iota
	ReadTool
	WriteTool
	SendTool
	ComputeTool
	toolCategories
)

var toolCategoryNames = [...]string{"unknown", "read", "write", "send", "compute"}

func (c ToolCategory) String() string { return toolCategoryNames[c] }

// ToolCategories returns the categories by name, in their order.
func ToolCategories() []string { return slices.Clone(toolCategoryNames[:]) }

// ParseToolCategory returns the category of a name.
func ParseToolCategory(name string) (c ToolCategory, ok bool) {
	i := slices.Index(toolCategoryNames[:], name)
	return ToolCategory(max(i, 0)), i >= 0
}

// categoryOf returns the category of a role.
func categoryOf(r role) ToolCategory {
	switch {
	case r&(sends|carries) != 0:
		return SendTool
	case r&(runs|works) != 0:
		return ComputeTool
	case r&(reads|seeks|lists|fetches|looks) != 0:
		return ReadTool
	case r&(changes|ends) != 0:
		return WriteTool
	}
	return UnknownTool
}

// categoryOfName returns a tool's category by its name. A word that is only a verb counts
// before one that can be a noun: email_search reads.
func categoryOfName(name string) ToolCategory {
	words := readWords(name)
	either := UnknownTool
	for i, w := range words {
		r := roleOf(w)
		switch c := categoryOf(r); {
		case c == UnknownTool:
		case r&fetches != 0 && i > 0 && words[i-1] == "http": // http_request says what it carries in its arguments
			return SendTool
		case r&^actions == 0 && r&carries == 0:
			return c
		case either == UnknownTool:
			either = c
		}
	}
	return either
}

// openingWords is how many words of a description are searched for a verb.
const openingWords = 6

// categoryOfText returns a tool's category by the first verb of its description.
func categoryOfText(description string) ToolCategory {
	words := Words(firstSentence(description))
	for i, w := range words[:min(len(words), openingWords)] {
		r := roleOf(w) & actions
		if r == 0 && i == 0 {
			r = inflected(w)
		}
		if c := categoryOf(r); c != UnknownTool {
			return c
		}
	}
	return UnknownTool
}

// inflected returns the role of a description's first verb: "Sends a message", "Searches the
// index", "Queries it".
func inflected(word string) role {
	stem, ok := strings.CutSuffix(word, "s")
	if !ok {
		return 0
	}
	if r := roles[stem] & actions; r != 0 {
		return r
	}
	if y, ok := strings.CutSuffix(stem, "ie"); ok {
		return roles[y+"y"] & actions
	}
	return roles[strings.TrimSuffix(stem, "e")] & actions
}

// category returns the category of the tool at node i: by its name, its description, its
// parameters, and its hints, each only if the ones before say nothing. So no hint changes the
// category of a tool called send_email.
func (in *Inspector) category(i int, d *Definition) ToolCategory {
	c := categoryOfName(d.Name)
	properties := in.tree.Get(in.tree.Get(i, "inputSchema"), "properties")
	if c == UnknownTool {
		c = categoryOfText(d.Description)
	}
	switch uses := in.usesOf(properties); {
	case c == UnknownTool:
		c = asksFor(uses)
	case c == ReadTool && uses&forAddress != 0 && uses&forPayload != 0: // it goes to an address, and takes something there
		c = SendTool
	}
	if c != UnknownTool {
		return c
	}
	annotations := in.tree.Get(i, "annotations")
	switch {
	case hint(in.tree, annotations, "readOnlyHint") == "true":
		return ReadTool
	case hint(in.tree, annotations, "readOnlyHint") == "false", hint(in.tree, annotations, "destructiveHint") == "true":
		return WriteTool
	}
	return UnknownTool
}

// What parameters are for.
const (
	forAddressee = 1 << iota
	forAddress
	forPayload
	forText
	forProgram
	forPlace
	forQuestion
)

// parameterUses are the names of parameters that show what a tool does.
var parameterUses = func() map[string]int {
	t := map[string]int{}
	for _, class := range [...]struct {
		use   int
		names string
	}{
		{forAddressee, `to recipient recipients cc bcc phone_number`},
		{forAddress, `url uri href endpoint webhook_url`},
		{forPayload, `body data payload`},
		{forText, `content contents message text subject`},
		{forProgram, `command cmd script code expression program`},
		{forPlace, `path file file_path filepath filename`},
		{forQuestion, `query q question search sql`},
	} {
		for _, n := range strings.Fields(class.names) {
			t[n] = class.use
		}
	}
	return t
}()

// usesOf returns the uses of a schema's parameters.
func (in *Inspector) usesOf(properties int) (uses int) {
	if in.tree.Kind(properties) != wire.Object {
		return 0
	}
	var buf []byte
	for c := in.tree.First(properties); c >= 0; c = in.tree.Next(c) {
		uses |= parameterUses[string(in.tree.Key(c, &buf))]
	}
	return uses
}

// asksFor returns a tool's category by the uses of its parameters.
func asksFor(uses int) ToolCategory {
	given := uses&(forPayload|forText) != 0
	switch {
	case uses&(forAddressee|forAddress) != 0 && given:
		return SendTool
	case uses&forProgram != 0:
		return ComputeTool
	case uses&forPlace != 0 && given:
		return WriteTool
	case uses&(forAddress|forQuestion) != 0:
		return ReadTool
	}
	return UnknownTool
}
