/** The completion script for zsh. */

/** Works when it is sourced, after compinit, and as a file `_everloop` in a folder of `fpath`. */
export const zshScript = String.raw`#compdef everloop
# zsh completion for everloop; to be used with: source <(everloop completion zsh)
_everloop() {
  local -a candidates
  local line value about
  while IFS= read -r line; do
    case "$line" in
      :files) _files; return ;;
      :folders) _files -/; return ;;
      *)
        value="${'$'}{line%%$'\t'*}"
        about="${'$'}{line#*$'\t'}"
        candidates+=("${'$'}{value//:/\\:}${'$'}{about:+:$about}")
        ;;
    esac
  done < <("${'$'}{(Q)words[1]}" complete -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  _describe everloop candidates
}
if [ "${'$'}{funcstack[1]}" = _everloop ]; then
  _everloop "$@"
else
  compdef _everloop everloop
fi
`;
