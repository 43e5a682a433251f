"""Entropy of weighted alternatives, in bits."""

from __future__ import annotations

from collections.abc import Iterable
from math import log2


def entropy(weights: Iterable[float]) -> float:
    """Shannon entropy of a distribution given by non-negative weights, in bits.

    Weights need not sum to 1; those that are 0 are ignored; no weight at all gives 0.

    >>> entropy([1, 1, 2])
    1.5
    """
    positive = [weight for weight in weights if weight > 0]
    total = sum(positive)
    if not total:
        return 0.0
    return max(0.0, sum(w / total * log2(total / w) for w in positive))
