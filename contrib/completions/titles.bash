
# Titles of cities, written by hand (contrib/completions/titles.bash). The generated code compares bytes, but the server
# ignores case and accents, and knows other names of a place: for `sao` it has `São Paulo, BR`. Where several titles fit,
# the typed word goes among them, or readline would put what all have in common, `S`, in its place; where one fits, it is
# quoted as a word of the shell.
__citiesctl_titles() {
    local word="${COMP_WORDS[COMP_CWORD]}" typed verb
    case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}" in
    "search search") verb=search ;;
    "show --near" | "show show" | "near near" | "map map" | "here here" | "time time" | "bank near") verb=show ;;
    *) return 1 ;;
    esac
    [[ -n "${word}" && "${word}" != -* ]] || return 1
    typed="${word#[\'\"]}"
    typed="${typed//\\/}"
    mapfile -t COMPREPLY < <(SAP_SHELL=bash "${COMP_WORDS[0]}" ---completion "${verb}" -- positional@0 1 "${#typed}" "${verb}" "${typed}" 2>/dev/null)
    # Where no title fits, an empty line comes, which would take the place of the typed word.
    [[ -n "${COMPREPLY[*]}" ]] || COMPREPLY=()
    case "${#COMPREPLY[@]}" in
    0) return 1 ;;
    1) __citiesctl_quote "${word:0:1}" ;;
    *) COMPREPLY+=("${word}") ;;
    esac
    compopt +o filenames
}

# Quotes the one title: as a word of the shell, or for the quote that was typed before it.
__citiesctl_quote() {
    local title="${COMPREPLY[0]}" sign
    case "${1}" in
    \') COMPREPLY=("${title//\'/"'\\''"}") ;;
    \")
        for sign in \\ \" \$ \`; do title="${title//"${sign}"/\\${sign}}"; done
        COMPREPLY=("${title}")
        ;;
    *) printf -v 'COMPREPLY[0]' %q "${title}" ;;
    esac
}

# In the place of the generated function: compgen -W expands every word that it is given, and a title is foreign text,
# in which $(…) would be run.
__citiesctl_add_completions() {
    local completion
    while IFS='' read -r completion; do
        [[ -n "${completion}" && ("${1}" != -W || "${completion}" == "${cur}"*) ]] && COMPREPLY+=("${completion}")
    done < <([[ "${1}" == -W ]] && printf '%s\n' "${2}" || compgen "${@}" -- "${cur}")
    return 0
}

__citiesctl_with_titles() {
    __citiesctl_titles || _citiesctl "${@}"
}

complete -o filenames -F __citiesctl_with_titles citiesctl
