# SPDX-License-Identifier: GPL-2.0-or-later
# What the scripts here share: the cache, and Debian's archive through an apt of our own; the
# system's configuration stays as it is.
# For bash scripts that set `cache`, and `work`, a folder of their own.
# shellcheck shell=bash disable=SC2154 # these are theirs

set -E
trap 'exit 4' ERR

# shellcheck source=/dev/null # it is looked at by itself
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/options.sh"

# fail LINE...: an error of this host.
fail() {
    printf '%s\n' "${@/#/${0##*/}: }" >&2
    exit 4
}

# keep_two NAME FILE: FILE, in a folder NAME-… of the cache, is used now. Of such folders that hold
# a file of that name, the two stay that were used last.
keep_two() {
    touch -a "$2"
    (cd "$cache" && find . -mindepth 2 -maxdepth 2 -path "./$1-*" -name "${2##*/}" \
        -printf '%A@ %h\n' | sort -rn | tail -n +3 | cut -d ' ' -f 2 | xargs -r rm -rf)
}

# Debian's main archive as this machine's apt knows it, as lines of a type (deb or deb-src). An
# entry of another archive is told by its suite, its path or its keyring, and left out.
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

# Both print "keyring-or-dash URI suite" for each suite with the component main.
# deb [options] URI suite component...
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

# Stanzas of Types, URIs, Suites, Components, Signed-By, set apart by empty lines.
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

# apt-get or apt-cache with our own source list, list folder and list of installed packages, which
# is empty: what a package needs is then all of it, whatever this machine has.
private_apt() {
    local tool=$1
    shift
    "$tool" -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o Dir::State::status="$work/status" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

# write_sources deb|deb-src CODENAME...: our source list, from this machine's when it is one of
# these releases of Debian.
write_sources() {
    local type=$1 codename
    shift
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    if [[ -n ${QEMU_SOURCES:-} ]]; then
        sed "s/^deb-src\>/$type/" "$QEMU_SOURCES" >"$work/sources.list"
    elif [[ " $* " == *" $codename "* ]]; then
        source_lines "$type" "$codename" >"$work/sources.list"
    else
        fail "what it needs is of Debian ($*); this is ${codename:-unknown}." \
            "Install debian-archive-keyring, whose keys sign Debian's archive, and name a file" \
            "with apt's deb-src lines for Debian 12: QEMU_SOURCES=file $0"
    fi
    [[ -s $work/sources.list ]] ||
        fail "no entry of Debian's main archive in /etc/apt/sources.list or sources.list.d; add one"
}

# other_suite deb|deb-src SUITE: a line for another suite of the archive in our source list.
other_suite() {
    sed -En "/-security/d; s/^deb(-src)? +((\[[^]]*\] +)?[^ ]+) .*/$1 \2 $2 main/; T; p; q" \
        "$work/sources.list"
}

# fetch_lists deb|deb-src [CODENAME...]: what the archive holds now, for private_apt. Without a
# release it must be Debian 12.
fetch_lists() {
    local type=$1
    shift
    mkdir -p "$work/lists/partial"
    : >"$work/status"
    write_sources "$type" "${@:-bookworm}"
    # Otherwise an archive that cannot be reached is a warning, and what it holds is not found.
    private_apt apt-get -o APT::Update::Error-Mode=any update ||
        fail "Debian's archive cannot be reached; see above, and retry with a network"
}
