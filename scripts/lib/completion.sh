# SPDX-License-Identifier: BSD-2-Clause
# Bash completion for barecount's programs. scripts/make-completion adds _barecount_expects, which
# prints the values of an option: words, FILES, FOLDERS, KERNELS, EVENTS, or nothing.
# shellcheck shell=bash

# `complete -F` calls _barecount PROGRAM WORD PREVIOUS, which fills COMPREPLY.
_barecount() {
    local name=${1##*/} word=$2 option=$3 expected matches=''
    name=${name#barecount-}
    # bash splits --option=value at the equals sign.
    if [[ $word == = ]]; then
        word=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    [[ $word != -* ]] || option=-
    for expected in $(_barecount_expects "$name:$option"); do
        case $expected in
        FILES | FOLDERS)
            [[ $expected == FILES ]] && expected=-f || expected=-d
            matches+=$(compgen "$expected" -- "$word")$'\n'
            compopt -o filenames 2>/dev/null
            continue
            ;;
        KERNELS)
            expected=$("$1" --list-kernels 2>/dev/null | awk '/^  [a-z]/ { print $1 }')
            ;;
        EVENTS)
            expected=$("$1" --list-events 2>/dev/null | awk '$2 ~ /^r[0-9a-f]+$/ { print $1 }')
            ;;
        esac
        matches+=$(compgen -W "$expected" -- "$word")$'\n'
    done
    COMPREPLY=()
    while IFS= read -r expected; do
        [[ -z $expected ]] || COMPREPLY+=("$expected")
    done <<<"$matches"
}
