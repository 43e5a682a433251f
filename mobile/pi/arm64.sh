#!/bin/sh
# The same reads on a Raspberry Pi's processor, emulated: `make arm64`. Right for correctness,
# useless for speed. Needs Debian's qemu-user-static and binfmt support, debootstrap and root
# (a chroot is entered); it says what is missing. Uses about 1.5 GB under build/arm64.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
root=${COMPANION_ARM64:-$here/build/arm64}
suite=${SUITE:-bookworm}
mirror=${MIRROR:-http://deb.debian.org/debian}

say() { printf '%s\n' "$*" >&2; }

missing=
command -v qemu-aarch64-static >/dev/null || missing="$missing qemu-user-static"
command -v debootstrap >/dev/null || missing="$missing debootstrap"
if [ -n "$missing" ]; then
    say "Missing:$missing. Install them: sudo apt install$missing binfmt-support"
    exit 2
fi
[ "$(id -u)" = 0 ] || { say "A chroot is entered, which needs root: sudo make arm64"; exit 2; }

if [ ! -e "$root/.made" ]; then
    say "Making a Debian $suite for arm64 in $root ..."
    mkdir -p "$root"
    debootstrap --arch=arm64 --foreign --variant=minbase \
        --include=python3,python3-venv,libgl1,libglib2.0-0,libgles2,ca-certificates \
        "$suite" "$root" "$mirror"
    cp "$(command -v qemu-aarch64-static)" "$root/usr/bin/"
    run="chroot $root"
    $run /bin/true 2>/dev/null || run="chroot $root /usr/bin/qemu-aarch64-static"
    if ! $run /bin/sh /debootstrap/debootstrap --second-stage; then
        say "The emulated system does not start: is binfmt for aarch64 registered?"
        say "Try: sudo apt install binfmt-support && sudo update-binfmts --enable qemu-aarch64"
        exit 2
    fi
    touch "$root/.made"
fi

mkdir -p "$root/companion"
tar -C "$here" --exclude=./build --exclude='./.venv*' --exclude=./.git -cf - . \
    | tar -C "$root/companion" -xf -
cp /etc/resolv.conf "$root/etc/resolv.conf"
# pip asks the package index that this machine is set to use.
for file in /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do
    [ -r "$file" ] && cp "$file" "$root/etc/pip.conf"
done

"$here/.venv/bin/python" -m mobile.pi.reads > "$here/build/reads-here.txt"
chroot "$root" /bin/sh -eu -c '
    cd /companion
    [ -x .venv/bin/python ] || python3 -m venv .venv
    .venv/bin/pip install -q --disable-pip-version-check -e .
    uname -m >&2
    .venv/bin/python -m mobile.pi.reads
' > "$here/build/reads-arm64.txt"
if cmp -s "$here/build/reads-here.txt" "$here/build/reads-arm64.txt"; then
    say "arm64: the same reads."
else
    say "arm64: the reads differ:"
    diff "$here/build/reads-here.txt" "$here/build/reads-arm64.txt" >&2 || true
    exit 1
fi
