"""From trained weights to the single-file ONNX networks that ship, with their manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from models.training.quantise import quantise
from models.training.run import Entry

OPSET = 17


def fold_input(first: nn.Conv2d) -> None:
    """Make a network trained on RGB 0 to 1 take BGR 0 to 255, by changing its first layer."""
    with torch.no_grad():
        first.weight.copy_(first.weight.flip(1) / 255.0)


def export(
    net: nn.Module,
    first: Sequence[nn.Conv2d],
    path: Path,
    *,
    size: tuple[int, int],
    dynamic: dict[int, str],
    views: int = 1,
    samples: Iterator[Tensor] | None = None,
) -> None:
    """Write ``net`` as one ONNX file whose input is float32 BGR, 0 to 255, n × 3·views × H × W.

    Args:
        net: In evaluation mode.
        first: Its first convolution, of each view one, changed while the file is written (see
            :func:`fold_input`). None of a network that was trained on that input.
        path: Where to write.
        size: Example height and width, pixels.
        dynamic: Input axes that may vary, with their names.
        views: How many pictures of one thing an input holds, their channels one after the other.
        samples: What it was trained on, a few hundred: see :func:`models.training.quantise`. None
            keeps weights in half precision and computes with them in full.
    """
    trained = [layer.weight.detach().clone() for layer in first]
    for layer in first:
        fold_input(layer)
    net.eval().to(memory_format=torch.contiguous_format)
    partial = path.with_suffix(".part")
    torch.onnx.export(
        net, (torch.zeros(1, 3 * views, *size),), str(partial), dynamo=False, opset_version=OPSET,
        input_names=["image"], output_names=["out"],
        dynamic_axes=dict.fromkeys(["image", "out"], dynamic),
    )  # fmt: skip
    # Left folded, the network would read nothing as it is, and export wrongly a second time.
    with torch.no_grad():
        for layer, weight in zip(first, trained, strict=True):
            layer.weight.copy_(weight)
    if samples is None:
        model = onnx.load(str(partial))
        keep_halves(model)
    else:
        quantise(partial, samples, partial)
        model = onnx.load(str(partial))
        keep_raw(model)
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


def keep_raw(model: onnx.ModelProto) -> None:
    """Keep all constants as raw bytes, so that one way of reading them is enough."""
    for weight in model.graph.initializer:
        values = onnx.numpy_helper.to_array(weight)
        weight.CopyFrom(onnx.numpy_helper.from_array(values, weight.name))


def write_manifest(folder: Path, entries: Mapping[str, Entry], made: Entry) -> None:
    """Write ``models.json`` (how to feed each network) and ``checksums.json`` (SHA-256).

    The glyph and suit lists travel here and not in the ONNX metadata because not every inference
    engine can read that.

    Args:
        folder: With a file NAME.onnx for each entry.
        entries: What is said of each network.
        made: How all of them were made.
    """
    models: dict[str, Entry] = {}
    sums: dict[str, str] = {}
    for name, entry in entries.items():
        file = f"{name}.onnx"
        blob = (folder / file).read_bytes()
        sums[file] = hashlib.sha256(blob).hexdigest()
        models[name] = {"file": file, "bytes": len(blob)} | entry
    text = json.dumps({"models": models, "made": made}, indent=1, ensure_ascii=False) + "\n"
    (folder / "models.json").write_text(text, encoding="utf-8")
    lines = json.dumps(sums, indent=2, sort_keys=True) + "\n"
    (folder / "checksums.json").write_text(lines, encoding="utf-8")
