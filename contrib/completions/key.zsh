# Ctrl-X p: choose a place full screen, and insert its title at the cursor.
__citiesctl_pick() {
    local title
    title="$(citiesctl pick --columns title --output tsv </dev/tty)" && LBUFFER+="${(q)title}"
    zle reset-prompt
}

zle -N __citiesctl_pick
bindkey '^Xp' __citiesctl_pick
