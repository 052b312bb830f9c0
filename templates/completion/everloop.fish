# fish completion for everloop: everloop completion fish > ~/.config/fish/completions/everloop.fish
function __everloop_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program complete -- $words "$current" 2>/dev/null)
        switch "$line"
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case '*'
                echo "$line"
        end
    end
end
complete -c everloop -f -a '(__everloop_complete)'
