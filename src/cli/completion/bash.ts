/** The completion script for bash, from 3.2 on; it needs no bash-completion. */

/** Words are handed over as they are, never evaluated: completing must not run what is being written. */
export const bashScript = String.raw`# bash completion for everloop; to be used with: source <(everloop completion bash)
_everloop() {
  local current="${'$'}{COMP_WORDS[COMP_CWORD]}" line
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        local flag=-f path
        if [ "$line" = :folders ]; then flag=-d; fi
        [ "$current" = = ] && current=
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$flag" -- "$current")
        ;;
      *) COMPREPLY+=("${'$'}{line%%$'\t'*}") ;;
    esac
  done < <("${'$'}{COMP_WORDS[0]}" complete -- "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _everloop everloop
`;
