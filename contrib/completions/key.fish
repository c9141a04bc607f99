# Ctrl-X p: choose a place full screen, and insert its title at the cursor.
function __citiesctl_pick
    set -l title (command citiesctl pick --columns title --output tsv </dev/tty)
    and commandline -i -- (string escape -- $title)
    commandline -f repaint
end

bind \cxp __citiesctl_pick
