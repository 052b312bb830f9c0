#compdef everloop
# zsh completion for everloop: source <(everloop completion zsh), after compinit;
# or save it as _everloop in a folder of fpath.
_everloop() {
  local -a candidates
  local line value about
  while IFS= read -r line; do
    case "$line" in
      :files) _files; return ;;
      :folders) _files -/; return ;;
      *)
        value="${line%%$'\t'*}"
        about="${line#*$'\t'}"
        candidates+=("${value//:/\\:}${about:+:$about}")
        ;;
    esac
  done < <("${(Q)words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe everloop candidates
}
if [ "${funcstack[1]}" = _everloop ]; then
  _everloop "$@"
else
  compdef _everloop everloop
fi
