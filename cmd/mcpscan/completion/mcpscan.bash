# Completion of mcpscan for bash. In ~/.bashrc: eval "$(mcpscan completion bash)"
_mcpscan() {
	local line=${COMP_LINE:0:COMP_POINT} words word tab=$'\t'
	# bash splits words at "=" and ":"; the program needs them unsplit.
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	local last=${words[${#words[@]} - 1]} current=${COMP_WORDS[COMP_CWORD]} IFS=$'\n'
	[[ $current == "=" || $current == ":" ]] && current=""
	local split=${last%"$current"}
	COMPREPLY=()
	for word in $("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null); do
		word=${word%%"$tab"*}
		COMPREPLY+=("${word#"$split"}")
	done
}
complete -o default -o bashdefault -F _mcpscan mcpscan
