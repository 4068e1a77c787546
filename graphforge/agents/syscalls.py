"""A seccomp filter for commands that a model wrote: what namespaces and lost capabilities leave open is closed here.

A user namespace of its own would give a command every capability inside it, and with them most of the kernel's
faults of the past. Keys of a user and the kernel's log know no namespaces; io_uring, BPF, perf and userfaultfd have had
many faults; a socket of the kinds not named here may lead out of the network namespace (vsock, to the host of a
virtual machine).

What is refused looks like an ordinary error to the command (EPERM, ENOSYS, EAFNOSUPPORT), which falls back or fails.
"""

import errno
import platform
import struct
from typing import NamedTuple

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_NEW_USER_NAMESPACE = 0x10000000
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: all of them bound to the network namespace.
_FAMILIES = (1, 2, 10, 16)


class _Numbers(NamedTuple):
    """System calls of a machine, and its own number (linux/audit.h).

    ``refused``: add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd, syslog.
    """

    architecture: int
    clone: int
    unshare: int
    socket: int
    refused: tuple[int, ...]


_MACHINES = {
    "x86_64": _Numbers(
        0xC000003E, clone=56, unshare=272, socket=41, refused=(248, 249, 250, 298, 321, 323, 103)
    ),
    "aarch64": _Numbers(
        0xC00000B7, clone=220, unshare=97, socket=198, refused=(217, 218, 219, 241, 280, 282, 116)
    ),
}
# Bit of the numbers by which x86_64 offers its calls once more.
_X32 = 0x40000000
# The same on every machine: io_uring_setup, and clone3, whose flags no filter can read.
_IO_URING, _CLONE3 = 425, 435


def program() -> bytes | None:
    """The filter for this machine as ``struct sock_filter[]``; None for a machine whose numbers are not known here."""
    if platform.machine() not in _MACHINES:
        return None
    numbers = _MACHINES[platform.machine()]
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, numbers.architecture),
        (_RETURN, 0, 0, _FAIL | errno.ENOSYS),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _FAIL | errno.ENOSYS),
    ]
    for number in (_CLONE3, _IO_URING):
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL | errno.ENOSYS)]
    for number in numbers.refused:
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL | errno.EPERM)]
    for number in (numbers.clone, numbers.unshare):
        lines += [
            (_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, _FIRST_ARGUMENT),
            (_ANY_BIT, 0, 1, _NEW_USER_NAMESPACE),
            (_RETURN, 0, 0, _FAIL | errno.EPERM),
            (_RETURN, 0, 0, _ALLOW),
        ]
    lines += [(_EQUAL, 0, 2 + len(_FAMILIES), numbers.socket), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    lines += [
        (_EQUAL, left, 0, family)
        for left, family in zip(range(len(_FAMILIES), 0, -1), _FAMILIES, strict=True)
    ]
    lines += [(_RETURN, 0, 0, _FAIL | errno.EAFNOSUPPORT), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *line) for line in lines)
