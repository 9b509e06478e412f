"""A program that creates a network namespace, or starts another program in one (namespaces(7)).

It is run by its path, `python netns.py make CHANNEL` or `python netns.py enter USER NETWORK PROGRAM …`, since a process
with more than one thread cannot change its user namespace. It imports nothing of this package, so that it starts fast.
"""

import array
import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def make(channel: int) -> None:
    """Create a network namespace in which only its own loopback is up, without any privileges outside.

    Sends three descriptors over an inherited Unix socket: a socket that listens on the new loopback, and those of the
    user and the network namespace, which exist as long as a process has them open. Raises OSError if it is forbidden.
    """
    user, group = os.geteuid(), os.getegid()
    _call("unshare", CLONE_NEWUSER | CLONE_NEWNET)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text, encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket(fileno=channel) as sink:
        namespaces = [os.open(f"/proc/self/ns/{name}", os.O_RDONLY) for name in ("user", "net")]
        sent = array.array("i", [listening.fileno(), *namespaces])
        sink.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])


def enter(user: str, network: str, *command: str) -> None:
    """Replace this process by a program in the namespaces with these descriptor paths. Raises OSError."""
    descriptors = [os.open(path, os.O_RDONLY) for path in (user, network)]  # inside they could not be opened
    for descriptor, kind in zip(descriptors, (CLONE_NEWUSER, CLONE_NEWNET), strict=True):
        _call("setns", descriptor, kind)
    os.execvp(command[0], command)  # noqa: S606 this is its purpose


def _call(name: str, *arguments: int) -> None:
    """Call a function of the C library; Python has these from 3.12 on only."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


if __name__ == "__main__":
    try:
        if sys.argv[1] == "make":
            make(int(sys.argv[2]))
        else:
            enter(*sys.argv[2:])
    except OSError as error:
        sys.exit(error.strerror)
