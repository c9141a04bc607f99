
# Titles of cities, written by hand (contrib/completions/titles.bash). The generated code compares bytes, but the server
# ignores case and accents: of `sao`, it offers `São Paulo, BR`. Where several titles fit, the typed word is among them
# (citiesctl adds it for bash), or readline would put what all have in common, `S`, in its place.
__citiesctl_titles() {
    local word="${COMP_WORDS[COMP_CWORD]}"
    case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}" in
    "show --near" | "search search" | "show show" | "near near" | "here here") ;;
    *) return 1 ;;
    esac
    [[ -n "${word}" && "${word}" != -* ]] || return 1
    word="${word#[\'\"]}"
    word="${word//\\/}"
    local -x SAP_SHELL=bash
    mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" ---completion search -- positional@0 1 "${#word}" search "${word}" 2>/dev/null)
    [[ "${#COMPREPLY[@]}" -gt 0 ]]
}

__citiesctl_with_titles() {
    __citiesctl_titles || _citiesctl "${@}"
}

complete -o filenames -F __citiesctl_with_titles citiesctl
