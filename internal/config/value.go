package config

// Value is a value in a file read by another package, with its position.
type Value struct{ n *node }

// Member is a key with its value. Duplicate keys are kept.
type Member struct {
	Key   string
	Pos   Position
	Value Value
}

// ReadTOML reads a TOML file. The error does not contain the path yet.
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

// Pos returns the position of the value; for a table, of its key.
func (v Value) Pos() Position { return v.n.pos }

// What returns the name of the value's kind for messages.
func (v Value) What() string {
	if v.n.kind == kindObject {
		return "a table"
	}
	return v.n.kind.String()
}

// Members returns the members of a table, in file order.
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

// Literal returns a number, a date or a boolean as written.
func (v Value) Literal() (literal string, ok bool) {
	if v.n.kind != kindNumber && v.n.kind != kindBool {
		return "", false
	}
	return v.n.text, true
}

// Hint returns the end of a message about an unknown word: the closest known word, or all of them.
func Hint(word string, known []string) string { return hint(word, known) }

// Quoted formats a name from the file for a message.
func Quoted(name string) string { return quoted(name) }
