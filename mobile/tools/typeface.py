"""Makes the one typeface: `python -m mobile.tools.typeface PLEX NOTO` writes its files anew.

PLEX is the variable roman of IBM Plex Sans (npm: `@ibm/plex-sans-variable`), NOTO the folder of
Noto's fonts (Debian: `fonts-noto-core`). A label of Kivy has one file and nothing to fall back to,
so Noto's suits, arrows and signs are put in among Plex's letters. The result needs a name of its
own: Plex's is reserved. The pages get a part of it, as WOFF2.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FONTS = ROOT / "mobile" / "resources" / "fonts"
FAMILY = "Companion Sans"
#: Style → weight of Plex.
STYLES = {"Regular": 400, "Bold": 700}
#: Noto's files, the first that has a sign gives it.
_SIGNS = ("Symbols2-Regular", "Symbols-Regular", "Math-Regular")
#: Arrows, geometric shapes, miscellaneous symbols, dingbats; and two that stand elsewhere.
_BLOCKS = (range(0x2190, 0x2200), range(0x25A0, 0x27C0), (ord("≡"), ord("⌫")))
#: Units of an em, 1,000 in Plex: letters are 4 % larger, as wide and high as the ones before.
_EM = 960
#: Ascent and descent, shares of an em; Plex's own would make each line an eighth higher.
_ASCENT, _DESCENT = 0.928, 0.236
#: Noto draws signs larger than letters.
_SIGN = 0.9
#: What the pages need beside the signs in their texts: names and sentences in Latin letters.
_LATIN = (range(0x20, 0x7F), range(0xA0, 0x180), range(0x2010, 0x2027), (0x2039, 0x203A, 0x20AC))
#: Files whose texts people read.
_READ = ("*.py", "*.kv", "*.html", "*.js", "*.css", "*.po")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("plex", type=Path, help="IBM Plex Sans Var-Roman.ttf")
    parser.add_argument("noto", type=Path, help="the folder with NotoSansSymbols2-Regular.ttf")
    given = parser.parse_args()
    for style, weight in STYLES.items():
        font = _letters(given.plex, weight)
        _add_signs(font, given.noto)
        _rename(font, style, weight)
        font.save(FONTS / f"CompanionSans-{style}.ttf")
        _part(font, [*_each(_LATIN), *map(ord, signs())])
        font.flavor = "woff2"
        font.save(FONTS / f"companion-{style.lower()}.woff2")
    return 0


def signs() -> str:
    """Every sign and foreign letter that a source or a catalogue has, each once."""
    rooms = ("companion", "vision", "calibration", "mobile")
    files = {path for room in rooms for kind in _READ for path in (ROOT / room).rglob(kind)}
    read = {sign for path in sorted(files) for sign in path.read_text("utf-8")}
    return "".join(sorted(sign for sign in read if "\u0370" <= sign < "\ufff0"))


def _each(blocks: Iterable[Iterable[int]]) -> list[int]:
    return [code for block in blocks for code in block]


def _letters(plex: Path, weight: int) -> Any:
    """Plex at one weight, with its kerning; stylistic alternates and small figures are left out."""
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    font = instantiateVariableFont(TTFont(plex), {"wght": weight, "wdth": 100})
    _part(font, font.getBestCmap())
    font["head"].unitsPerEm = _EM
    up, down = round(_ASCENT * _EM), round(_DESCENT * _EM)
    font["hhea"].ascent, font["hhea"].descent, font["hhea"].lineGap = up, -down, 0
    os2 = font["OS/2"]
    os2.sTypoAscender, os2.sTypoDescender, os2.sTypoLineGap = up, -down, 0
    os2.usWinAscent, os2.usWinDescent = up, down
    return font


def _part(font: Any, codes: Iterable[int]) -> None:
    from fontTools.subset import Options, Subsetter

    options = Options(layout_features=["kern", "mark", "mkmk", "ccmp"], name_languages=["*"])
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 8, 9, 13, 14]
    options.notdef_outline = True
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=list(codes))
    subsetter.subset(font)


def _add_signs(font: Any, noto: Path) -> None:
    """Draws into a font the signs that it lacks; Plex's few arrows and ticks give way too."""
    from fontTools.pens.recordingPen import DecomposingRecordingPen
    from fontTools.pens.transformPen import TransformPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen
    from fontTools.ttLib import TTFont

    wanted = set(_each(_BLOCKS))
    for name in _SIGNS:
        source = TTFont(noto / f"NotoSans{name}.ttf")
        scale = _SIGN * _EM / source["head"].unitsPerEm
        glyphs, known = source.getGlyphSet(), source.getBestCmap()
        for code in sorted(wanted & set(known)):
            recording, pen = DecomposingRecordingPen(glyphs), TTGlyphPen(None)
            glyphs[known[code]].draw(recording)
            recording.replay(TransformPen(pen, (scale, 0, 0, scale, 0, 0)))
            sign, glyph = f"sign{code:04X}", pen.glyph(dropImpliedOnCurves=False)
            font["glyf"][sign] = glyph
            glyph.recalcBounds(font["glyf"])
            font["hmtx"][sign] = (round(glyphs[known[code]].width * scale), glyph.xMin)
            for table in font["cmap"].tables:
                if table.isUnicode():
                    table.cmap[code] = sign
        wanted -= set(known)


def _rename(font: Any, style: str, weight: int) -> None:
    names = font["name"]
    copyright_ = (
        "Copyright 2019 IBM Corp. (letters); Copyright 2016-2018 Google LLC (signs, from Noto)."
    )
    said = {
        0: copyright_,
        1: FAMILY,
        2: style,
        3: f"{FAMILY} {style}",
        4: f"{FAMILY} {style}",
        6: f"CompanionSans-{style}",
    }
    for record in list(names.names):
        if record.nameID in said or record.nameID > 14:
            names.removeNames(record.nameID)
    for number, text in said.items():
        names.setName(text, number, 3, 1, 0x409)
    bold = style == "Bold"
    font["OS/2"].usWeightClass = weight
    font["OS/2"].fsSelection = 0x20 if bold else 0x40
    font["head"].macStyle = int(bold)
    for table in ("STAT", "DSIG"):
        if table in font:
            del font[table]


if __name__ == "__main__":
    sys.exit(main())
