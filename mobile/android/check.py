"""Checks that the Android package can be built: `make android-check`.

Without an Android SDK nothing can be compiled here, but python-for-android's own recipe graph tells
whether every native part has a recipe and nothing is left to pip that a phone could not build. The
tools get an environment of their own, because they bring other versions of common packages.
"""

from __future__ import annotations

import configparser
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from mobile.android import stage

ROOT = Path(__file__).parents[2]
SPEC = Path(__file__).with_name("buildozer.spec")
TOOLS = ROOT / ".venv-android"
NEEDED = ("python-for-android==2026.5.9",)
#: Must be built by recipes: pip would look for wheels that do not exist.
NATIVE = frozenset({"python3", "kivy", "numpy", "opencv", "pyjnius", "cryptography", "sqlite3"})
#: Plain Python, which pip may bring; Kivy asks for most of it.
PURE = frozenset(
    {
        "platformdirs",
        "six",
        "filetype",
        "requests",
        "certifi",
        "chardet",
        "idna",
        "urllib3",
        "plyer",
    }
)
_GRAPH = """
import json, os, sys
from pythonforandroid.bootstrap import Bootstrap
from pythonforandroid.build import Context
from pythonforandroid.graph import get_recipe_order_and_bootstrap
from pythonforandroid.recipe import Recipe
names = []
for wanted in sys.argv[2].split(","):
    name, _, version = wanted.strip().partition("==")
    if version:
        os.environ["VERSION_" + name] = version
    names.append(name)
context = Context()
context.set_archs([sys.argv[3]])
order, modules, bootstrap = get_recipe_order_and_bootstrap(
    context, names, Bootstrap.get_bootstrap("sdl2", context))
versions = {name: str(Recipe.get_recipe(name, context).version) for name in order}
with open(sys.argv[1], "w") as out:
    json.dump({"recipes": order, "modules": modules, "bootstrap": bootstrap.name,
               "versions": versions}, out)
"""


def main() -> int:
    """The command line: prints what was found; 0 where the package can be built."""
    try:
        spec = read_spec(SPEC)
        graph = recipe_graph(spec["requirements"], spec["android.archs"])
    except CompanionError as error:
        print(f"android-check: {error.message}", file=sys.stderr)
        return 2
    problems = faults(spec, graph)
    versions = graph["versions"]
    print("recipes:", ", ".join(f"{name} {versions[name]}" for name in graph["recipes"]))
    print("by pip (plain Python):", ", ".join(graph["modules"]))
    print("gradle:", spec["android.gradle_dependencies"])
    with tempfile.TemporaryDirectory() as folder:
        staged = stage.stage(Path(folder))
        size = sum(path.stat().st_size for path in staged.rglob("*") if path.is_file())
        problems += missing_files(staged)
        print(f"staged: {size / 1e6:.1f} MB")
    for problem in problems:
        print(f"android-check: {problem}", file=sys.stderr)
    if not problems:
        print("android-check: the spec and its recipe graph are in order.")
    return 2 if problems else 0


def read_spec(path: Path) -> dict[str, str]:
    """The `[app]` part of a buildozer.spec."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(path, encoding="utf-8")
    return dict(parser["app"])


def faults(spec: dict[str, str], graph: dict[str, Any]) -> list[str]:
    """What is wrong with a spec and the graph that follows from it."""
    found = []
    recipes, modules = set(map(str, graph["recipes"])), set(map(str, graph["modules"]))
    missing = NATIVE - recipes
    if missing:
        found.append(f"no recipe builds {', '.join(sorted(missing))}")
    native = modules - PURE
    if native:
        found.append(f"left to pip, and not known to be plain Python: {', '.join(sorted(native))}")
    if "onnxruntime-android" not in spec.get("android.gradle_dependencies", ""):
        found.append("ONNX Runtime's Android library is not among the gradle dependencies")
    if spec.get("android.permissions", "") != "CAMERA":
        found.append("the app asks for the camera, and for nothing else")
    return found


def missing_files(staged: Path) -> list[str]:
    """What the staged copy lacks."""
    wanted = ["main.py", "buildozer.spec", "icon.png", "splash.png", "mobile/app.py"]
    wanted += ["companion/registry.py", "vision/read.py", "models/models.json"]
    return [f"{name} is not staged" for name in wanted if not (staged / name).is_file()]


def recipe_graph(requirements: str, arch: str) -> dict[str, Any]:
    """python-for-android's order of recipes.

    Raises:
        CompanionError: its tools cannot be installed, or it finds no way to build this.
    """
    python = _tools()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "graph.json"
        command = [str(python), "-c", _GRAPH, str(out), requirements, arch]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if ran.returncode or not out.exists():
            last = (ran.stderr or ran.stdout).strip().splitlines() or ["it gave no reason"]
            raise CompanionError(f"python-for-android finds no way to build it: {last[-1]}")
        graph: dict[str, Any] = json.loads(out.read_text("utf-8"))
        return graph


def _tools() -> Path:
    """The Python of the tools' own environment, made where it is missing."""
    python = TOOLS / "bin" / "python"
    stamp = TOOLS / ".stamp"
    if stamp.exists() and stamp.read_text("utf-8") == str(NEEDED):
        return python
    steps = (
        [sys.executable, "-m", "venv", str(TOOLS)],
        [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *NEEDED],
    )
    for step in steps:
        if subprocess.run(step, check=False).returncode:  # noqa: S603 - our own commands
            raise CompanionError("python-for-android cannot be installed: is the network there?")
    stamp.write_text(str(NEEDED), encoding="utf-8")
    return python


if __name__ == "__main__":
    sys.exit(main())
