# Titles of cities, written by hand (contrib/completions/titles.zsh). -U keeps what the server has found for the typed
# word, whose case and accents it ignores; zsh itself would compare characters.
__citiesctl_custom_complete() {
    local -a titles
    titles=("${(@f)$("${command_name}" "${@}" "${(@)command_line//\\/}" 2>/dev/null)}")
    titles=("${(@)titles:#}")
    (( ${#titles} )) && compadd -U -V titles -a titles
}

