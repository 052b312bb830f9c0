# bash completion for everloop: source <(everloop completion bash)
# Words are handed over as they are, never evaluated: completing must not run what is being written.
_everloop() {
  local current="${COMP_WORDS[COMP_CWORD]}" line path flag
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files | :folders)
        # Bash makes three words of --file=notes.txt.
        [ "$current" = '=' ] && current=''
        flag=-f
        [ "$line" = :folders ] && flag=-d
        compopt -o filenames 2>/dev/null # bash 3 does not have it
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$flag" -- "$current")
        ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _everloop everloop
