"""Turns compiled React drawing components back into SVG text.

Such a component is one expression of nested calls ``React.createElement(tag, attributes, child,
…)``. Only what drawings need is understood: literal attributes, nested calls, text, and the
``title ? … : null`` that icon tools put first, which is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

_COMPONENT = re.compile(r"const (\w+) = \w+ => \{")
_CALL = re.compile(r'React\.createElement\("(\w+)",\s*')
_SPACE = re.compile(r"(?:\s|,|/\*.*?\*/)*", re.DOTALL)
_KEY = re.compile(r'\s*(?:"([^"]+)"|(\w+)):\s*')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_WORD = re.compile(r"[-\w.]+")
_NAMES = {"className": "class", "xlinkHref": "xlink:href", "xmlnsXlink": "xmlns:xlink"}
_KEEP = {"viewBox", "preserveAspectRatio", "patternUnits", "patternTransform", "gradientUnits",
         "gradientTransform", "clipPathUnits", "patternContentUnits"}  # fmt: skip


class JsxError(ValueError):
    """The module holds something other than plain drawing calls."""


def svg_components(source: str) -> Iterator[tuple[str, str]]:
    """The drawing components of a module.

    Args:
        source: The JavaScript text.

    Yields:
        The component's name and its SVG text.

    Raises:
        JsxError: A component is no plain drawing.
    """
    for match in _COMPONENT.finditer(source):
        call = _CALL.search(source, match.end())
        if call is not None:
            yield match.group(1), _element(source, call.start())[0]


def _element(source: str, at: int) -> tuple[str, int]:
    """The SVG text of the call at a place, and the place after it."""
    match = _CALL.match(source, at)
    if match is None:
        raise JsxError(f"no drawing call at character {at}: {source[at : at + 40]!r}")
    tag, at = match.group(1), match.end()
    attributes, at = _attributes(source, at)
    children = []
    while True:
        at = _skip(source, at)
        if source[at] == ")":
            break
        child, at = _child(source, at)
        children.append(child)
    if tag == "svg" and "xmlns:xlink" not in attributes:
        attributes += ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"<{tag}{attributes}>{''.join(children)}</{tag}>", at + 1


def _child(source: str, at: int) -> tuple[str, int]:
    if source.startswith("title ?", at):
        return "", source.index(": null", at) + len(": null")
    if match := _STRING.match(source, at):
        return escape(_text(match.group())), match.end()
    return _element(source, at)


def _attributes(source: str, at: int) -> tuple[str, int]:
    """The attributes as XML, from ``{…}``, ``_extends({…}, props)`` or ``null``."""
    if source.startswith("null", at):
        return "", at + len("null")
    if source.startswith("_extends(", at):
        out, at = _object(source, at + len("_extends("))
        return out, source.index(")", at) + 1
    return _object(source, at)


def _object(source: str, at: int) -> tuple[str, int]:
    if source[at] != "{":
        raise JsxError(f"no attributes at character {at}: {source[at : at + 40]!r}")
    at += 1
    out = []
    while source[at := _skip(source, at)] != "}":
        key = _KEY.match(source, at)
        if key is None:
            raise JsxError(f"no attribute at character {at}: {source[at : at + 40]!r}")
        name, at = _attribute_name(key.group(1) or key.group(2)), key.end()
        if source[at] == "{":
            style, at = _object(source, at)
            pairs = re.findall(r'([-\w:]+)="([^"]*)"', style)
            out.append(f' style="{";".join(f"{k}:{v}" for k, v in pairs)}"')
        elif literal := _STRING.match(source, at):
            out.append(f" {name}={quoteattr(_text(literal.group()))}")
            at = literal.end()
        elif word := _WORD.match(source, at):
            if re.fullmatch(r"-?[\d.]+(e-?\d+)?", word.group()):
                out.append(f' {name}="{word.group()}"')
            at = word.end()
        else:
            raise JsxError(f"no value at character {at}: {source[at : at + 40]!r}")
    return "".join(out), at + 1


def _attribute_name(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    if name in _KEEP or "-" in name:
        return name
    return re.sub(r"[A-Z]", lambda m: "-" + m.group().lower(), name)


def _text(literal: str) -> str:
    if literal.startswith("'"):
        literal = '"' + literal[1:-1].replace('"', '\\"') + '"'
    return str(json.loads(literal))


def _skip(source: str, at: int) -> int:
    match = _SPACE.match(source, at)
    return match.end() if match else at
