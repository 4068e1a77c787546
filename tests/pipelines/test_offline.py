"""A stage opens no connection beyond loopback: seen from inside every Python process, and from the kernel's side."""

import ast
import ipaddress
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import Checkout

# Imported by every Python process that finds it on its path, children of children included.
RECORDER = """
import os, sys
def _record(event, arguments, path=os.environ["GRAPHFORGE_RECORD"]):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        address = arguments[1] if event in ("socket.connect", "socket.sendto") else arguments[0]
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, (event + "\\t" + repr(address) + "\\n").encode())
        os.close(handle)
sys.addaudithook(_record)
handle = os.open(os.environ["GRAPHFORGE_RECORD"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(handle, b"process\\t" + repr(sys.argv[:1]).encode() + b"\\n")
os.close(handle)
"""


def outside(address: object) -> bool:
    """Whether an address of the socket module lies beyond this machine."""
    if address is None or isinstance(address, bytes):
        return False
    if isinstance(address, str):
        # A path is a socket of this machine; anything else is a name that somebody wanted to look up.
        if address.startswith(("/", "\0")) or address in {"", "localhost"}:
            return False
        host = address
    else:
        host = address[0]  # type: ignore[index]
    try:
        return not ipaddress.ip_address(str(host).split("%")[0]).is_loopback
    except ValueError:
        return host not in {"localhost", ""}


def recorded(path: Path) -> tuple[int, list[str]]:
    """How many processes were seen, and the calls that reached out."""
    lines = [line.split("\t", 1) for line in path.read_text().splitlines()]
    calls = [
        f"{event} {address}"
        for event, address in lines
        if event != "process" and outside(ast.literal_eval(address))
    ]
    return sum(event == "process" for event, _ in lines), calls


@pytest.fixture
def recorder(tmp_path: Path, checkout: Checkout) -> dict[str, str]:
    (tmp_path / "sitecustomize.py").write_text(RECORDER)
    return {
        "PYTHONPATH": f"{tmp_path}:{checkout.folder}",
        "GRAPHFORGE_RECORD": str(tmp_path / "calls.txt"),
        # Nothing of this machine may keep a library quiet for us: our own files have to.
        **dict.fromkeys(("DO_NOT_TRACK", "CI", "DVC_NO_ANALYTICS", "DVC_TEST"), ""),
    }


def test_the_recorder_sees_a_child_that_reaches_out(
    tmp_path: Path, recorder: dict[str, str], checkout: Checkout
) -> None:
    code = (
        "import subprocess, sys; subprocess.run([sys.executable, '-c', "
        "'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect((\"192.0.2.1\", 9))'])"
    )
    checkout.run(sys.executable, "-c", code, extra=recorder)
    processes, calls = recorded(Path(recorder["GRAPHFORGE_RECORD"]))
    assert processes == 2
    assert calls == ["socket.connect ('192.0.2.1', 9)"]


def test_dvc_and_its_stage_stay_on_this_machine(recorder: dict[str, str], checkout: Checkout) -> None:
    checkout.dvc("repro", "--force", "--single-item", "seeds", extra=recorder)
    processes, calls = recorded(Path(recorder["GRAPHFORGE_RECORD"]))
    assert processes >= 2
    assert calls == []


def traceable() -> bool:
    if shutil.which("strace") is None:
        return False
    probe = subprocess.run(["strace", "-f", "-e", "trace=connect", "true"], capture_output=True, check=False)
    return probe.returncode == 0


def test_the_kernel_sees_no_connection_either(tmp_path: Path, checkout: Checkout) -> None:
    if not traceable():
        pytest.skip("needs strace and the right to use it")
    log = tmp_path / "strace.txt"
    checkout.run(
        "strace", "-f", "-qq", "-e", "trace=connect", "-o", str(log),
        sys.executable, "-m", "pipelines.seeds", f"hydra.run.dir={tmp_path / 'out'}",
    )  # fmt: skip
    families = re.findall(
        r"sa_family=(AF_\w+)(?:, sin6?_port=htons\((\d+)\).*?\"([^\"]+)\")?", log.read_text()
    )
    far = [found for found in families if found[0] in {"AF_INET", "AF_INET6"} and outside(found[2])]
    assert far == []
