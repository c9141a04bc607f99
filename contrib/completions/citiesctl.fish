function __citiesctl_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __citiesctl_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __citiesctl_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __citiesctl_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __citiesctl_parse_tokens -S
    set -l unparsed_tokens (__citiesctl_tokens -pc)
    switch $unparsed_tokens[1]
    case 'citiesctl'
        __citiesctl_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'search'
            __citiesctl_parse_subcommand -r 1 'm/match=' 'c/country=' 's/sort=' 'n/limit=' 'offset=' 'all' 'count' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'find'
            __citiesctl_parse_subcommand -r 1 'n/limit=' 'c/country=' 'region=' 'near=' 'no-typos' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'show'
            __citiesctl_parse_subcommand -r 1 'near=' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'near'
            __citiesctl_parse_subcommand -r 1 'n/limit=' 'radius=' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'map'
            __citiesctl_parse_subcommand 1 'near=' 'o/output=' 'width=' 'height=' 'zoom=' 'color=' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'here'
            __citiesctl_parse_subcommand 1 'forget' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'browse'
            __citiesctl_parse_subcommand 1 'at=' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'pick'
            __citiesctl_parse_subcommand 1 'select-1' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'session'
            __citiesctl_parse_subcommand 0 'm/match=' 'c/country=' 'n/limit=' 'latest' 'o/output=' 'columns=' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'bank'
            __citiesctl_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'regions'
                __citiesctl_parse_subcommand 0 'bank=' 'c/country=' 'region=' 'kind=' 'open-now' 'at=' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            case 'list'
                __citiesctl_parse_subcommand 0 'bank=' 'c/country=' 'region=' 'kind=' 'open-now' 'at=' 'n/limit=' 'offset=' 'all' 'count' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            case 'search'
                __citiesctl_parse_subcommand -r 1 'bank=' 'c/country=' 'region=' 'kind=' 'open-now' 'at=' 'n/limit=' 'offset=' 'all' 'count' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            case 'show'
                __citiesctl_parse_subcommand 1 'at=' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            case 'near'
                __citiesctl_parse_subcommand 1 'n/limit=' 'radius=' 'bank=' 'c/country=' 'region=' 'kind=' 'open-now' 'at=' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            case 'map'
                __citiesctl_parse_subcommand 1 'near=' 'n/limit=' 'bank=' 'c/country=' 'region=' 'kind=' 'open-now' 'at=' 'o/output=' 'width=' 'height=' 'zoom=' 'color=' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            end
        case 'product'
            __citiesctl_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __citiesctl_parse_subcommand 0 'in=' 'rounding=' 'n/limit=' 'offset=' 'all' 'count' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            case 'show'
                __citiesctl_parse_subcommand 1 'in=' 'rounding=' 's/sort=' 'explain' 'total' 'n/limit=' 'offset=' 'all' 'count' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            end
        case 'rate'
            __citiesctl_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __citiesctl_parse_subcommand 0 'base=' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            case 'convert'
                __citiesctl_parse_subcommand 3 'rounding=' 'explain' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
            end
        case 'status'
            __citiesctl_parse_subcommand 0 'v/verbose' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'refresh'
            __citiesctl_parse_subcommand -r 1 'force' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'watch'
            __citiesctl_parse_subcommand -r 1 'o/output=' 'n/limit=' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'feed'
            __citiesctl_parse_subcommand -r 1 'forget' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'doctor'
            __citiesctl_parse_subcommand 0 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'introspect'
            __citiesctl_parse_subcommand 0 'methods' 'o/output=' 'columns=' '0/null' 'csv-safe' 'color=' 'no-pager' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'call'
            __citiesctl_parse_subcommand 2 'trace' 'socket=' 'timeout=' 'wait=' 'timing' 'version' 'h/help'
        case 'help'
            __citiesctl_parse_subcommand -r 1 'version'
        end
    end
end

function __citiesctl_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __citiesctl_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __citiesctl_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __citiesctl_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__citiesctl_tokens -p)
    if test -z "$(__citiesctl_tokens -t)"
        set -l index (count (__citiesctl_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'citiesctl' -f
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'search' -d 'Find cities by the start of their title.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'find' -d 'Find a city by a name in any language.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'show' -d 'Show a city, by its id or title.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'near' -d 'Find the cities nearest to a place.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'map' -d 'Draw a map of a city and its surroundings.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'here' -d 'Keep your position, for commands that start from it.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'browse' -d 'Browse cities, banks and products on a full screen.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'pick' -d 'Choose a city on a full screen and print it.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'session' -d 'Answer prefixes from standard input, one per line.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'bank' -d 'Find bank branches and cash machines.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'product' -d 'Show products and the totals of their transactions.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'rate' -d 'Show exchange rates and convert amounts.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'status' -d 'Show the state of the server and its data.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'refresh' -d 'Fetch new data from the sources.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'watch' -d 'Print changes of the data as they happen.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'feed' -d 'List the sources of data, or turn them on and off.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'doctor' -d 'Find what is wrong with the installation.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'introspect' -d 'Print the schema of the protocol.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'call' -d 'Send any request and print the reply as JSON.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl search" -ge 1' -fka '(__citiesctl_custom_completion ---completion search -- positional@0 (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" m match' -s 'm' -l 'match' -d 'plain: accents matter (default); folded: they do not.' -rfka 'plain folded'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" c country' -s 'c' -l 'country' -d 'Only cities of this country, by its code such as DE.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" s sort' -s 's' -l 'sort' -d 'The order: key (the default) or population.' -rfka 'key population'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" limit n' -s 'n' -l 'limit' -d 'Print at most n rows, up to 1000 (default: 20).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" offset' -l 'offset' -d 'Skip n rows (default: 0).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" all' -l 'all' -d 'Print all rows.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" count' -l 'count' -d 'Print the number of rows alone.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl search" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" limit n' -s 'n' -l 'limit' -d 'Print at most n rows, up to 100 (default: 10).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" c country' -s 'c' -l 'country' -d 'Only cities of this country, by code or name.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" region' -l 'region' -d 'Only cities of this region, by code or name.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" near' -l 'near' -d 'Of equally good matches, list the nearest first.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" no-typos' -l 'no-typos' -d 'Do not correct typing errors.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl find" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl show" -ge 1' -fka '(__citiesctl_custom_completion ---completion show -- positional@0 (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" near' -l 'near' -d 'Of several cities, show the nearest to this place.' -rfka '(__citiesctl_custom_completion ---completion show -- --near (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl near" -ge 1' -fka '(__citiesctl_custom_completion ---completion near -- positional@0 (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" limit n' -s 'n' -l 'limit' -d 'Print at most n rows, up to 1000 (default: 10).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" radius' -l 'radius' -d 'Only within this distance, such as 800m or 25km.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl near" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl map" -eq 1' -fka '(__citiesctl_custom_completion ---completion map -- positional@0 (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" near' -l 'near' -d 'Of several cities, take the nearest to this place.' -rfka '(__citiesctl_custom_completion ---completion map -- --near (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" o output' -l 'output' -s 'o' -d 'The format: text, svg, geojson or geo (default: text).' -rfka 'text svg geojson geo'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" width' -l 'width' -d 'Width in columns (default: the terminal\'s, or 80).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" height' -l 'height' -d 'Height in rows (default: what suits the width).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" zoom' -l 'zoom' -d 'The distance that the width shows, such as 25km.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl map" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl here" -eq 1' -fka '(__citiesctl_custom_completion ---completion here -- positional@0 (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl here" forget' -l 'forget' -d 'Remove the position that is kept.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl here" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl here" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl here" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl here" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl here" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl here" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl browse" -eq 1' -fka '(__citiesctl_custom_completion ---completion browse -- positional@0 (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl browse" at' -l 'at' -d 'Where you are (default: what \'citiesctl here\' keeps).' -rfka '(__citiesctl_custom_completion ---completion browse -- --at (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl browse" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl browse" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl browse" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl browse" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl browse" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl browse" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl pick" -eq 1' -fka '(__citiesctl_custom_completion ---completion pick -- positional@0 (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" select-1' -l 'select-1' -d 'If a single city matches, print it without a screen.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl pick" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" m match' -s 'm' -l 'match' -d 'plain: accents matter (default); folded: they do not.' -rfka 'plain folded'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" c country' -s 'c' -l 'country' -d 'Only cities of this country, by its code such as DE.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" limit n' -s 'n' -l 'limit' -d 'At most n rows per answer, up to 1000 (default: 20).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" latest' -l 'latest' -d 'Skip a prefix if the next one has arrived already.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" o output' -l 'output' -s 'o' -d 'The format: tsv (the default) or jsonl.' -rfka 'tsv jsonl'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl session" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl bank" -eq 1' -fa 'regions' -d 'List countries and regions, with counts.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl bank" -eq 1' -fa 'list' -d 'List locations by country, region and name.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl bank" -eq 1' -fa 'search' -d 'Find locations by words in their name or address.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl bank" -eq 1' -fa 'show' -d 'Show a location in full, with its opening hours.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl bank" -eq 1' -fa 'near' -d 'Find the locations nearest to a place.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl bank" -eq 1' -fa 'map' -d 'Draw a map of locations.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" bank' -l 'bank' -d 'Only this bank, or group of banks.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" c country' -s 'c' -l 'country' -d 'Only this country, by its code or its English name.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" region' -l 'region' -d 'Only this region; \'\' means those without a region.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" kind' -l 'kind' -d 'Only this kind: branch, atm, bna or unknown.' -rfka 'branch atm bna unknown'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" open-now' -l 'open-now' -d 'Only locations known to be open now (or --at).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" at' -l 'at' -d 'Judge opening hours at this time, not now.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank regions" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" bank' -l 'bank' -d 'Only this bank, or group of banks.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" c country' -s 'c' -l 'country' -d 'Only this country, by its code or its English name.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" region' -l 'region' -d 'Only this region; \'\' means those without a region.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" kind' -l 'kind' -d 'Only this kind: branch, atm, bna or unknown.' -rfka 'branch atm bna unknown'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" open-now' -l 'open-now' -d 'Only locations known to be open now (or --at).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" at' -l 'at' -d 'Judge opening hours at this time, not now.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" limit n' -s 'n' -l 'limit' -d 'Print at most n rows, up to 1000 (default: 20).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" offset' -l 'offset' -d 'Skip n rows (default: 0).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" all' -l 'all' -d 'Print all rows.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" count' -l 'count' -d 'Print the number of rows alone.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" bank' -l 'bank' -d 'Only this bank, or group of banks.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" c country' -s 'c' -l 'country' -d 'Only this country, by its code or its English name.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" region' -l 'region' -d 'Only this region; \'\' means those without a region.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" kind' -l 'kind' -d 'Only this kind: branch, atm, bna or unknown.' -rfka 'branch atm bna unknown'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" open-now' -l 'open-now' -d 'Only locations known to be open now (or --at).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" at' -l 'at' -d 'Judge opening hours at this time, not now.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" limit n' -s 'n' -l 'limit' -d 'Print at most n rows, up to 1000 (default: 20).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" offset' -l 'offset' -d 'Skip n rows (default: 0).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" all' -l 'all' -d 'Print all rows.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" count' -l 'count' -d 'Print the number of rows alone.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank search" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" at' -l 'at' -d 'Judge opening hours at this time, not now.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl bank near" -eq 1' -fka '(__citiesctl_custom_completion ---completion bank near -- positional@0 (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" limit n' -s 'n' -l 'limit' -d 'Print at most n rows, up to 1000 (default: 10).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" radius' -l 'radius' -d 'Only within this distance, such as 800m or 25km.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" bank' -l 'bank' -d 'Only this bank, or group of banks.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" c country' -s 'c' -l 'country' -d 'Only this country, by its code or its English name.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" region' -l 'region' -d 'Only this region; \'\' means those without a region.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" kind' -l 'kind' -d 'Only this kind: branch, atm, bna or unknown.' -rfka 'branch atm bna unknown'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" open-now' -l 'open-now' -d 'Only locations known to be open now (or --at).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" at' -l 'at' -d 'Judge opening hours at this time, not now.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank near" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" near' -l 'near' -d 'Draw the locations nearest to this place.' -rfka '(__citiesctl_custom_completion ---completion bank map -- --near (count (__citiesctl_tokens -pc)) (__citiesctl_tokens -tC))'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" limit n' -s 'n' -l 'limit' -d 'With --near: at most n, up to 1000 (default: 10).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" bank' -l 'bank' -d 'Only this bank, or group of banks.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" c country' -s 'c' -l 'country' -d 'Only this country, by its code or its English name.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" region' -l 'region' -d 'Only this region; \'\' means those without a region.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" kind' -l 'kind' -d 'Only this kind: branch, atm, bna or unknown.' -rfka 'branch atm bna unknown'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" open-now' -l 'open-now' -d 'Only locations known to be open now (or --at).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" at' -l 'at' -d 'Judge opening hours at this time, not now.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" o output' -l 'output' -s 'o' -d 'The format: text, svg, geojson or geo (default: text).' -rfka 'text svg geojson geo'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" width' -l 'width' -d 'Width in columns (default: the terminal\'s, or 80).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" height' -l 'height' -d 'Height in rows (default: what suits the width).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" zoom' -l 'zoom' -d 'The distance that the width shows, such as 25km.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl bank map" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl product" -eq 1' -fa 'list' -d 'List products with their totals.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl product" -eq 1' -fa 'show' -d 'Show the transactions of a product and their total.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" in' -l 'in' -d 'Currencies, separated by commas (default: EUR).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" rounding' -l 'rounding' -d 'When to round: once (default) or step.' -rfka 'once step'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" limit n' -s 'n' -l 'limit' -d 'Print at most n rows, up to 1000 (default: 20).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" offset' -l 'offset' -d 'Skip n rows (default: 0).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" all' -l 'all' -d 'Print all rows.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" count' -l 'count' -d 'Print the number of rows alone.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" in' -l 'in' -d 'The currency of the total (default: EUR).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" rounding' -l 'rounding' -d 'When to round: once (default) or step.' -rfka 'once step'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" s sort' -s 's' -l 'sort' -d 'The order: source (default), amount or currency.' -rfka 'source amount currency'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" explain' -l 'explain' -d 'Show each step of the conversions.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" total' -l 'total' -d 'Print the total alone.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" limit n' -s 'n' -l 'limit' -d 'Print at most n rows, up to 1000 (default: 20).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" offset' -l 'offset' -d 'Skip n rows (default: 0).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" all' -l 'all' -d 'Print all rows.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" count' -l 'count' -d 'Print the number of rows alone.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl product show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl rate" -eq 1' -fa 'list' -d 'List the given rates, or all rates to one currency.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl rate" -eq 1' -fa 'convert' -d 'Convert an amount into another currency.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" base' -l 'base' -d 'List the rate of every other currency to this one.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" rounding' -l 'rounding' -d 'When to round: once (default) or step.' -rfka 'once step'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" explain' -l 'explain' -d 'Show each step of the conversion.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl rate convert" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" v verbose' -s 'v' -l 'verbose' -d 'Show all details (table).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl refresh" -ge 1' -fka 'cities swedbank-ee swedbank-lv swedbank-lt imaginary rates transactions'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" force' -l 'force' -d 'Ask the sources whatever the age of their data.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl refresh" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl watch" -ge 1' -fka 'cities banks trade'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl watch" o output' -l 'output' -s 'o' -d 'The format: table, tsv or jsonl; table on a terminal, jsonl elsewhere.' -rfka 'table tsv jsonl'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl watch" limit n' -s 'n' -l 'limit' -d 'Exit after n events, the current state included.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl watch" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl watch" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl watch" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl watch" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl watch" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl watch" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl feed" -ge 1' -fka 'list show enable disable cities swedbank-ee swedbank-lv swedbank-lt imaginary rates transactions'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" forget' -l 'forget' -d 'With disable: remove the stored data as well.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl feed" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl doctor" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" methods' -l 'methods' -d 'List the methods instead of the schema.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" o output' -l 'output' -s 'o' -d 'The format: table, tsv, json, jsonl, csv or geojson.' -rfka 'table tsv json jsonl csv geojson'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" columns' -l 'columns' -d 'Print these columns, separated by commas.' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" 0 null' -l 'null' -s '0' -d 'End rows with NUL, and escape nothing (tsv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" csv-safe' -l 'csv-safe' -d 'Keep spreadsheets from taking text for formulas (csv).'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" color' -l 'color' -d 'Use colour: auto, always or never (default: auto).' -rfka 'auto always never'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" no-pager' -l 'no-pager' -d 'Do not show long tables in a pager.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl introspect" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_positional "citiesctl call" -eq 1' -fka 'hello status watch refresh introspect city.search city.find city.get city.near bank.regions bank.list bank.search bank.get bank.near product.list product.get rate.list rate.convert'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl call" trace' -l 'trace' -d 'Print the frames on standard error, with comments.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl call" socket' -l 'socket' -d 'The server\'s socket.' -rF
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl call" timeout' -l 'timeout' -d 'How long a request may take (default: 2).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl call" wait' -l 'wait' -d 'How long to wait for data to arrive (default: 30).' -rfka ''
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl call" timing' -l 'timing' -d 'Print how long each step took, on standard error.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl call" version' -l 'version' -d 'Show the version.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl call" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'citiesctl' -n '__citiesctl_should_offer_completions_for_flags_or_options "citiesctl help" version' -l 'version' -d 'Show the version.'

# Titles of cities, written by hand (contrib/completions/titles.fish). fish filters candidates once more, by letters and
# not by accents, so that `sao` never becomes `São Paulo, BR`. This function replaces the word before the cursor by the
# first title that the server finds; bind it to a key, for example Alt-T:
#
#   bind \et citiesctl_title
function citiesctl_title
    set -l word (commandline -ct | string unescape)
    set -l titles (command citiesctl search --match folded --limit 1 --timeout 200ms --wait 0 --columns title -o tsv -- "$word" 2> /dev/null)
    test (count $titles) -gt 0; and commandline -rt -- (string escape -- $titles[1])
end
