#!/bin/sh
# Installs the app on a Raspberry Pi (64-bit OS, Python 3.11 to 3.13): `make pi`.
# --check only says what is missing: exit code 1 if something is, with the commands that install it.
# Without a desktop the app starts full screen at boot.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
venv=${COMPANION_VENV:-$here/.venv}
units=${COMPANION_UNITS:-/etc/systemd/system}
check=no
[ "${1:-}" = --check ] && check=yes

say() { printf '%s\n' "$*" >&2; }

machine=$(uname -m)
if [ "$machine" != aarch64 ] && [ "${COMPANION_ANY_MACHINE:-no}" != yes ]; then
    say "This is $machine, not a 64-bit Raspberry Pi OS (aarch64). On a desktop: make demo"
    exit 2
fi

python=good
packages=
if ! python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
    python=bad
    say "Python 3.11 to 3.13 is needed; $(python3 -V 2>/dev/null || echo 'no python3') is here." \
        "Raspberry Pi OS from Bookworm (2023) on brings it."
else
    python3 -c 'import ensurepip, venv' 2>/dev/null || packages="$packages python3-venv"
fi
for package in libgl1 libgles2 libgbm1; do
    dpkg -s "$package" >/dev/null 2>&1 || packages="$packages $package"
done
[ -z "$packages" ] || say "Missing. Install with:
sudo apt install$packages"
# The Pi camera's library comes from the system; wheels of it do not exist.
camera=good
if ! python3 -c 'import picamera2' 2>/dev/null; then
    camera=bad
    say "Missing for a Pi camera (a USB camera does not need it). Install with:
sudo apt install python3-picamera2"
fi
if [ $check = yes ]; then
    [ "$python$camera$packages" = goodgood ] || exit 1
    say "Nothing is missing. Install with:
make pi"
    exit 0
fi
[ "$python$packages" = good ] || exit 2

# One environment for everything, with the system's packages in sight: picamera2 is one of them.
[ -x "$venv/bin/python" ] || python3 -m venv --system-site-packages "$venv"
sed -i 's/^include-system-site-packages = false/include-system-site-packages = true/' \
    "$venv/pyvenv.cfg"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -e "$here[host]" || {
    say "The packages could not be installed (see above): is the network there?"
    exit 2
}
"$venv/bin/companion" doctor || true

if [ -n "${WAYLAND_DISPLAY:-}${DISPLAY:-}" ]; then
    sh "$here/mobile/desktop/install.sh" "$venv/bin/companion"
    say "Installed. Start it from the menu, or: $venv/bin/companion"
    exit 0
fi

user=${SUDO_USER:-$(id -un)}
unit=$(mktemp)
sed -e "s|@USER@|$user|g" -e "s|@COMMAND@|$venv/bin/companion|g" \
    "$here/mobile/pi/tabletop-companion.service" > "$unit"
if [ -w "$units" ]; then
    install -m 644 "$unit" "$units/tabletop-companion.service"
else
    sudo install -m 644 "$unit" "$units/tabletop-companion.service"
fi
rm -f "$unit"
if [ "$units" = /etc/systemd/system ] && [ -d /run/systemd/system ]; then
    sudo systemctl daemon-reload
    sudo systemctl enable --now tabletop-companion.service
    say "Installed: it starts full screen now and at every boot."
    say "Stop it: sudo systemctl disable --now tabletop-companion"
else
    say "Installed as $units/tabletop-companion.service; systemd does not run here."
fi
