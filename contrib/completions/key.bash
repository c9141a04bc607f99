# Ctrl-X p: choose a place full screen, and insert its title at the cursor.
__citiesctl_pick() {
    local title
    title="$(citiesctl pick --columns title --output tsv)" || return
    printf -v title %q "${title}"
    READLINE_LINE="${READLINE_LINE:0:READLINE_POINT}${title}${READLINE_LINE:READLINE_POINT}"
    READLINE_POINT=$((READLINE_POINT + ${#title}))
}

bind -x '"\C-xp": __citiesctl_pick'
