"""From trained weights to the single-file ONNX networks that ship, with their manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import nn

from models import labels

OPSET = 17
FILES = {
    "locator": "locator.onnx",
    "classifier": "classifier.onnx",
    "reviewer": "reviewer.onnx",
    "body": "body.onnx",
    "outliner": "outliner.onnx",
    "embedder": "embedder.onnx",
}


def fold_input(first: nn.Conv2d) -> None:
    """Make a network trained on RGB 0 to 1 take BGR 0 to 255, by changing its first layer."""
    with torch.no_grad():
        first.weight.copy_(first.weight.flip(1) / 255.0)


def export(
    net: nn.Module,
    first: nn.Conv2d | None,
    path: Path,
    *,
    height: int,
    width: int,
    dynamic: dict[int, str],
    outputs: Sequence[str] = ("out",),
    half: bool = False,
) -> None:
    """Write ``net`` as one ONNX file whose input is float32 BGR, 0 to 255, n × 3 × H × W.

    Args:
        net: In evaluation mode.
        first: Its first convolution, changed while the file is written (see :func:`fold_input`).
            None for a network that was trained on that input.
        path: Where to write.
        height: Example height, pixels.
        width: Example width, pixels.
        dynamic: Input axes that may vary, with their names.
        outputs: Names of the outputs, in order.
        half: Whether weights are kept in half precision; they are computed with in full.
    """
    trained = None if first is None else first.weight.detach().clone()
    if first is not None:
        fold_input(first)
    net.eval().to(memory_format=torch.contiguous_format)
    partial = path.with_suffix(".part")
    torch.onnx.export(
        net, (torch.zeros(1, 3, height, width),), str(partial), dynamo=False, opset_version=OPSET,
        input_names=["image"], output_names=list(outputs),
        dynamic_axes=dict.fromkeys(["image", *outputs], dynamic),
    )  # fmt: skip
    if first is not None and trained is not None:
        # Left folded, the network would read nothing as it is, and export wrongly a second time.
        with torch.no_grad():
            first.weight.copy_(trained)
    model = onnx.load(str(partial))
    if half:
        keep_halves(model)
    onnx.checker.check_model(model)
    onnx.save(model, str(path), save_as_external_data=False)
    partial.unlink()


def keep_halves(model: onnx.ModelProto) -> None:
    """Keep a network's weights in half precision, each with a cast to full before its use."""
    casts = []
    for weight in model.graph.initializer:
        if weight.data_type != onnx.TensorProto.FLOAT:
            continue
        values = onnx.numpy_helper.to_array(weight).astype(np.float16)
        name = f"{weight.name}.half"
        casts.append(
            onnx.helper.make_node("Cast", [name], [weight.name], to=onnx.TensorProto.FLOAT)
        )
        weight.CopyFrom(onnx.numpy_helper.from_array(values, name))
    nodes = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*casts, *nodes])


def write_manifest(
    folder: Path,
    notes: dict[str, Any],
    *,
    rank_spread: Sequence[float],
    body_prior: Sequence[float],
) -> None:
    """Write ``models.json`` (how to feed each network) and ``checksums.json`` (SHA-256).

    ``rank_spread`` is that of :class:`models.marks.Marks`, ``body_prior`` is
    :func:`models.body_patches.class_shares`.

    The glyph and suit lists travel here and not in the ONNX metadata because not every inference
    engine can read that.
    """
    entries: dict[str, dict[str, Any]] = {}
    sums: dict[str, str] = {}
    for name, file in FILES.items():
        if name == "embedder" and not (folder / file).exists():
            continue  # made by a stage of its own
        blob = (folder / file).read_bytes()
        sums[file] = hashlib.sha256(blob).hexdigest()
        entries[name] = {"file": file, "bytes": len(blob)}
    entries["locator"] |= {
        "input": "BGR float32 0..255, n x 3 x H x W, H and W multiples of 32",
        "output": "n x 6 x H/4 x W/4: heat logit, offset x, y, cos, sin, log(size / size_unit)",
        "stride": labels.LOCATOR_STRIDE,
        "size_unit": labels.SIZE_UNIT,
    }
    entries["classifier"] |= {
        "input": "BGR float32 0..255, n x 3 x 64 x 48, index upright and patch_index_height tall",
        "output": "out: n x (glyphs + suits) logits; marks and rank_marks: n x d, to compare suits "
        "and ranks of one picture",
        "glyphs": list(labels.GLYPHS),
        "suits": list(labels.SUITS),
        "patch": [labels.PATCH_WIDTH, labels.PATCH_HEIGHT],
        "patch_index_height": labels.PATCH_INDEX_HEIGHT,
        "rank_spread": [round(float(v), 2) for v in rank_spread],
    }
    entries["reviewer"] |= {
        "input": "the classifier's",
        "output": "n x (glyphs + suits) logits, the classifier's classes",
    }
    entries["body"] |= {
        "input": f"BGR float32 0..255, n x 3 x {labels.BODY_HEIGHT} x {labels.BODY_WIDTH}, index "
        "upright with its centre at the anchor, patch_index_height tall, painted over with grey "
        "128 so far to each side and up and down as hidden says",
        "output": "n x (bodies + suits) logits",
        "bodies": list(labels.BODIES),
        "suits": list(labels.SUITS[:-1]),
        "prior": [round(float(p), 4) for p in body_prior],
        "patch": [labels.BODY_WIDTH, labels.BODY_HEIGHT],
        "patch_index_height": labels.BODY_INDEX_HEIGHT,
        "anchor": list(labels.BODY_ANCHOR),
        "hidden": list(labels.BODY_HIDDEN),
    }
    entries["outliner"] |= {
        "input": f"BGR float32 0..255, n x 3 x {labels.OUTLINE_HEIGHT} x {labels.OUTLINE_WIDTH}, a "
        "card stretched so that it fills the inner part if it lies where it is thought to",
        "output": "n x (8 + 4 + kinds): steps of the corners in widths of the inner part, logs of "
        "half how far off they usually are, logits of the kinds",
        "patch": [labels.OUTLINE_WIDTH, labels.OUTLINE_HEIGHT],
        "inner": labels.OUTLINE_INNER,
        "kinds": list(labels.OUTLINE_KINDS),
    }
    if "embedder" in entries:
        side = labels.EMBEDDER_SIDE
        entries["embedder"] |= {
            "input": f"BGR float32 0..255, n x 3 x {side} x {side}, a piece stretched to it",
            "output": "n unit vectors; a dot product says how alike two pieces look",
        }
    text = json.dumps({"models": entries, "made": notes}, indent=1, ensure_ascii=False) + "\n"
    (folder / "models.json").write_text(text, encoding="utf-8")
    lines = json.dumps(sums, indent=2, sort_keys=True) + "\n"
    (folder / "checksums.json").write_text(lines, encoding="utf-8")
