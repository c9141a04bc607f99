# Ctrl-X p: choose a place full screen, and insert its title at the cursor, after the end of a quote that is open.
__citiesctl_pick() {
    local title quote head open='' quoted
    local -a words
    __citiesctl_split "${READLINE_LINE:0:READLINE_POINT}" || return
    title="$(citiesctl pick --columns title --output tsv)" || return
    # Within "$(…" the quote is not that of the word.
    [[ "${READLINE_LINE:0:READLINE_POINT}" = *'$('* ]] || open="${quote}"
    quote=''
    __citiesctl_quote "${title}"
    quoted="${open}${quoted}"
    READLINE_LINE="${READLINE_LINE:0:READLINE_POINT}${quoted}${READLINE_LINE:READLINE_POINT}"
    READLINE_POINT=$((READLINE_POINT + ${#quoted}))
}

bind -x '"\C-xp": __citiesctl_pick'
