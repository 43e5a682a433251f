"""The Raspberry Pi's installation: what it says is missing, and what its service does."""

import configparser
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PI = ROOT / "mobile" / "pi"
EVERYTHING = {"python", "python3-venv", "python3-picamera2", "libgl1", "libgles2", "libgbm1"}


@pytest.fixture
def pi(tmp_path):
    """Runs the script on a machine that has the parts named, and no other commands than these."""
    tools = tmp_path / "tools"
    tools.mkdir()

    def run(parts, *arguments, machine="aarch64", **variables):
        lines = {
            "uname": f"echo {machine}",
            "dpkg": f'case " {" ".join(sorted(parts))} " in *" $2 "*) exit 0;; esac; exit 1',
            "python3": (
                'case "$*" in -V) echo Python 3.9.2;; '
                f"*version_info*) exit {int('python' not in parts)};; "
                f"*ensurepip*) exit {int('python3-venv' not in parts)};; "
                f"*picamera2*) exit {int('python3-picamera2' not in parts)};; "
                f'*) exec "{sys.executable}" "$@";; esac'
            ),
        }
        for name, line in lines.items():
            (tools / name).write_text(f"#!/bin/sh\n{line}\n")
            (tools / name).chmod(0o755)
        environment = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(tmp_path), **variables}
        return subprocess.run(
            ["/bin/sh", str(PI / "install.sh"), *arguments],
            env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return run


def commands(text):
    """The lines that can be pasted."""
    return [shlex.split(line) for line in text.splitlines() if line.startswith(("sudo ", "make "))]


def test_nothing_is_missing(pi):
    done = pi(EVERYTHING, "--check")
    assert done.returncode == 0
    assert commands(done.stderr) == [["make", "pi"]]


@pytest.mark.parametrize("missing", sorted(EVERYTHING - {"python"}))
def test_what_is_missing_fails_and_can_be_pasted(pi, missing):
    done = pi(EVERYTHING - {missing}, "--check")
    assert done.returncode == 1
    assert commands(done.stderr) == [["sudo", "apt", "install", missing]]


def test_everything_missing(pi):
    done = pi({"python"}, "--check")
    assert done.returncode == 1
    named = [word for line in commands(done.stderr) for word in line[3:]]
    assert set(named) == EVERYTHING - {"python"}


def test_an_old_python_is_told(pi):
    done = pi(EVERYTHING - {"python"}, "--check")
    assert done.returncode == 1
    assert "Python 3.9.2 is here" in done.stderr
    assert pi(EVERYTHING - {"python"}).returncode == 2


def test_another_machine_is_told(pi):
    done = pi(EVERYTHING, "--check", machine="x86_64")
    assert done.returncode == 2
    assert "make demo" in done.stderr


def test_one_environment_sees_the_systems_packages(pi, tmp_path):
    """One that was made before for the tests is used, with the system's packages in sight."""
    venv, units = tmp_path / "venv", tmp_path / "units"
    units.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    # pip and what it would install are stubs: this is about which environment is made.
    said = tmp_path / "said"
    (venv / "bin" / "python").unlink()
    for name in ("python", "companion"):
        (venv / "bin" / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {said}\n')
        (venv / "bin" / name).chmod(0o755)
    parts = EVERYTHING - {"python3-picamera2"}  # a warning, no more
    variables = {"COMPANION_VENV": str(venv), "COMPANION_UNITS": str(units)}
    done = pi(parts, **variables)
    assert done.returncode == 0, done.stderr
    assert "include-system-site-packages = true" in (venv / "pyvenv.cfg").read_text()
    assert "-m pip install" in said.read_text()
    unit = (units / "tabletop-companion.service").read_text()
    assert f"ExecStart={venv}/bin/companion app" in unit
    makefile = (ROOT / "Makefile").read_text()
    assert "\npi:\n\tsh mobile/pi/install.sh\n" in makefile


def test_the_service_gives_the_login_back():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(PI / "tabletop-companion.service", encoding="utf-8")
    login = "getty@tty1.service"
    assert unit["Unit"]["Conflicts"] == login
    assert unit["Unit"]["OnSuccess"] == unit["Unit"]["OnFailure"] == login
    # It restarts after a failure, so it must give up some time for the login to come back.
    assert unit["Service"]["Restart"] == "on-failure"
    pause, window = int(unit["Service"]["RestartSec"]), int(unit["Unit"]["StartLimitIntervalSec"])
    assert pause * int(unit["Unit"]["StartLimitBurst"]) < window / 2
