package config

// Value is a value of a file that another package reads, with its place.
type Value struct{ n *node }

// Member is a key with its value. Keys that were written twice are there twice.
type Member struct {
	Key   string
	Pos   Position
	Value Value
}

// ReadTOML reads a file in TOML. The error has no path yet.
func ReadTOML(data []byte) (Value, *SyntaxError) {
	plain, failed := plainText(data)
	if failed != nil {
		return Value{}, failed
	}
	roots, failed := parseTOML(plain)
	if failed != nil {
		return Value{}, failed
	}
	return Value{roots[0]}, nil
}

// Pos is where the value begins; of a table, where its key stands.
func (v Value) Pos() Position { return v.n.pos }

// What names the kind of the value as a message does.
func (v Value) What() string {
	if v.n.kind == kindObject {
		return "a table"
	}
	return v.n.kind.String()
}

// Members returns the members of a table, in the order of the file.
func (v Value) Members() (members []Member, ok bool) {
	for _, m := range v.n.members {
		members = append(members, Member{m.key, m.pos, Value{m.value}})
	}
	return members, v.n.kind == kindObject
}

// Items returns the items of a list.
func (v Value) Items() (items []Value, ok bool) {
	for _, n := range v.n.items {
		items = append(items, Value{n})
	}
	return items, v.n.kind == kindArray
}

// Text returns a string.
func (v Value) Text() (text string, ok bool) {
	if v.n.kind != kindString {
		return "", false
	}
	return v.n.text, true
}

// Literal returns a number, a date or a truth value as it is written.
func (v Value) Literal() (literal string, ok bool) {
	if v.n.kind != kindNumber && v.n.kind != kindBool {
		return "", false
	}
	return v.n.text, true
}

// Hint ends a message about a word that is not known: the one that is meant, or all
// that are.
func Hint(word string, known []string) string { return hint(word, known) }

// Quoted is a name of the file as it is in a message.
func Quoted(name string) string { return quoted(name) }
