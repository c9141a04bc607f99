# fish completion of citiesctl. The program itself knows the candidates: its first line says what follows.
function __citiesctl_candidates
    set -l words (commandline -opc)
    set -l word (commandline -ct | string unescape)
    # The name is as typed: neither ~ nor a variable is expanded.
    set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
    type -q $program; or set program citiesctl
    set -l answer (command $program ---complete $words[2..-1] "$word" 2>/dev/null)
    switch "$answer[1]"
        case words titles
            # fish expands a ~ that a candidate starts with.
            string match -v -- '~*' $answer[2..-1]
        case files
            __fish_complete_path (commandline -ct)
    end
end

complete -c citiesctl -f -k -a '(__citiesctl_candidates)'

# fish filters candidates once more, by letters and not by accents, so that `sao` never becomes `São Paulo, BR`. This
# function replaces the word before the cursor by the first title that the server finds, after search for its start and
# elsewhere for any name; bind it to a key, for example Alt-T:
#
#   bind \et citiesctl_title
function citiesctl_title
    set -l word (commandline -ct | string unescape)
    set -l question find
    contains -- search (commandline -opc); and set question search --match folded
    set -l titles (command citiesctl $question --limit 1 --timeout 200ms --wait 0 --columns title -o tsv -- "$word" 2> /dev/null)
    test (count $titles) -gt 0; and commandline -rt -- (string escape -- $titles[1])
end
