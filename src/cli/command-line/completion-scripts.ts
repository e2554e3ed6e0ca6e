/** The shells for which there is a completion, with what makes them ask roster. */
export const completionScripts = {
  bash: `# Completion of roster for bash: eval "$(roster completion bash)"
_roster_completion() {
  local kind= line=
  COMPREPLY=()
  {
    IFS= read -r kind
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <("$1" completion candidates bash -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $kind in
    files) compopt -o default -o filenames 2>/dev/null ;;
    open) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -F _roster_completion roster
`,
  zsh: `#compdef roster
# Completion of roster for zsh: source <(roster completion zsh), or as a file _roster in fpath
_roster() {
  local kind value told
  local -a values shown
  {
    IFS= read -r kind
    while IFS=$'\\t' read -r value told; do
      values+=("$value")
      shown+=("$value\${told:+  -- $told}")
    done
  } < <("\${(Q)words[1]}" completion candidates zsh -- "\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  case $kind in
    files)
      [[ -n $values[1] ]] && compset -P "$values[1]"
      _files
      ;;
    open) compadd -l -S '' -d shown -a -- values ;;
    *) compadd -l -d shown -a -- values ;;
  esac
}
if [[ $funcstack[1] == _roster ]]; then _roster "$@"; else compdef _roster roster; fi
`,
  fish: `# Completion of roster for fish: roster completion fish | source
function __roster_candidates
    set -l last (commandline -ct)
    set -l said (string unescape -- "$last"; or string unescape -- "$last'"; or string unescape -- "$last\\"")
    set -l words (commandline -opc) "$said"
    set -l answer (command $words[1] completion candidates fish -- $words 2>/dev/null)
    if test "$answer[1]" = files
        set -l head "$answer[2]"
        test -n "$head"; and set last (string replace -- "$head" '' "$last")
        for path in (__fish_complete_path "$last")
            printf '%s%s\\n' "$head" "$path"
        end
    else
        printf '%s\\n' $answer[2..-1]
    end
end
complete -c roster -f -a '(__roster_candidates)'
`,
} as const;

export type Shell = keyof typeof completionScripts;
