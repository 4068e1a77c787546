"""The filter of system calls, executed here for both machines: numbers and jumps are as meant."""

import errno
import struct

import pytest

from graphforge.agents import syscalls

ALLOWED = 0x7FFF0000
NAMESPACE = 0x10000000


def verdict(
    machine: str, monkeypatch: pytest.MonkeyPatch, architecture: int, number: int, argument: int = 0
) -> int:
    """What the kernel would do: 0 where it lets the call through, and the error otherwise."""
    monkeypatch.setattr("platform.machine", lambda: machine)
    raw = syscalls.program()
    assert raw is not None
    lines = list(struct.iter_unpack("HBBI", raw))
    data = {0: number, 4: architecture, 16: argument}
    place = held = 0
    while True:
        code, yes, no, value = lines[place]
        place += 1
        if code == 0x06:
            return 0 if value == ALLOWED else value & 0xFFFF
        if code == 0x20:
            held = data[value]
        else:
            met = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            place += yes if met else no


@pytest.mark.parametrize(
    ("machine", "architecture", "clone", "unshare", "socket", "plain", "keyctl", "bpf"),
    [
        ("x86_64", 0xC000003E, 56, 272, 41, 0, 250, 321),
        ("aarch64", 0xC00000B7, 220, 97, 198, 63, 219, 280),
    ],
)
def test_what_is_let_through_and_what_is_not(
    machine: str, architecture: int, clone: int, unshare: int, socket: int, plain: int, keyctl: int, bpf: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def asked(number: int, argument: int = 0) -> int:
        return verdict(machine, monkeypatch, architecture, number, argument)

    assert asked(plain) == 0
    for number in (clone, unshare):
        assert (asked(number, 0x11), asked(number, NAMESPACE | 0x11)) == (0, errno.EPERM)
    families = [asked(socket, family) for family in (1, 2, 10, 16)]
    assert families == [0, 0, 0, 0]
    # Packets, Bluetooth, crypto of the kernel, vsock.
    assert {asked(socket, family) for family in (17, 31, 38, 40)} == {errno.EAFNOSUPPORT}
    assert asked(435) == asked(425) == errno.ENOSYS
    assert asked(keyctl) == asked(bpf) == errno.EPERM
    # The calls of another architecture, under which the numbers mean something else.
    assert verdict(machine, monkeypatch, 0x40000003, plain) == errno.ENOSYS
    if machine == "x86_64":
        assert asked(0x40000000 + clone, NAMESPACE) == errno.ENOSYS


def test_a_machine_whose_numbers_are_not_known_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert syscalls.program() is None
