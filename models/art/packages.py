"""Downloads packages with their ordinary clients and unpacks them without installing anything."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Literal

Registry = Literal["debian", "npm", "pypi"]
Say = Callable[[str], None]

_TIMEOUT_S = 900
_AT_ONCE = 4


class PackageError(Exception):
    """A package could not be had; the message says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package of a registry.

    Attributes:
        registry: Whose client fetches it.
        name: Its name there, for example ``gnome-cards-data`` or ``@letele/playing-cards``.
        parts: What it feeds: ``decks``, ``fonts``, ``backgrounds``, ``occluders``.
        keep: Patterns of the file names that are unpacked; empty for all.
    """

    registry: Registry
    name: str
    parts: frozenset[str]
    keep: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """The folder name under ``unpacked/``, unique over the registries."""
        return f"{self.registry}-{self.name.lstrip('@').replace('/', '-')}"


def load_packages(path: Path | None = None) -> tuple[Package, ...]:
    """Reads the list of packages that ``packages.toml`` names."""
    path = path or Path(__file__).with_name("packages.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Package(
            registry=group["registry"],
            name=name,
            parts=frozenset(group["parts"]),
            keep=tuple(group.get("keep", ())),
        )
        for group in data["group"]
        for name in group["packages"]
    )


def fetch_packages(packages: Iterable[Package], root: Path, *, say: Say) -> list[str]:
    """Downloads and unpacks what is not there yet, and goes on past what cannot be had.

    Args:
        packages: What to fetch.
        root: The cache folder; files go to ``download/`` and ``unpacked/`` under it.
        say: Told one line a package.

    Returns:
        A message for each package that could not be had.
    """
    todo = [p for p in packages if not (root / "unpacked" / p.folder / ".complete").is_file()]
    problems: list[str] = []
    if any(p.registry == "debian" for p in todo):
        _refresh_debian_lists(say)
    fetch = partial(_fetch, root=root)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for i, (package, outcome) in enumerate(zip(todo, pool.map(fetch, todo), strict=True), 1):
            if isinstance(outcome, str):
                problems.append(f"{package.registry} package {package.name}: {outcome}")
                say(f"[{i}/{len(todo)}] {problems[-1]}")
            else:
                say(f"[{i}/{len(todo)}] {package.registry} {package.name}: {outcome.name}")
    return problems


def _fetch(package: Package, root: Path) -> Path | str:
    """Downloads and unpacks one package; the archive, or why it could not be had."""
    try:
        archive = _download(package, root / "download" / package.folder)
        _unpack(archive, root / "unpacked" / package.folder, package.keep)
    except (PackageError, OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        return str(error)
    return archive


def _download(package: Package, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if found := _archives(folder):
        return found[0]
    command = {
        "debian": ["apt-get", "download", "-q", package.name],
        "npm": ["npm", "pack", "--silent", package.name],
        "pypi": [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--prefer-binary",
                 "--disable-pip-version-check", package.name],
    }[package.registry]  # fmt: skip
    _run(command, cwd=folder)
    if not (found := _archives(folder)):
        raise PackageError(f"`{' '.join(command)}` succeeded but left no file")
    return found[0]


def _archives(folder: Path) -> list[Path]:
    return sorted(
        p for p in folder.iterdir() if p.suffix in {".deb", ".tgz", ".whl", ".gz", ".zip"}
    )


def _refresh_debian_lists(say: Say) -> None:
    """Brings apt's lists up to date, where this user may; stale lists often do as well."""
    if shutil.which("apt-get") is None:
        return
    try:
        _run(["apt-get", "update", "-q"], cwd=Path.cwd())
    except PackageError as error:
        say(f"Debian's package lists could not be refreshed, so the old ones are used ({error})")


def _unpack(archive: Path, folder: Path, keep: tuple[str, ...] = ()) -> None:
    fresh = folder.with_name(folder.name + ".partial")
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.mkdir(parents=True)
    if archive.suffix == ".deb":
        _run(["dpkg", "-x", str(archive.resolve()), str(fresh.resolve())], cwd=fresh)
    elif archive.suffix in {".whl", ".zip"}:
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(fresh)  # noqa: S202 - zipfile keeps members inside
    else:
        with tarfile.open(archive) as tar:
            wanted = [m for m in tar if not keep or any(fnmatch(m.name, k) for k in keep)]
            tar.extractall(fresh, wanted, filter="data")
    (fresh / ".complete").touch()
    fresh.rename(folder)


def _run(command: list[str], *, cwd: Path) -> None:
    if shutil.which(command[0]) is None:
        raise PackageError(f"the program {command[0]} is not on this machine")
    try:
        done = subprocess.run(  # noqa: S603 - fixed commands, names from packages.toml
            command, cwd=cwd, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise PackageError(f"`{command[0]}` gave no result in {_TIMEOUT_S} s") from error
    if done.returncode != 0:
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise PackageError(f"`{' '.join(command)}` failed: {reason[-1] if reason else 'no reason'}")
