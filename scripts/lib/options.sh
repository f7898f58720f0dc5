# SPDX-License-Identifier: BSD-2-Clause
# Option parsing for the bash scripts. --help prints the comment at the head of a script. The first
# paragraph of that comment is the usage.
# shellcheck shell=bash disable=SC2034 # scripts read `output`

usage() {
    {
        [[ $# == 0 ]] || echo "${0##*/}: $*"
        sed -n '1,2d; /^#$/q; s/^# //p' "$0"
    } >&2
    exit 2
}

# take_options SHORT LONG ARGUMENT...: sets `taken` to the options with their values, --, and the
# other arguments. SHORT and LONG are as for getopt(1); -h and --help are added.
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

# take_out DEFAULT ARGUMENT...: sets `output` to the value of -o, which is DEFAULT if -o is missing.
# Sets `taken` to the other arguments.
take_out() {
    output=$1
    take_options o: out: "${@:2}"
    while [[ ${taken[0]} != -- ]]; do
        output=${taken[1]}
        taken=("${taken[@]:2}")
    done
    taken=("${taken[@]:1}")
}

# take_out_alone DEFAULT ARGUMENT...: like take_out, but accepts no arguments other than -o.
take_out_alone() {
    take_out "$@"
    ((${#taken[@]} == 0)) || usage "unexpected '${taken[0]}'"
}

# take_none ARGUMENT...: accepts only --help.
take_none() {
    take_options '' '' "$@"
    ((${#taken[@]} == 1)) || usage "unexpected '${taken[1]}'"
}
