package text

import "bytes"

// TableCells yields the lines of each multi-line value in a table printed by psql, without the other
// columns. psql ends each line of a value but the last with a plus sign at the border of its column. The
// lines are valid until yield returns.
func TableCells(s []byte, yield func(lines []Line)) {
	if !bytes.Contains(s, []byte("---")) { // the line below the names of the columns, or before a record
		return
	}
	m, column := MarkedLines{s: s}, 0
	for l := range linesOf(s) {
		line := bytes.TrimRight(s[l.Start:l.End], " \t\r")
		if len(m.lines) == 0 {
			column = brokenCell(line)
		}
		if column < 0 {
			continue
		}
		cell, broken := cellAt(line, column)
		if m.lines = append(m.lines, Line{l.Start + cell.Start, l.Start + cell.End}); !broken {
			m.flush(yield)
		}
	}
	m.flush(yield)
}

// brokenCell returns the offset of a line's first cell whose value continues on the next line, or -1.
func brokenCell(line []byte) int {
	start := 0
	for start < len(line) {
		_, broken := cellAt(line, start)
		if broken {
			return start
		}
		border := bytes.IndexByte(line[start:], '|')
		if border < 0 {
			break
		}
		start += border + 1
	}
	return -1
}

// cellAt returns the text of the cell that begins at an offset of a line, and whether its value
// continues on the next line.
func cellAt(line []byte, start int) (cell Line, broken bool) {
	start = min(start, len(line))
	end := len(line)
	if border := bytes.IndexByte(line[start:], '|'); border >= 0 {
		end = start + border
	}
	text, broken := bytes.CutSuffix(line[start:end], []byte("+"))
	text = bytes.TrimRight(text, " ")
	first := start + skip(text, 0, isBlank)
	return Line{min(first, start+len(text)), start + len(text)}, broken
}
