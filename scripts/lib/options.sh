# SPDX-License-Identifier: BSD-2-Clause
# The options of the scripts in bash. The comment at the head of a script is what its --help prints;
# its first paragraph is the usage.
# shellcheck shell=bash disable=SC2034 # output is the scripts'

# usage [WHY]: ends the script.
usage() {
    {
        [[ $# == 0 ]] || echo "${0##*/}: $*"
        sed -n '1,2d; /^#$/q; s/^# //p' "$0"
    } >&2
    exit 2
}

# take_options SHORT LONG ARGUMENT...: sets `taken` to the options, each a word and perhaps its
# value, then --, then the other arguments. SHORT and LONG are those of getopt(1), without --help,
# which is answered here.
take_options() {
    local sorted word
    sorted=$(getopt -n "${0##*/}" -o "h$1" -l "help${2:+,$2}" -- "${@:3}") || usage
    eval "taken=($sorted)"
    for word in "${taken[@]}"; do
        case $word in
        --) return ;;
        -h | --help)
            sed '1,2d; /^#/!Q; s/^# \{0,1\}//' "$0"
            exit
            ;;
        esac
    done
}

# take_out DEFAULT ARGUMENT...: for a script that has no option but -o: sets `output` to the value,
# and `taken` to the other arguments.
take_out() {
    output=$1
    take_options o: out: "${@:2}"
    while [[ ${taken[0]} != -- ]]; do
        output=${taken[1]}
        taken=("${taken[@]:2}")
    done
    taken=("${taken[@]:1}")
}

# take_out_alone DEFAULT ARGUMENT...: for a script that takes nothing else.
take_out_alone() {
    take_out "$@"
    ((${#taken[@]} == 0)) || usage "unexpected '${taken[0]}'"
}

# take_none ARGUMENT...: for a script that has nothing but --help.
take_none() {
    take_options '' '' "$@"
    ((${#taken[@]} == 1)) || usage "unexpected '${taken[1]}'"
}
