#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Build the model machine: Debian's QEMU source, our patch, our PMU model (README.md).
#   build.sh [OUTPUT_DIR]   leave qemu-system-x86_64 in OUTPUT_DIR (default build/machine)
#   build.sh --packages     print the Debian packages that the build needs
# The result is cached by the hash of everything that goes into it; delete ~/.cache/barecount to
# build afresh from what Debian's archive holds by then.
set -euo pipefail

packages=(build-essential dpkg-dev ninja-build meson pkg-config python3
    libglib2.0-dev libpixman-1-dev libpng-dev libfdt-dev zlib1g-dev)

lock_s=1800 # a build takes 3 to 10 minutes; one that takes longer hangs

# Only what the tests use; `system` must be Debian's libfdt, for the source holds no copy of it.
options=(--target-list=x86_64-softmmu --without-default-features --enable-tcg --enable-system
    --enable-plugins --enable-fdt=system --enable-png --disable-install-blobs
    --meson=/usr/bin/meson)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
model=("$here"/pmu_model{.c,_msr.c,.h,_translate.h.inc})
cache=${XDG_CACHE_HOME:-$HOME/.cache}/barecount

fail() {
    printf 'build.sh: %s\n' "$@" >&2
    exit 1
}

# Debian's main archive as this machine's apt knows it, as deb-src lines. An entry of another
# archive is told by its suite, its path or its keyring, and left out.
source_lines() {
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
        [[ -f $file ]] || continue
        case $file in
            *.list) one_line_entries "$file" ;;
            *) stanza_entries "$file" ;;
        esac
    done | awk -v suite="^$codename(-updates|-security|/updates)?\$" '
        $2 ~ /\/debian(-security)?(\.list)?(\/|$)/ && $3 ~ suite &&
        ($1 == "-" || $1 ~ /debian-archive/) {
            print "deb-src", ($1 == "-" ? "" : "[signed-by=" $1 "]"), $2, $3, "main"
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

# apt with our own source list and list folder; the system's configuration stays as it is.
private_apt() {
    local tool=$1
    shift
    "$tool" -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

check_tools() {
    local tool
    for tool in apt-get apt-cache dpkg-source gcc ninja /usr/bin/meson /usr/bin/python3 patch \
        pkg-config; do
        command -v "$tool" >/dev/null ||
            fail "$tool is missing; install: apt-get install ${packages[*]}"
    done
    pkg-config --exists glib-2.0 pixman-1 libpng zlib ||
        fail "a library is missing; install: apt-get install ${packages[*]}"
    # It has no .pc file.
    gcc -E -include libfdt.h -x c /dev/null >/dev/null 2>&1 ||
        fail "libfdt is missing; install: apt-get install ${packages[*]}"
}

# Sets version to the newest that the archive holds.
find_version() {
    local codename
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mkdir -p "$work/lists/partial"
    if [[ -n ${QEMU_SOURCES:-} ]]; then
        cp "$QEMU_SOURCES" "$work/sources.list"
    elif [[ $codename == bookworm ]]; then
        source_lines >"$work/sources.list"
    else
        fail "the patch fits the QEMU of Debian 12 (bookworm); this is ${codename:-unknown}." \
            "Install debian-archive-keyring, whose keys sign Debian's archive, and name a file" \
            "with apt's deb-src lines for Debian 12: QEMU_SOURCES=file $0"
    fi
    [[ -s $work/sources.list ]] ||
        fail "no entry of Debian's main archive in /etc/apt/sources.list or sources.list.d; add one"
    private_apt apt-get update || fail "apt cannot fetch the list of sources; see above, and retry"
    version=$(private_apt apt-cache showsrc --only-source qemu |
        awk '/^Version:/ { print $2 }' | sort -V | tail -n 1)
    [[ $version == *7.2* ]] || fail "the archive's qemu is '$version'; the patch fits 7.2"
}

# The cached binary of a version: any change of what goes into it changes the name.
target_of() {
    local hash
    hash=$({ echo "$1" "${options[@]}" && cat "$here/qemu-pmu.patch" "${model[@]}"; } |
        sha256sum | cut -c 1-12)
    echo "$cache/qemu-${1//[^0-9A-Za-z.+~-]/_}-$hash/qemu-system-x86_64"
}

build() {
    local tree=("$work"/qemu-*/)
    cp "${model[@]}" "${tree[0]}target/i386/tcg/"
    patch --quiet -d "${tree[0]}" -p1 <"$here/qemu-pmu.patch" ||
        fail "the patch does not fit $version; see the lines above"
    mkdir "$work/build"
    cd "$work/build"
    # QEMU's scripts must find Debian's Python, not one of pyenv or the like.
    PATH=/usr/bin:$PATH
    "${tree[0]}configure" "${options[@]}" >configure.log 2>&1 ||
        fail "configure failed:" "$(tail -n 20 configure.log)" "needed: ${packages[*]}"
    ninja qemu-system-x86_64 >ninja.log 2>&1 ||
        fail "the build failed:" "$(grep -A 12 -m 1 FAILED ninja.log || tail -n 20 ninja.log)"
    strip qemu-system-x86_64
}

fetch_and_build() {
    local started=$SECONDS folder=${target%/*}
    echo "Building QEMU $version with the PMU model; about 3 minutes on 2 cores."
    (cd "$work" && private_apt apt-get source "qemu=$version") >"$work/source.log" 2>&1 ||
        fail "apt-get source failed:" "$(tail -n 5 "$work/source.log")"
    (build)
    mkdir "$work/result"
    mv "$work/build/qemu-system-x86_64" "$work/result/"
    rm -rf "$folder"
    mv -T "$work/result" "$folder"
    echo "Built in $((SECONDS - started)) s."
}

main() {
    if [[ ${1:-} == --packages ]]; then
        echo "${packages[*]}"
        return
    fi
    local output=${1:-$here/../../build/machine} version target
    mkdir -p "$output" "$cache"
    # One build at a time; whoever waited finds it done.
    exec 9>"$cache/lock"
    flock -w "$lock_s" 9 ||
        fail "another build holds $cache/lock for more than $lock_s s; end it, and retry"
    # The version of the last build is kept: with it in the cache, no network is needed.
    version=$(cat "$cache/qemu-version" 2>/dev/null || true)
    target=$(target_of "$version")
    if [[ ! -x $target ]]; then
        check_tools
        rm -rf "$cache"/work.*
        work=$(mktemp -d "$cache/work.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        find_version
        target=$(target_of "$version")
        [[ -x $target ]] || fetch_and_build
        echo "$version" >"$cache/qemu-version"
    fi
    ln -sfn "$target" "$output/qemu-system-x86_64"
}

main "$@"
