"""`companion host` as people and scripts start it."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mobile.seats.hosting import Phone
from tests.mobile.seats.kills import process

BEGIN = ("--game", "gotcha", "--players", "Ann,Bo")


def failing(folder, *arguments):
    """What a `companion host` that does not start says; it ends with code 2."""
    command = [sys.executable, "-m", "companion", "host", *arguments]
    env = os.environ | {"COMPANION_DATA": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)
    assert done.returncode == 2, done
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def test_it_says_on_one_line_where_everything_is(tmp_path):
    with process(tmp_path, *BEGIN) as (_, found):
        assert set(found) == {"table", "seats", "camera", "fingerprint", "addresses"}
        (address,) = found["addresses"]
        assert {**address, "interface": ""} == {
            "interface": "",
            "address": "127.0.0.1",
            "kind": "loopback",
            "chosen": True,
        }
        assert set(found["seats"]) == {"Ann", "Bo"}
        assert len(found["fingerprint"].split()) == 2
        for url in (found["table"], *found["seats"].values(), found["camera"]):
            assert url.startswith("https://127.0.0.1:")
            assert len(url.partition("#")[2]) >= 22


def test_without_encryption_there_is_no_camera(tmp_path):
    with process(tmp_path, *BEGIN, "--no-https") as (_, found):
        assert found["camera"] is None
        assert found["table"].startswith("http://")


def test_the_words_stay_and_the_session_goes_on(tmp_path):
    with process(tmp_path, *BEGIN) as (_, first):
        pass
    with process(tmp_path, "--continue") as (_, again):
        assert again["fingerprint"] == first["fingerprint"]
        assert set(again["seats"]) == {"Ann", "Bo"}
    with process(tmp_path, "--continue", "1", "--no-https") as (_, again):
        assert again["fingerprint"] == first["fingerprint"]


def test_what_it_keeps_is_its_owners_alone(tmp_path):
    with process(tmp_path, *BEGIN, "--no-https") as (_, found):
        base = found["table"].rsplit("/", 1)[0]
        assert Phone(base, "seat/1").join(found["seats"]["Ann"])["answer"] == "done"
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Name a game"),
        (("--game", "chess", "--players", "Ann,Bo"), "chess"),
        ((*BEGIN, "--continue"), "Name a game"),
        (("--continue",), "no unfinished session"),
        (("--game", "gotcha", "--players", "Ann"), "players"),
        ((*BEGIN, "--option", "deal"), "NAME=VALUE"),
        ((*BEGIN, "--address", "192.0.2.1"), "--address"),
        ((*BEGIN, "--address", "no such name"), "--address"),
        ((*BEGIN, "--port", "70000"), "--port"),
        ((*BEGIN, "--address", "127.0.0.1", "--port", "0", "--source", "nowhere.mp4"), "nowhere"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_hosted_is_said_in_one_line(tmp_path, arguments, said):
    assert said in failing(tmp_path, *arguments)


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:  # and no session is begun in vain
        port = str(taken.getsockname()[1])
        line = failing(tmp_path, *BEGIN, "--address", "127.0.0.1", "--port", port)
    assert f"port {port}" in line
    assert "no unfinished session" in failing(tmp_path, "--continue")


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="no /proc here")
def test_no_connection_leaves_the_network(tmp_path):
    with process(tmp_path, *BEGIN, "--no-https", "--source", "demo") as (running, found):
        base = found["table"].rsplit("/", 1)[0]
        ann = Phone(base, "seat/1")
        assert ann.join(found["seats"]["Ann"])["answer"] == "done"
        with ann.events() as events:
            next(events)
            ann.post("/pad", {})
            ends = connections_of(running.pid)
        assert ends
        assert {end for pair in ends for end in pair} <= {"127.0.0.1", "0.0.0.0"}
        # It listens on the one address alone.
        assert [own for own, other in ends if other == "0.0.0.0"] == ["127.0.0.1"]


def connections_of(pid):
    """Both ends of every TCP and UDP connection of a process."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            name = str(link.readlink())
        except FileNotFoundError:
            continue  # closed meanwhile
        if name.startswith("socket:["):
            inodes.add(name[8:-1])
    found = []
    for kind in ("tcp", "udp", "tcp6", "udp6"):
        path = Path(f"/proc/{pid}/net/{kind}")
        for line in path.read_text("ascii").splitlines()[1:] if path.exists() else ():
            fields = line.split()
            if fields[9] in inodes:
                assert not kind.endswith("6"), line
                found.append((address_of(fields[1]), address_of(fields[2])))
    return found


def address_of(field):
    return socket.inet_ntoa(bytes.fromhex(field.split(":")[0])[::-1])


def test_it_starts_without_what_only_other_commands_need(tmp_path):
    code = (
        "import sys\n"
        "import mobile.seats.host\n"
        "print([name for name in ('kivy', 'cv2', 'onnxruntime', 'numpy') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout.replace("'", '"')) == []
