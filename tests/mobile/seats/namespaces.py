"""Networks that a test makes for itself: a host and phones in network namespaces of their own.

Nothing that is sent there can leave: a namespace has its own interfaces, and these end in each
other. A namespace is entered by `nsenter`, its interfaces are made by `ip`.
"""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import cache

import pytest

from tests.mobile.seats.kills import let_children_be_interrupted

TIMEOUT = 30


@cache
def why_not():
    """What keeps a test from making networks; empty where nothing does."""
    for tool in ("ip", "unshare", "nsenter"):
        if shutil.which(tool) is None:
            return f"no {tool} here: install iproute2 and util-linux"
    try:
        with Space() as one, Space() as other:
            one.cable("eth0", other, "eth0")
    except (subprocess.CalledProcessError, OSError) as error:
        return f"no network namespaces here: {error}"
    return ""


def needs_namespaces():
    """Marks a test that makes networks."""
    return pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")


class Space:
    """A device with a network stack of its own, which lives as long as its `with`."""

    def __enter__(self):
        # It must be known when the namespace is there: `cat` ends with its input, and so with us.
        self._holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo ready; exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if self._holder.stdout.readline() != "ready\n":
            _, said = self._holder.communicate(timeout=TIMEOUT)
            raise OSError(said.strip())
        self.ip("link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        self._holder.stdin.close()
        self._holder.wait(TIMEOUT)

    def inside(self, *command):
        """A command as it is run inside."""
        return ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net", *command]

    def ip(self, *arguments):
        """Sets something up by `ip`."""
        command = self.inside("ip", *arguments)
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT)

    def cable(self, name, other, far):
        """A cable to another device; each end has its name."""
        pair = ["ip", "link", "add", name, "type", "veth", "peer", "name", far]
        self.ip(*pair[1:], "netns", str(other._holder.pid))
        self.ip("link", "set", name, "up")
        other.ip("link", "set", far, "up")

    def address(self, name, *addresses):
        """Gives an interface addresses."""
        for one in addresses:
            self.ip("address", "add", one, "dev", name, *(["nodad"] if ":" in one else []))

    def tunnel(self, name, address):
        """A VPN's tunnel through which everything goes."""
        self.ip("tuntap", "add", "dev", name, "mode", "tun")
        self.ip("link", "set", name, "up")
        self.address(name, address)

    def run(self, code, *arguments):
        """Runs Python inside; what it prints is read as JSON."""
        done = subprocess.run(
            self.inside(sys.executable, "-c", code, *arguments),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@contextmanager
def spaces(number):
    """Devices that have nothing to do with each other yet."""
    with ExitStack() as stack:
        yield tuple(stack.enter_context(Space()) for _ in range(number))


class Hosted:
    """A `companion host --json` inside a namespace.

    Attributes:
        said: every line that it printed so far.
    """

    def __init__(self, running):
        self._running, self.said = running, []

    def next(self):
        """What it prints next: it does when it is ready, and when its addresses have changed."""
        ready, _, _ = select.select([self._running.stdout], [], [], TIMEOUT)
        assert ready, "it says nothing"
        self.said.append(json.loads(self._running.stdout.readline()))
        return self.said[-1]

    def warned(self):
        """The next line of what it says to people."""
        ready, _, _ = select.select([self._running.stderr], [], [], TIMEOUT)
        assert ready, "it says nothing"
        return self._running.stderr.readline()

    def is_running(self):
        return self._running.poll() is None


def command(*arguments):
    return [sys.executable, "-m", "companion", "host", "--json", *arguments]


BEGIN = ("--game", "gotcha", "--players", "Ann,Bo")


@contextmanager
def host(space, folder, *arguments):
    """Hosts in a namespace, with no address named."""
    let_children_be_interrupted()
    running = subprocess.Popen(
        space.inside(*command(*BEGIN, *arguments)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"COMPANION_DATA": str(folder)},
    )
    hosted = Hosted(running)
    try:
        hosted.next()
        yield hosted
    finally:
        if running.poll() is None:
            running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=TIMEOUT)
        assert b"Traceback" not in said, said.decode()


@contextmanager
def terminal(space, folder):
    """Hosts in a namespace at a terminal; what is yielded types and reads on up to some words."""
    let_children_be_interrupted()
    own, theirs = pty.openpty()
    running = subprocess.Popen(
        space.inside(*[word for word in command(*BEGIN) if word != "--json"]),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"COMPANION_DATA": str(folder), "NO_COLOR": "1"},
    )
    os.close(theirs)
    kept = ""

    def typed(text, until="Ctrl-C ends."):
        nonlocal kept
        os.write(own, text.encode())
        while until not in kept:
            ready, _, _ = select.select([own], [], [], TIMEOUT)
            assert ready, kept
            kept += os.read(own, 65536).decode("utf-8", "replace").replace("\r\n", "\n")
        read, _, kept = kept.partition(until)
        return read + until

    try:
        yield typed
    finally:
        running.send_signal(signal.SIGINT)
        os.set_blocking(own, False)
        end = time.monotonic() + TIMEOUT
        while running.poll() is None and time.monotonic() < end:
            with suppress(OSError):
                os.read(own, 65536)
            time.sleep(0.05)
        os.close(own)
        assert running.poll() is not None


#: Sits down with what was scanned, as a phone does, and names what the certificate is for.
_SIT = """
import json, sys, ssl, socket, ipaddress
from urllib.parse import urlsplit
import httpx
from cryptography import x509
url = sys.argv[1]
where = urlsplit(url)
base = f"{where.scheme}://{where.netloc}"
with httpx.Client(base_url=base, verify=False, timeout=20) as phone:
    shown = phone.get(where.path).status_code
    sent = {"code": where.fragment, "pin": ""}
    answer = phone.post(where.path + "/join", json=sent, headers={"Origin": base}).json()
    table = phone.get("/").status_code
plain = httpx.get(base.replace("https", "http") + "/", timeout=20)
pem = ssl.get_server_certificate((where.hostname, where.port))
names = x509.load_pem_x509_certificate(pem.encode()).extensions.get_extension_for_class(
    x509.SubjectAlternativeName).value
print(json.dumps({"shown": shown, "answer": answer["answer"], "table": table,
                  "way": [plain.status_code, plain.headers.get("location")],
                  "names": [str(one) for one in names.get_values_for_type(x509.IPAddress)]}))
"""


def sits_down(space, url):
    """A phone in a namespace scans a code: it gets its seat, and the certificate fits."""
    found = space.run(_SIT, url)
    base = url.split("/seat/")[0]
    assert (found["shown"], found["answer"], found["table"]) == (200, "done", 200), found
    assert found["way"] == [307, base + "/"]
    host_name = base.removeprefix("https://").rsplit(":", 1)[0].strip("[]")
    assert host_name in found["names"], found
    return found
