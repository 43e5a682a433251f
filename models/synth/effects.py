"""What light, lens and sensor do to a picture (BGR, uint8 or float32)."""

from __future__ import annotations

import cv2
import numpy as np

from models.arrays import Float32, Picture


def light_field(width: int, height: int, rng: np.random.Generator) -> Float32:
    """Uneven coloured lighting, now and then with a hard shadow; height × width × 3."""
    n = int(rng.integers(2, 6))
    strength = rng.uniform(0, 0.45)
    low = 1 + rng.normal(0, strength / 2, (n, n, 1)) + rng.normal(0, strength * 0.08, (n, n, 3))
    field = cv2.resize(
        low.astype(np.float32), (width // 8, height // 8), interpolation=cv2.INTER_CUBIC
    )
    if rng.random() < 0.4:
        mask = np.zeros(field.shape[:2], np.float32)
        for _ in range(int(rng.integers(1, 4))):
            pts = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * [width // 8, height // 8]
            cv2.fillPoly(mask, [pts.astype(np.int32)], 1.0)
        soft = float(np.exp(rng.uniform(-0.7, 2.2)))
        mask = cv2.GaussianBlur(mask, (0, 0), soft)
        field = field * (1 - mask[..., None] * rng.uniform(0.2, 0.7))
    balance = np.exp(rng.normal(0, 0.12, 3))
    if rng.random() < 0.25:  # strong tungsten or cold light: blue falls or rises
        warm = rng.uniform(-0.35, 0.5)
        balance *= np.array([1 - warm, 1 - warm * 0.3, 1 + warm * 0.1])
    exposure = np.exp(rng.normal(0, 0.28))
    if rng.random() < 0.15:
        exposure *= rng.choice([0.18, 0.3, 0.45, 1.5, 1.8])
    field = np.clip(field, 0.08, 2.5) * (balance * exposure)
    return cv2.resize(field.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)


def add_glare(image: Float32, rng: np.random.Generator) -> None:
    """Add one to three blown-out reflections in place."""
    h, w = image.shape[:2]
    layer = np.zeros((h // 4, w // 4), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        centre = (int(rng.uniform(0, w // 4)), int(rng.uniform(0, h // 4)))
        axes = (int(np.exp(rng.uniform(1, 4.2))), int(np.exp(rng.uniform(1, 3.6))))
        cv2.ellipse(
            layer, centre, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(40, 230)), -1
        )
    layer = cv2.GaussianBlur(layer, (0, 0), float(rng.uniform(2, 14)))
    image += cv2.resize(layer, (w, h))[..., None]


def motion_kernel(length: float, angle: float) -> Float32:
    """A normalised line kernel of ``length`` pixels."""
    n = max(3, int(length) | 1)
    kernel = np.zeros((n, n), np.float32)
    c = n // 2
    d = np.array([np.cos(angle), np.sin(angle)]) * (length - 1) / 2
    a, b = (np.array([c, c]) - d) * 16, (np.array([c, c]) + d) * 16
    cv2.line(
        kernel,
        tuple(np.round(a).astype(int)),
        tuple(np.round(b).astype(int)),
        1.0,
        1,
        cv2.LINE_AA,
        4,
    )
    total = kernel.sum()
    if total <= 0:
        kernel[c, c] = total = 1.0
    return kernel / total


def blur(image: Float32, rng: np.random.Generator, index_px: float) -> Float32:
    """Defocus or motion, bounded by the smallest index so that a person could still read it."""
    roll = rng.random()
    limit = max(0.6, index_px * 0.16)
    if roll < 0.3:
        return cv2.GaussianBlur(
            image, (0, 0), float(rng.uniform(0.3, max(0.4, min(2.6, limit * 0.55))))
        )
    if roll < 0.48:
        length = rng.uniform(3, max(3.5, min(20, limit * 1.7)))
        return cv2.filter2D(image, -1, motion_kernel(length, rng.uniform(0, np.pi)))
    return image


def tone(image: Float32, rng: np.random.Generator) -> Float32:
    """Contrast, gamma and saturation, as a camera's processing does."""
    if rng.random() < 0.6:
        grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        keep = float(rng.uniform(0.45, 1.45))
        image = cv2.addWeighted(image, keep, grey, 1 - keep, 0)
    if rng.random() < 0.5:
        gamma = float(np.exp(rng.normal(0, 0.22)))
        np.clip(image, 0, 255, out=image)
        image = cv2.pow(image, gamma)
        image *= np.float32(255 ** (1 - gamma))
    if rng.random() < 0.3:
        image = (
            (image - 128) * np.float32(rng.uniform(0.6, 1.2)) + 128 + np.float32(rng.normal(0, 12))
        )
    return image


def sensor(image: Float32, rng: np.random.Generator) -> Picture:
    """Noise, sharpening, 8 bits and JPEG."""
    h, w = image.shape[:2]
    if rng.random() < 0.7:
        sigma = float(np.exp(rng.uniform(0, 2.8))) * 0.75
        grain = rng.standard_normal((h // 2, w // 2, 3), dtype=np.float32) * np.float32(sigma)
        fine = cv2.resize(
            grain,
            (w, h),
            interpolation=cv2.INTER_NEAREST if rng.random() < 0.5 else cv2.INTER_LINEAR,
        )
        image = image + fine
    if rng.random() < 0.25:
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        image = image + (image - soft) * np.float32(rng.uniform(0.3, 1.5))
    out = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.25:  # resampled on the way
        s = rng.uniform(0.55, 0.95)
        small = cv2.resize(out, (round(w * s), round(h * s)), interpolation=cv2.INTER_AREA)
        out = cv2.resize(
            small, (w, h), interpolation=cv2.INTER_LINEAR if rng.random() < 0.5 else cv2.INTER_CUBIC
        )
    return out
