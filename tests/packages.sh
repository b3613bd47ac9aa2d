#!/usr/bin/env bash
# Tries the Debian packages that scripts/package made: tests/packages.sh [FOLDER]
#
# As root, with debootstrap and a network: installs the three with apt-get into a fresh Debian 12
# and there runs the program, looks at its manual page, and builds and runs consumers by CMake and by
# pkg-config. KARST_MIRROR is where Debian comes from. Takes minutes, so it is no test of ctest.
set -euo pipefail
root_of_source=$(cd "$(dirname "$0")/.." && pwd)
folder=$(cd "${1:-$root_of_source/build/package}" && pwd)
mirror=${KARST_MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM
root=$work/root

debs=("$folder"/karst_*.deb "$folder"/libkarst*.deb)
if ((${#debs[@]} != 3)); then
    echo "packages: $folder holds ${#debs[@]} packages, not 3; scripts/package makes them" >&2
    exit 1
fi
if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
    echo "packages: needs root and debootstrap" >&2
    exit 1
fi

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C \
    DEBIAN_FRONTEND=noninteractive "$@"; }

debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" >"$work/log" ||
    { tail -n 20 "$work/log" && exit 1; }
mkdir "$root/karst"
cp "${debs[@]}" "$root/karst"
inner=("${debs[@]/#*\///karst/}")
cp -r "$root_of_source/tests/install" "$root/karst/consumer"

echo "the program alone"
inside apt-get -q -q install --yes --no-install-recommends "${inner[0]}" >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" && exit 1; }
inside karst --version
inside karst cave --seed 7 --size 64x64 --device cpu --progress none -o /karst/cave.png
inside sh -c 'head -c 8 /karst/cave.png | od -c | head -n 1; test -s /usr/share/man/man1/karst.1*'

echo "the library"
inside apt-get -q -q install --yes --no-install-recommends "${inner[@]:1}" g++ cmake make \
    pkg-config >"$work/log" 2>&1 || { tail -n 20 "$work/log" && exit 1; }
# shellcheck disable=SC2016 # expanded inside
inside sh -ec 'g++ -std=c++20 /karst/consumer/main.cpp -o /karst/by_pkg_config \
    $(pkg-config --cflags --libs karst) && /karst/by_pkg_config
    cmake -S /karst/consumer -B /karst/build "-DCOMPONENTS=shared;c;tool" >/karst/log
    cmake --build /karst/build >>/karst/log && /karst/build/consumer && /karst/build/consumer_c
    ldd /karst/build/consumer | grep libkarst'

echo "gone again"
inside apt-get -q -q purge --yes karst "libkarst*" >"$work/log" 2>&1
if [[ -n $(find "$root/usr" -name '*karst*') ]]; then
    find "$root/usr" -name '*karst*'
    echo "packages: files stayed" >&2
    exit 1
fi
echo "packages: all right"
