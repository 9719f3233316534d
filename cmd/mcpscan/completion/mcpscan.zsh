#compdef mcpscan
# Completion of mcpscan for zsh. In ~/.zshrc, after compinit: eval "$(mcpscan completion zsh)"
_mcpscan() {
	local line
	local -a found
	for line in ${(f)"$(${words[1]} __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
		found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	if (( ${#found} )); then
		_describe mcpscan found
	else
		_files
	fi
}
if [[ $funcstack[1] == _mcpscan ]]; then
	_mcpscan "$@"
else
	compdef _mcpscan mcpscan
fi
