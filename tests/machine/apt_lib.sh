# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the scripts in this folder share. Some of these functions manage the cache; others
# access Debian's archive with a private apt, which leaves the system's configuration unchanged. The
# scripts must set `cache`, and `work`, which is a folder for their own files.
# shellcheck shell=bash disable=SC2154 # the scripts set these

set -E
trap 'exit 4' ERR

# shellcheck source=/dev/null # it is checked separately
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/options.sh"

# fail LINE...: prints the lines, and ends the script with status 4, an error of this host.
fail() {
    printf '%s\n' "${@/#/${0##*/}: }" >&2
    exit 4
}

# keep_two NAME FILE: marks FILE as used now. FILE is in a folder NAME-… of the cache. The function
# then deletes all folders NAME-… that contain a file of this name, except the two that were used
# last.
keep_two() {
    touch -a "$2"
    (cd "$cache" && find . -mindepth 2 -maxdepth 2 -path "./$1-*" -name "${2##*/}" \
        -printf '%A@ %h\n' | sort -rn | tail -n +3 | cut -d ' ' -f 2 | xargs -r rm -rf)
}

# source_lines deb|deb-src CODENAME: prints source lines of this type for each entry in this
# machine's apt configuration that names Debian's main archive. Other archives, recognised by suite,
# path or keyring, are left out.
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

# The next two functions read apt's two formats. For each suite with the component main these
# functions print a line "keyring-or-dash URI suite". The first format is: deb [options] URI suite
# component...
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

# The second format consists of stanzas with Types, URIs, Suites, Components and Signed-By,
# separated by empty lines.
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

# Runs apt-get or apt-cache with a private source list, private package lists, and an empty list of
# installed packages. The dependencies that apt finds are therefore complete, whatever is installed
# on this machine.
private_apt() {
    local tool=$1
    shift
    "$tool" -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o Dir::State::status="$work/status" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

# write_sources deb|deb-src CODENAME...: writes the private source list, from QEMU_SOURCES if that
# is set. If QEMU_SOURCES is not set, the list comes from this machine's source lists, and the
# machine must run a release of Debian whose CODENAME is given.
write_sources() {
    local type=$1 codename
    shift
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    if [[ -n ${QEMU_SOURCES:-} ]]; then
        sed "s/^deb-src\>/$type/" "$QEMU_SOURCES" >"$work/sources.list"
    elif [[ " $* " == *" $codename "* ]]; then
        source_lines "$type" "$codename" >"$work/sources.list"
    else
        fail "it needs Debian's archive ($*), but this is ${codename:-an unknown system}." \
            "Install debian-archive-keyring, whose keys sign Debian's archive, and name a file" \
            "with apt's deb-src lines for Debian 12: QEMU_SOURCES=file $0"
    fi
    [[ -s $work/sources.list ]] ||
        fail "no entry of Debian's main archive in /etc/apt/sources.list or sources.list.d; add one"
}

# record_of NAME: prints the name of a cache file, which depends on the contents of QEMU_SOURCES.
# The calling script stores its last result from the archive in this file.
record_of() {
    if [[ -n ${QEMU_SOURCES:-} ]]; then
        [[ -r $QEMU_SOURCES ]] || fail "QEMU_SOURCES=$QEMU_SOURCES cannot be read"
        echo "$cache/$1-$(sha256sum <"$QEMU_SOURCES" | cut -c 1-12)"
    else
        echo "$cache/$1"
    fi
}

# other_suite deb|deb-src SUITE: prints a source line for this suite of the archive that the private
# source list names.
other_suite() {
    sed -En "/-security/d; s/^deb(-src)? +((\[[^]]*\] +)?[^ ]+) .*/$1 \2 $2 main/; T; p; q" \
        "$work/sources.list"
}

# fetch_lists deb|deb-src [CODENAME...]: fetches the archive's current lists for private_apt.
# Without a CODENAME, the machine must run Debian 12, unless QEMU_SOURCES is set.
fetch_lists() {
    local type=$1
    shift
    mkdir -p "$work/lists/partial"
    : >"$work/status"
    write_sources "$type" "${@:-bookworm}"
    # By default apt only warns if it cannot reach an archive; a later call of apt would then not
    # find the archive's packages.
    private_apt apt-get -o APT::Update::Error-Mode=any update ||
        fail "Debian's archive cannot be reached; see above, and retry with a network"
}
