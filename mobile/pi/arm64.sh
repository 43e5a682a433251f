#!/bin/sh
# The same reads, and the app in a window, on a Raspberry Pi's processor, emulated: `make arm64`.
# Right for correctness, useless for speed. Needs Debian's qemu-user-static and debootstrap (which
# wants root, to fetch packages for another processor); nothing is installed outside build/arm64
# (about 1 GB). A chroot and binfmt are not needed: one Python process at a time is emulated.
# QEMU names another emulator: 7.2 (Debian 12) crashes in ONNX Runtime, 10 and 11 run it.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
root=${COMPANION_ARM64:-$here/build/arm64}
suite=${SUITE:-bookworm}
version=${ARM64_PYTHON:-3.11}
# A Pi 4's processor: the emulator's own default promises more than it can do.
cpu=${ARM64_CPU:-cortex-a72}
mirror=${MIRROR:-http://deb.debian.org/debian}
qemu=${QEMU:-qemu-aarch64-static}
# OpenGL by software, for the window.
packages=python3,libpython3-stdlib,libglib2.0-0,libstdc++6
packages=$packages,libgl1,libgles2,libegl1,libgbm1,libgl1-mesa-dri

say() { printf '%s\n' "$*" >&2; }

missing=
command -v "$qemu" >/dev/null || missing="$missing qemu-user-static"
command -v debootstrap >/dev/null || missing="$missing debootstrap"
if [ -n "$missing" ]; then
    say "Missing:$missing. Install them: sudo apt install$missing"
    exit 2
fi
[ -x "$here/.venv/bin/python" ] || { say "There is no .venv yet: run make test first."; exit 2; }

if [ ! -e "$root/.unpacked-2" ]; then
    [ "$(id -u)" = 0 ] || { say "debootstrap needs root: sudo make arm64"; exit 2; }
    say "Fetching Debian $suite for arm64 ..."
    mkdir -p "$root"
    debootstrap --arch=arm64 --foreign --variant=minbase \
        --include="$packages" \
        "$suite" "$root" "$mirror" >&2
    for package in "$root"/var/cache/apt/archives/*.deb; do
        dpkg-deb -x "$package" "$root"
    done
    touch "$root/.unpacked-2"
fi

site=$root/site-packages
if [ ! -e "$site/.made-2" ]; then
    say "Fetching the Python packages for aarch64 ..."
    "$here/.venv/bin/python" -m pip install -q --disable-pip-version-check --target "$site" \
        --only-binary=:all: --python-version "$version" --implementation cp \
        --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
        --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
        numpy onnxruntime opencv-python-headless cryptography platformdirs click rich "kivy<3"
    touch "$site/.made-2"
fi

cd "$here"
mkdir -p build
emulated() {
    ORT_DISABLE_TELEMETRY=1 PYTHONPATH="$here:$site" PYTHONHOME="$root/usr" \
        "$qemu" -cpu "$cpu" -L "$root" "$root/usr/bin/python$version" "$@"
}
if [ -z "${COMPANION_ENGINE:-}" ] && ! emulated -c 'import onnxruntime' 2>/dev/null; then
    say "ONNX Runtime does not start under $("$qemu" --version | head -n 1)."
    say "A newer one runs it (name it: QEMU=PATH make arm64). OpenCV runs the networks instead now."
    COMPANION_ENGINE=opencv
    export COMPANION_ENGINE
fi
.venv/bin/python -m mobile.pi.reads > build/reads-here.txt
say "Reading under emulation (minutes) ..."
emulated -c '
import platform, sys
print(platform.machine(), platform.python_version(), file=sys.stderr)
from mobile.pi.reads import main
sys.exit(main())' > build/reads-arm64.txt
if cmp -s build/reads-here.txt build/reads-arm64.txt; then
    say "arm64: the same reads ($(wc -w < build/reads-arm64.txt) words, ${COMPANION_ENGINE:-onnxruntime})."
else
    say "arm64: the reads differ:"
    diff build/reads-here.txt build/reads-arm64.txt >&2 || true
    exit 1
fi
emulated -m mobile.pi.opens build/arm64.png >&2 || { say "arm64: the app does not open."; exit 1; }
say "arm64: the app opens in a window (build/arm64.png)."
