package capability

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Category is what a call does to data. Capabilities describe what an agent could combine;
// categories describe what it did, call by call.
type Category uint8

// The categories. A tool whose effect cannot be recognized is Unknown.
const (
	Unknown Category = iota
	Read
	Write
	Send
	Compute
	Categories
)

var toolCategoryNames = [...]string{"unknown", "read", "write", "send", "compute"}

func (c Category) String() string { return toolCategoryNames[c] }

// CategoryNames returns the names of the categories, in order.
func CategoryNames() []string { return slices.Clone(toolCategoryNames[:]) }

// ParseCategory returns the category with the given name, or Unknown if there is no such category.
func ParseCategory(name string) Category {
	return Category(max(slices.Index(toolCategoryNames[:], name), 0))
}

// categoryOf returns the category of a role.
func categoryOf(r role) Category {
	switch {
	case r&(sends|carries) != 0:
		return Send
	case r&(runs|works) != 0:
		return Compute
	case r&(reads|seeks|lists|fetches|looks) != 0:
		return Read
	case r&(changes|alters) != 0:
		return Write
	}
	return Unknown
}

// CategoryOfName determines a tool's category from its name. A word that is only a verb takes precedence
// over one that can be a noun: email_search is a Read. A tool whose name is a single word for a shell or
// for its input, such as bash or command, is a Compute.
func CategoryOfName(name string) Category {
	words := names.ReadWords(name)
	if len(words) == 1 && roleOf(words[0])&runnable != 0 {
		return Compute
	}
	either := Unknown
	for i, w := range words {
		r := roleOf(w)
		switch c := categoryOf(r); {
		case c == Unknown:
		case r&fetches != 0 && i > 0 && words[i-1] == "http": // its arguments contain the payload
			return Send
		case r&^actions == 0 && r&carries == 0:
			return c
		case either == Unknown:
			either = c
		}
	}
	return either
}

// openingWords is how many words at the start of a description are searched for a verb.
const openingWords = 6

// categoryOfText determines a tool's category from the first verb in its description.
func categoryOfText(description string) Category {
	words := names.Words(text.FirstSentence(description, openingBytes))
	for i, w := range words[:min(len(words), openingWords)] {
		r := roleOf(w) & actions
		if r == 0 && i == 0 {
			r = inflected(w)
		}
		if c := categoryOf(r); c != Unknown {
			return c
		}
	}
	return Unknown
}

// inflected returns the role of a third-person verb: "Sends a message", "Searches the index",
// "Queries it".
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

// CategoryOfTool determines the category of the tool at node i from its name, description,
// parameters and hints, in that order. Each is used only if the previous ones are inconclusive, so
// no hint changes the category of a tool called send_email. The one exception is a tool that reads:
// it is in the category Send if it has parameters for an address and a payload.
func CategoryOfTool(doc *wire.Doc, i int, name, description string) Category {
	c := CategoryOfName(name)
	properties := doc.Get(doc.Get(i, "inputSchema"), "properties")
	if c == Unknown {
		c = categoryOfText(description)
	}
	switch uses := usesOf(doc, properties); {
	case c == Unknown:
		c = categoryOfUses(uses)
	case c == Read && uses&forAddress != 0 && uses&forPayload != 0: // sends a payload to an address
		c = Send
	}
	if c != Unknown {
		return c
	}
	annotations := doc.Get(i, "annotations")
	switch {
	case hint(doc, annotations, "readOnlyHint") == "true":
		return Read
	case hint(doc, annotations, "readOnlyHint") == "false", hint(doc, annotations, "destructiveHint") == "true":
		return Write
	}
	return Unknown
}

// The purposes of parameters.
const (
	forAddressee = 1 << iota
	forAddress
	forPayload
	forText
	forProgram
	forPlace
	forQuestion
)

// parameterUses contains the purposes of parameters, by name.
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

// usesOf returns the purposes of a schema's parameters.
func usesOf(doc *wire.Doc, properties int) (uses int) {
	if doc.Kind(properties) != wire.Object {
		return 0
	}
	var buf []byte
	for c := doc.First(properties); c >= 0; c = doc.Next(c) {
		uses |= parameterUses[string(doc.Key(c, &buf))]
	}
	return uses
}

// categoryOfUses determines a tool's category from the purposes of its parameters.
func categoryOfUses(uses int) Category {
	given := uses&(forPayload|forText) != 0
	switch {
	case uses&(forAddressee|forAddress) != 0 && given:
		return Send
	case uses&forProgram != 0:
		return Compute
	case uses&forPlace != 0 && given:
		return Write
	case uses&(forAddress|forQuestion) != 0:
		return Read
	}
	return Unknown
}
