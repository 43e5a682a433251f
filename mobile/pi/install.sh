#!/bin/sh
# Installs the app on a Raspberry Pi (64-bit OS, Python 3.11 to 3.13): `make pi`.
# --check only says what is missing. Without a desktop the app starts full screen at boot.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
venv=${COMPANION_VENV:-$here/.venv-pi}
units=${COMPANION_UNITS:-/etc/systemd/system}
check=no
[ "${1:-}" = --check ] && check=yes

say() { printf '%s\n' "$*" >&2; }

machine=$(uname -m)
if [ "$machine" != aarch64 ] && [ "${COMPANION_ANY_MACHINE:-no}" != yes ]; then
    say "This is $machine, not a 64-bit Raspberry Pi OS (aarch64). On a desktop: make demo"
    exit 2
fi

missing=
python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null \
    || missing="$missing python3(3.11-3.13)"
python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
# The Pi camera's library comes from the system; wheels of it do not exist.
python3 -c 'import picamera2' 2>/dev/null || missing="$missing python3-picamera2"
[ -e /usr/share/doc/libgl1 ] || missing="$missing libgl1"
[ -e /usr/share/doc/libgles2 ] || missing="$missing libgles2"
[ -e /usr/share/doc/libgbm1 ] || missing="$missing libgbm1"
if [ -n "$missing" ]; then
    say "Missing:$missing"
    say "Install them: sudo apt install$missing   (python3-picamera2 only for a Pi camera)"
    case $missing in *python3\(*|*python3-venv*) exit 2 ;; esac
fi
[ $check = yes ] && { say "Otherwise ready to install."; exit 0; }

# --system-site-packages: picamera2 is the system's.
[ -x "$venv/bin/python" ] || python3 -m venv --system-site-packages "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -e "$here" || {
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
if command -v systemctl >/dev/null && [ -d /run/systemd/system ]; then
    sudo systemctl daemon-reload
    sudo systemctl enable --now tabletop-companion.service
    say "Installed: it starts full screen now and at every boot."
    say "Stop it: sudo systemctl disable --now tabletop-companion"
else
    say "Installed as $units/tabletop-companion.service; systemd does not run here."
fi
