"""Colours, with their contrasts. Every pair that is used together is listed and tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

Rgba = tuple[float, float, float, float]


def rgba(code: str, alpha: float = 1.0) -> Rgba:
    """`#RRGGBB` as numbers from 0 to 1."""
    red, green, blue = (int(code[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue, alpha


def contrast(one: Rgba, other: Rgba) -> float:
    """Contrast ratio of two opaque colours, 1 to 21 (WCAG 2.1, relative luminance)."""

    def luminance(colour: Rgba) -> float:
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in colour[:3]]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one appearance.

    Attributes:
        ground: behind everything.
        surface: cards of the interface, bars.
        raised: buttons that are not the main one.
        muted: text of lesser weight.
        accent: the main button; what is highlighted.
        warn: what needs a look; always with a sign or words beside it.
        line: rims (three to one against `ground` and `surface`).
        danger: what destroys something; text on it is `over_danger`.
        felt: what the things of a game lie on.
        brass: whose turn it is, who won, what is certain.
    """

    ground: Rgba
    surface: Rgba
    raised: Rgba
    ink: Rgba
    muted: Rgba
    accent: Rgba
    over_accent: Rgba
    warn: Rgba
    line: Rgba
    danger: Rgba
    over_danger: Rgba
    felt: Rgba
    brass: Rgba


DARK = Palette(
    ground=rgba("#10171A"),
    surface=rgba("#1B252A"),
    raised=rgba("#2A383F"),
    ink=rgba("#F1F5F2"),
    muted=rgba("#B7C4C1"),
    accent=rgba("#7FDCAE"),
    over_accent=rgba("#05281A"),
    warn=rgba("#FFD27A"),
    line=rgba("#7C8E93"),
    danger=rgba("#FF8A80"),
    over_danger=rgba("#3A0603"),
    felt=rgba("#153B2B"),
    brass=rgba("#F2B84B"),
)
LIGHT = Palette(
    ground=rgba("#F2F5F1"),
    surface=rgba("#FFFFFF"),
    raised=rgba("#DFE7E1"),
    ink=rgba("#14201B"),
    muted=rgba("#46554F"),
    accent=rgba("#0B6343"),
    over_accent=rgba("#FFFFFF"),
    warn=rgba("#7A4700"),
    line=rgba("#6D7D76"),
    danger=rgba("#A4161A"),
    over_danger=rgba("#FFFFFF"),
    felt=rgba("#D5E8DB"),
    brass=rgba("#8F5E00"),
)
PALETTES = {"dark": DARK, "light": LIGHT}
#: The middle of the felt on pages, where a lamp hangs above it.
FELT_LIT = {"dark": rgba("#1B4A36"), "light": rgba("#E2F0E6")}

PAPER = rgba("#FBFAF4")
FOUR_COLOURS = {
    "S": rgba("#15181A"),
    "H": rgba("#B0121B"),
    "D": rgba("#0A4CA3"),
    "C": rgba("#0A6529"),
}
#: What is written on a small card of a notepad, by the kind of its suit.
INKS = {
    "black": rgba("#15181A"),
    "white": rgba("#15181A"),
    "red": rgba("#B0121B"),
    "sun": rgba("#B0121B"),
    "moon": rgba("#0A4CA3"),
    "crown": rgba("#7A4700"),
    "shield": rgba("#0A6529"),
    "dark": rgba("#F1F5F2"),
}
#: Small cards: a dark one, one's back, and how they are filled by their chance or when certain.
DARK_PAPER, BACK = rgba("#23292C"), rgba("#23425B")
FILL, DARK_FILL, CERTAIN, PART = (
    rgba("#B4E3CB"), rgba("#2F6B52"), rgba("#F2B84B"), rgba("#D9D5C8"),
)  # fmt: skip

#: Colours of people, told apart by eyes of every kind; what is written on them is `PLAYER_INK`.
PLAYERS = (
    rgba("#F2B84B"), rgba("#7FB2FF"), rgba("#E88FB4"), rgba("#7BCB8F"),
    rgba("#B79CF0"), rgba("#F08A5D"), rgba("#5CC6C6"), rgba("#C9B98F"),
)  # fmt: skip
#: Tints of the games' boxes, mixed into the ground of a panel by this share.
GAMES = (rgba("#3F6FB5"), rgba("#B5406B"), rgba("#5F8196"), rgba("#A5852C"), rgba("#7A5BB5"))
GAME_SHARE = 0.26
PLAYER_INK = rgba("#10171A")

#: Foreground and background fields that carry text (4.5 to 1).
TEXT_PAIRS = (
    ("ink", "ground"), ("ink", "surface"), ("ink", "raised"), ("muted", "ground"),
    ("muted", "surface"), ("over_accent", "accent"), ("accent", "ground"), ("accent", "surface"),
    ("warn", "ground"), ("warn", "surface"), ("warn", "raised"), ("over_danger", "danger"),
    ("ink", "felt"), ("muted", "felt"), ("accent", "felt"), ("warn", "felt"),
    ("ground", "brass"),
)  # fmt: skip
#: Rims and signs (3 to 1).
SIGN_PAIRS = (("line", "ground"), ("line", "surface"), ("line", "felt"))


def coded(colour: Rgba) -> str:
    """An opaque colour as `#rrggbb`."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour[:3])


def css() -> str:
    """The palettes as a page's variables, dark or light as its reader has it; players' colours.

    A player's colour is the ground and the filling of whatever has the class `seat0`, `seat1`, …
    """

    def root(name: str) -> str:
        palette = PALETTES[name]
        found = {field.name: getattr(palette, field.name) for field in fields(palette)}
        found |= {"paper": PAPER, "felt_lit": FELT_LIT[name]}
        names = ((name.replace("_", "-"), coded(colour)) for name, colour in found.items())
        return ":root{" + "".join(f"--{name}:{code};" for name, code in names) + "}"

    seats = (
        f".seat{k}{{background:{code};fill:{code}}}" for k, code in enumerate(map(coded, PLAYERS))
    )
    light = f"@media (prefers-color-scheme:light){{{root('light')}}}"
    return root("dark") + light + "".join(seats)


def mixed(colour: Sequence[float], other: Sequence[float], share: float) -> tuple[float, ...]:
    """A colour with a share of another one in it; how opaque it is stays."""
    own = (a + (b - a) * share for a, b in zip(colour[:3], other[:3], strict=True))
    return (*own, colour[3])
