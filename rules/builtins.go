package rules

import (
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// builtin is a tool that a client brings along.
type builtin struct {
	client, name, folded string
	words                []string
}

// builtins are the tools of clients, as their documentation names them and as
// they name them to the model. A name that several have is listed once.
var builtins = func() (all []builtin) {
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
			all = append(all, builtin{c.client, name, scanner.FoldName(name), foldWords(scanner.Words(name))})
		}
	}
	return all
}()

// imitates returns the built-in tool with this name or almost this name, or nil.
func imitates(name string) (b *builtin, exact bool) {
	folded := scanner.FoldName(name)
	for i := range builtins {
		switch b := &builtins[i]; {
		case b.folded == folded:
			return b, true
		case scanner.OneEdit(b.folded, folded):
			if is, _ := slip(foldWords(scanner.Words(name)), b.words, imitationShare); is {
				return b, false
			}
		}
	}
	return nil, false
}
