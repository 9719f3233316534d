package paths

// AgentFiles matches the startup files of shells, and the files in which agents and clients
// configure servers, permissions, hooks and rules. inj-memory-write covers memory files.
const AgentFiles = `(\.?mcp\.json|claude_desktop_config\.json|\.(cursor|vscode|claude|gemini|windsurf|codex)[/\\][\w./\\-]+|\.cursorrules|\.windsurfrules|claude\.md|` +
	`agents\.md|gemini\.md|copilot-instructions\.md|auto_?-?approve\b|approval_mode\b|\.(bashrc|zshrc|bash_profile)\b|\.clinerules|\.goosehints)`
