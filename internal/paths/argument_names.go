package paths

import "github.com/mcpscan/mcpscan/internal/names"

// pathWords indicate, in an argument name, that the argument is a path; TextArguments indicate that
// it is text, even if this text contains a path.
var (
	pathWords = names.Set(`path paths file files filename filenames filepath filepaths dir dirs directory directories folder folders
		cwd root workdir basedir uri source src destination dest target location output input`)
	TextArguments = names.Set(`content contents text body message messages code script command cmd query sql pattern patterns glob regex
		diff patch old new str string insert prompt description comment title value html markdown expression url`)
)

// NamesPath reports whether an argument of this name is a path.
func NamesPath(name string) bool {
	return names.HasWord(name, pathWords) && !names.HasWord(name, TextArguments)
}
