"""Checks that the Android package can be built: `make android-check`.

Without an Android SDK nothing can be compiled here, but python-for-android's own recipe graph tells
whether every native part has a recipe and nothing is left to pip that a phone could not build, and
buildozer itself reads the spec and gathers the files that would be packed. The tools get an
environment of their own, because they bring other versions of common packages.
"""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from companion import __version__
from companion.errors import CompanionError
from mobile.android import stage

ROOT = Path(__file__).parents[2]
SPEC = Path(__file__).with_name("buildozer.spec")
TOOLS = ROOT / ".venv-android"
NEEDED = ("python-for-android==2026.5.9", "buildozer==1.6.0")
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
        "starlette",
        "uvicorn",
        "segno",
        "ifaddr",
        "jinja2",
        "markupsafe",
        "anyio",
        "h11",
        "click",
        "typing-extensions",
    }
)
#: What the app may do: see, serve pages on the local network, keep its Wi-Fi awake meanwhile.
PERMISSIONS = frozenset({"CAMERA", "INTERNET", "WAKE_LOCK"})
#: How packages ask what they are installed on.
_PHONE = {
    "python_version": "3.14",
    "python_full_version": "3.14.2",
    "sys_platform": "android",
    "platform_system": "Android",
    "os_name": "posix",
}
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

_GATHER = """
import json, os, sys
from buildozer import Buildozer
os.chdir(sys.argv[2])
buildozer = Buildozer("buildozer.spec", "android")
buildozer._copy_application_sources()
packed = []
for root, _, files in os.walk(buildozer.app_dir):
    packed += [os.path.relpath(os.path.join(root, name), buildozer.app_dir) for name in files]
config = buildozer.config
with open(sys.argv[1], "w") as out:
    json.dump({"packed": packed, "version": buildozer.get_version(),
               "allow_backup": config.getbooldefault("app", "android.allow_backup", True)}, out)
"""
#: Folders of the app's own files that Android's backup rules must leave out.
PRIVATE_DOMAINS = frozenset({"root", "file", "database", "sharedpref", "external"})
#: What buildozer itself keeps beside the staged files.
BUILD_FOLDERS = ("bin/", ".buildozer/")
_ATTRIBUTE = 'android:dataExtractionRules="@xml/{}"'


def main() -> int:
    """The command line: prints what was found; 0 where the package can be built."""
    try:
        spec = read_spec(SPEC)
        wanted = spec["requirements"], spec["android.archs"]
        graph = _by_tools(_GRAPH, wanted, "python-for-android finds no way to build it")
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
        problems += missing_files(staged) + backup_faults(spec, staged)
        print(f"staged: {size / 1e6:.1f} MB")
        try:
            gathered = _by_tools(_GATHER, (str(staged),), "buildozer does not take the spec")
        except CompanionError as error:
            print(f"android-check: {error.message}", file=sys.stderr)
            return 2
        problems += packing_faults(staged, gathered)
        print(f"buildozer would pack {len(gathered['packed'])} files")
    for problem in problems:
        print(f"android-check: {problem}", file=sys.stderr)
    if not problems:
        print("android-check: the spec, its recipe graph and what is packed are in order.")
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
    if frozenset(spec.get("android.permissions", "").split(",")) != PERMISSIONS:
        found.append(f"the app may ask for {', '.join(sorted(PERMISSIONS))}, and for nothing else")
    unnamed = needed_for_hosting() - modules - recipes
    if unnamed:
        found.append(f"pages for phones need {', '.join(sorted(unnamed))}, which nothing brings")
    return found


def needed_for_hosting() -> frozenset[str]:
    """What the extra `host` needs on Android, down to the last package.

    The build takes packages by their names alone where it cannot resolve them by itself.

    Raises:
        CompanionError: the extra is not installed here, so that nothing can be told.
    """
    waiting, found = (
        sorted(_needs("tabletop-companion", "host") - _needs("tabletop-companion")),
        {""},
    )
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _needs(name)
    return frozenset(found - {""})


def _needs(package: str, extra: str = "") -> set[str]:
    """Names of what a package that is installed here needs under Android's Python."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    try:
        needs = [Requirement(text) for text in metadata.requires(package) or ()]
    except metadata.PackageNotFoundError as error:
        raise CompanionError(f"{package} is not installed here: make .venv first.") from error
    there = _PHONE | {"extra": extra}
    return {
        canonicalize_name(need.name)
        for need in needs
        if need.marker is None or need.marker.evaluate(there)
    }


def missing_files(staged: Path) -> list[str]:
    """What the staged copy lacks."""
    wanted = ["main.py", "buildozer.spec", "icon.png", "splash.png", "mobile/app.py"]
    wanted += ["companion/core/registry.py", "vision/reader.py", "models/models.json"]
    wanted += ["mobile/seats/static/seat.js", "mobile/seats/templates/seat.html"]
    wanted += ["res/backup_rules.xml", "res/data_extraction_rules.xml"]
    return [f"{name} is not staged" for name in wanted if not (staged / name).is_file()]


def backup_faults(spec: dict[str, str], staged: Path) -> list[str]:
    """By which road the journal or its keys could leave the device in a backup of Android's."""
    found = []
    old = staged / spec.get("android.backup_rules", "-")
    new = staged / spec.get("android.res_xml", "-")
    arguments = staged / spec.get("android.extra_manifest_application_arguments", "-")
    wanted = _ATTRIBUTE.format(new.stem)
    if not arguments.is_file() or wanted not in arguments.read_text("utf-8"):
        found.append(f"the manifest does not get {wanted}")
    for path, parts in ((old, (".",)), (new, ("cloud-backup", "device-transfer"))):
        if not path.is_file():
            found.append(f"{path.name} is not staged")
            continue
        tree = ET.parse(path)  # noqa: S314 - our own file
        for part in parts:
            left_out = {rule.get("domain") for rule in tree.findall(f"{part}/exclude[@path='.']")}
            open_roads = PRIVATE_DOMAINS - left_out
            if open_roads or tree.findall(f"{part}/include"):
                found.append(f"{path.name} lets out {', '.join(sorted(open_roads)) or part}")
    return found


def packing_faults(staged: Path, gathered: dict[str, Any]) -> list[str]:
    """What is wrong with the spec as buildozer reads it, and what would miss on the phone."""
    found = []
    if gathered["allow_backup"]:
        found.append("android.allow_backup is not off")
    if gathered["version"] != __version__:
        found.append(f"the spec says version {gathered['version']}, the package {__version__}")
    packed = set(gathered["packed"])
    files = [path.relative_to(staged) for path in staged.rglob("*") if path.is_file()]
    left = sorted(str(file) for file in files if str(file) not in packed)
    left = [name for name in left if not name.startswith(BUILD_FOLDERS)]
    return found + [f"{name} would not be packed" for name in left]


def _by_tools(script: str, arguments: Sequence[str], trouble: str) -> dict[str, Any]:
    """Runs a script in the tools' environment and returns the JSON that it writes.

    Raises:
        CompanionError: its tools cannot be installed, or the script fails.
    """
    python = _tools()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answer.json"
        command = [str(python), "-c", script, str(out), *arguments]
        # Both tools keep things in the home folder.
        environment = os.environ | {"HOME": folder}
        ran = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=False, env=environment
        )
        if ran.returncode or not out.exists():
            said = f"{ran.stdout}\n{ran.stderr}".strip().splitlines() or ["it gave no reason"]
            raise CompanionError(f"{trouble}: {said[-1]}")
        answer: dict[str, Any] = json.loads(out.read_text("utf-8"))
        return answer


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
            raise CompanionError(
                "python-for-android and buildozer cannot be installed: is the network there?"
            )
    stamp.write_text(str(NEEDED), encoding="utf-8")
    return python


if __name__ == "__main__":
    sys.exit(main())
