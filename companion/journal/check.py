"""A check over a row: notices flipped bits and swapped rows, with or without any key."""

from __future__ import annotations

import hashlib

CHECK_BYTES = 16
Value = str | bytes | int | float | None


def check_of(*values: object) -> bytes:
    """A check over a row's values in order.

    Args:
        values: text, bytes, numbers or None; damage may bring any of them in any place.
    """
    digest = hashlib.sha256()
    for value in values:
        kind = type(value).__name__[0].encode()
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        data = data if isinstance(data, bytes) else repr(data).encode()
        digest.update(kind + len(data).to_bytes(8, "big") + data)
    return digest.digest()[:CHECK_BYTES]
