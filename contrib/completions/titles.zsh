# Titles of cities, written by hand (contrib/completions/titles.zsh). -U keeps what the server has found for the typed
# word, whose case and accents it ignores; zsh itself would compare characters. Where several titles fit they are listed
# and the word stays: what all have in common may be nothing at all.
__citiesctl_custom_complete() {
    local -a titles
    titles=("${(@f)$("${command_name}" "${@}" "${(@)command_line//\\/}" 2>/dev/null)}")
    # The last line ends what citiesctl writes for zsh, and colons are escaped there.
    titles=("${(@)${(@)titles[1,-2]}//\\:/:}")
    (( ${#titles} )) || return 1
    compadd -U -V titles -a titles
    (( ${#titles} == 1 )) || compstate[insert]='' compstate[list]=list
}

