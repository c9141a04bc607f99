# Ctrl-X p: choose a place full screen, and insert its title at the cursor, after the end of a quote that is open.
__citiesctl_pick() {
    emulate -L zsh -o extended_glob
    local title open=${LBUFFER##([^\'\"\\]|\\?|\'[^\']#\'|\"([^\"\\]|\\?)#\")#}
    # `…` removes backslashes, so that a quoted title would be executed there.
    (( ${#LBUFFER//[^\`]/} % 2 == 0 )) || return
    # Within "$(…" the quote is not that of the word.
    [[ "${open}" != *'$('* ]] || open=''
    title="$(citiesctl pick --columns title --output tsv </dev/tty)" && LBUFFER+="${open[1]}${(q)title}"
    zle reset-prompt
}

zle -N __citiesctl_pick
bindkey '^Xp' __citiesctl_pick
