package names

import (
	"strings"
	"sync"
)

// builtin is a tool that a client provides itself.
type builtin struct {
	Client, Name, folded string
	words                []string
}

// builtins contains the tools of clients under their documented names and the names shown to the
// model. A name that several clients use is listed once.
var builtins = sync.OnceValue(func() (all []builtin) {
	for _, c := range [...]struct{ client, names string }{
		{"Claude Code", `Bash BashOutput KillShell Read Write Edit MultiEdit NotebookEdit Glob Grep Task TodoWrite WebFetch WebSearch
			ExitPlanMode AskUserQuestion Skill`},
		{"VS Code", `run_in_terminal read_file create_file replace_string_in_file insert_edit_into_file fetch_webpage semantic_search
			grep_search file_search list_dir get_errors apply_patch get_terminal_output`},
		{"Cursor", `codebase_search run_terminal_cmd edit_file search_replace delete_file web_search`},
		{"Codex", `shell exec_command write_stdin update_plan view_image`},
		{"Gemini CLI", `run_shell_command write_file search_file_content list_directory read_many_files web_fetch google_web_search save_memory`},
		{"Cline", `execute_command write_to_file replace_in_file search_files list_files browser_action use_mcp_tool access_mcp_resource
			ask_followup_question attempt_completion`},
	} {
		for _, name := range strings.Fields(c.names) {
			all = append(all, builtin{c.client, name, FoldName(name), FoldWords(Words(name))})
		}
	}
	return all
})

// Imitates returns the built-in tool whose name is equal or nearly equal to name, or nil.
func Imitates(name string) (b *builtin, exact bool) {
	folded := FoldName(name)
	all := builtins()
	for i := range all {
		switch b := &all[i]; {
		case b.folded == folded:
			return b, true
		case OneEdit(b.folded, folded):
			if is, _ := Slip(FoldWords(Words(name)), b.words, ImitationShare); is {
				return b, false
			}
		}
	}
	return nil, false
}
