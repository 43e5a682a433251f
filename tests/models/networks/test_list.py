"""Every network is a folder and a line of the list, and all of them ship."""

import ast
import json
from pathlib import Path

import pytest

MODELS = Path(__file__).parents[3] / "models"
FOLDERS = sorted(path.parent.name for path in (MODELS / "networks").glob("*/__init__.py"))


def listed():
    """The networks in `NETWORKS` of models/train.py, read without PyTorch."""
    tree = ast.parse((MODELS / "train.py").read_text("utf-8"))
    names = {
        alias.asname: node.module.split(".")[2]
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module.startswith("models.networks.")
        for alias in node.names
    }
    [networks] = [
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and node.target.id == "NETWORKS"
    ]
    return [names[element.id] for element in networks.elts]


def test_each_folder_is_listed_once():
    assert sorted(listed()) == FOLDERS


def test_what_ships_is_what_is_trained():
    assert {f"{name}.onnx" for name in FOLDERS} == {path.name for path in MODELS.glob("*.onnx")}
    shipped = json.loads((MODELS / "models.json").read_text("utf-8"))["models"]
    assert list(shipped) == listed()


@pytest.mark.parametrize("name", FOLDERS)
def test_each_folder_has_layers_samples_and_training(name):
    files = {path.name for path in (MODELS / "networks" / name).glob("*.py")}
    assert {"net.py", "samples.py", "train.py"} <= files
    train = (MODELS / "networks" / name / "train.py").read_text("utf-8")
    assert f'NETWORK = Network("{name}", ' in train
