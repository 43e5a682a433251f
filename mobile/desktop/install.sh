#!/bin/sh
# Puts the app into the desktop's menu: sh mobile/desktop/install.sh [COMMAND]
# --remove takes it out again. Nothing outside the user's own folders is touched.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
share=${XDG_DATA_HOME:-$HOME/.local/share}
entry=$share/applications/tabletop-companion.desktop

if [ "${1:-}" = --remove ]; then
    rm -f "$entry"
    for size in 48 96 192 512; do
        rm -f "$share/icons/hicolor/${size}x${size}/apps/tabletop-companion.png"
    done
    exit 0
fi

command=${1:-$here/.venv/bin/companion}
[ -x "$command" ] || { printf '%s\n' "There is no $command: run make demo first." >&2; exit 2; }
mkdir -p "$share/applications"
sed "s|@COMMAND@|$command|g" "$here/mobile/desktop/tabletop-companion.desktop" > "$entry"
icons=$(mktemp -d)
(cd "$here" && "$(dirname "$command")/python" -m mobile.resources.icons "$icons")
for size in 48 96 192 512; do
    folder=$share/icons/hicolor/${size}x${size}/apps
    mkdir -p "$folder"
    cp "$icons/icon-$size.png" "$folder/tabletop-companion.png"
done
rm -rf "$icons"
printf '%s\n' "Installed: $entry"
