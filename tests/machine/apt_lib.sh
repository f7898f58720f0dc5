# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the scripts in this folder share: for the cache, and for Debian's archive. A script
# must set two folders: `cache`, and `work` for its temporary files.
# shellcheck shell=bash disable=SC2154 # the scripts set these

set -E
trap 'exit 4' ERR

# shellcheck source=/dev/null # it is checked separately
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/options.sh"

# fail LINE...: prints the lines, and ends the script with status 4.
fail() {
    printf '%s\n' "${@/#/${0##*/}: }" >&2
    exit 4
}

# keep_two NAME FILE: marks FILE as used now; FILE is in a folder NAME-… of the cache. Deletes all
# folders NAME-… that contain a file of this name, except the two that were used last.
keep_two() {
    touch -a "$2"
    (cd "$cache" && find . -mindepth 2 -maxdepth 2 -path "./$1-*" -name "${2##*/}" \
        -printf '%A@ %h\n' | sort -rn | tail -n +3 | cut -d ' ' -f 2 | xargs -r rm -rf)
}

# source_lines deb|deb-src CODENAME: prints source lines for Debian's main archive, from this
# machine's apt configuration.
source_lines() {
    local type=$1 codename=$2 file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
        [[ -f $file ]] || continue
        case $file in
            *.list) one_line_entries "$file" ;;
            *) stanza_entries "$file" ;;
        esac
    done | awk -v type="$type" -v suite="^$codename(-updates|-security|/updates)?\$" '
        $2 ~ /\/debian(-security)?(\.list)?(\/|$)/ && $3 ~ suite &&
        ($1 == "-" || $1 ~ /debian-archive/) {
            print type, ($1 == "-" ? "" : "[signed-by=" $1 "]"), $2, $3, "main"
        }' | sort -u
}

# Reads lines "deb [options] URI suite component..." and prints "keyring-or-dash URI suite" for each
# suite with the component main.
one_line_entries() {
    awk '
        { sub(/#.*/, "") }
        $1 != "deb" && $1 != "deb-src" { next }
        {
            key = "-"
            if (match($0, /\[[^]]*\]/)) {
                options = substr($0, RSTART + 1, RLENGTH - 2)
                $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
                if (match(options, /signed-by=[^ \t]+/))
                    key = substr(options, RSTART + 10, RLENGTH - 10)
            }
            for (i = 4; i <= NF; i++)
                if ($i == "main") print key, $2, $3
        }' "$1"
}

# Like one_line_entries, for stanzas with Types, URIs, Suites, Components and Signed-By.
stanza_entries() {
    awk '
        function flush(    uri, suite, i, j) {
            if (v["types"] ~ /deb/ && (" " v["components"] " ") ~ / main / && v["enabled"] != "no")
                for (i = split(v["uris"], uri, " "); i > 0; i--)
                    for (j = split(v["suites"], suite, " "); j > 0; j--)
                        print v["signed-by"] == "" ? "-" : v["signed-by"], uri[i], suite[j]
            split("", v)
        }
        /^#/ { next }
        /^[ \t]*$/ { flush(); next }
        {
            key = tolower($0); sub(/:.*/, "", key)
            value = $0; sub(/^[^:]*:[ \t]*/, "", value); sub(/[ \t]+$/, "", value)
            v[key] = value
        }
        END { flush() }' "$1"
}

# Runs apt-get or apt-cache with private source and package lists. The list of installed packages is
# empty, so apt finds all dependencies.
private_apt() {
    local tool=$1
    shift
    "$tool" -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o Dir::State::status="$work/status" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

# write_sources deb|deb-src CODENAME...: writes the private source list, from the file QEMU_SOURCES
# if that is set. If QEMU_SOURCES is not set, the lines come from this machine's apt configuration,
# and the machine must run a release of Debian whose CODENAME is given.
write_sources() {
    local type=$1 codename
    shift
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    if [[ -n ${QEMU_SOURCES:-} ]]; then
        sed "s/^deb-src\>/$type/" "$QEMU_SOURCES" >"$work/sources.list"
    elif [[ " $* " == *" $codename "* ]]; then
        source_lines "$type" "$codename" >"$work/sources.list"
    else
        fail "Debian's archive ($*) is needed, but this is ${codename:-an unknown system}." \
            "Install debian-archive-keyring, whose keys sign Debian's archive, and name a file" \
            "with apt's deb-src lines for Debian 12: QEMU_SOURCES=file $0"
    fi
    [[ -s $work/sources.list ]] ||
        fail "no entry of Debian's main archive in /etc/apt/sources.list or sources.list.d; add one"
}

# record_of NAME: prints the name of the file that records the last result from this archive.
record_of() {
    if [[ -n ${QEMU_SOURCES:-} ]]; then
        [[ -r $QEMU_SOURCES ]] || fail "QEMU_SOURCES=$QEMU_SOURCES cannot be read"
        echo "$cache/$1-$(sha256sum <"$QEMU_SOURCES" | cut -c 1-12)"
    else
        echo "$cache/$1"
    fi
}

# other_suite deb|deb-src SUITE: prints a source line for SUITE of the archive that the private
# source list names.
other_suite() {
    sed -En "/-security/d; s/^deb(-src)? +((\[[^]]*\] +)?[^ ]+) .*/$1 \2 $2 main/; T; p; q" \
        "$work/sources.list"
}

# fetch_lists deb|deb-src [CODENAME...]: fetches the archive's current lists for private_apt.
fetch_lists() {
    local type=$1
    shift
    mkdir -p "$work/lists/partial"
    : >"$work/status"
    write_sources "$type" "${@:-bookworm}"
    # By default apt only warns if it cannot reach an archive.
    private_apt apt-get -o APT::Update::Error-Mode=any update ||
        fail "Debian's archive cannot be reached; see above, and retry with a network"
}
