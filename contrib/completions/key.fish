# Ctrl-X p: choose a place full screen, and insert its title at the cursor, after the end of a quote that is open.
function __citiesctl_pick
    set -l title (command citiesctl pick --columns title --output tsv </dev/tty)
    and begin
        set -l closed '^(?s)(?:[^\'"\\\\]|\\\\.|\'(?:[^\'\\\\]|\\\\.)*\'|"(?:[^"\\\\]|\\\\.)*")*'
        set -l open (commandline -c | string collect | string replace -r $closed '')
        # Within "$(…" the quote is not that of the word.
        string match -q '*$(*' -- "$open"; and set open ''
        commandline -i -- (string sub -l 1 -- "$open")(string escape --no-quoted -- $title)
    end
    commandline -f repaint
end

bind \cxp __citiesctl_pick
