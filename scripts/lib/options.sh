# SPDX-License-Identifier: BSD-2-Clause
# Option parsing for the bash scripts. --help prints the comment at the head of a script; the
# comment's first paragraph is the usage.
# shellcheck shell=bash disable=SC2034 # scripts read `output`

# usage [WHY]: prints WHY and the usage, and ends the script with exit status 2.
usage() {
    {
        [[ $# == 0 ]] || echo "${0##*/}: $*"
        sed -n '1,2d; /^#$/q; s/^# //p' "$0"
    } >&2
    exit 2
}

# take_options SHORT LONG ARGUMENT...: sets `taken` to the options with their values, followed by --
# and the other arguments. SHORT and LONG are the options in the form of getopt(1), without -h and
# --help, which this function adds.
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

# take_out DEFAULT ARGUMENT...: sets `output` to the value of -o, or else to DEFAULT, and `taken` to
# the other arguments. take_out is for a script whose only option is -o.
take_out() {
    output=$1
    take_options o: out: "${@:2}"
    while [[ ${taken[0]} != -- ]]; do
        output=${taken[1]}
        taken=("${taken[@]:2}")
    done
    taken=("${taken[@]:1}")
}

# take_out_alone DEFAULT ARGUMENT...: like take_out, for a script that takes no other arguments.
take_out_alone() {
    take_out "$@"
    ((${#taken[@]} == 0)) || usage "unexpected '${taken[0]}'"
}

# take_none ARGUMENT...: handles --help, for a script without other options and arguments.
take_none() {
    take_options '' '' "$@"
    ((${#taken[@]} == 1)) || usage "unexpected '${taken[1]}'"
}
