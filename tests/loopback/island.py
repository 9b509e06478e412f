"""An island: a network namespace whose way out leads nowhere, and on which every packet is seen.

On it 10.99.0.0/16 and fd99::/64 are addresses of this machine where nobody listens, 10.99.0.53 is the name server that
answers `v7.example` with 10.99.0.7, and whatever goes elsewhere is sent and lost.
"""

import ctypes
import importlib
import ipaddress
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

NAMES = "10.99.0.53"

SETUP = f"""
set -e
ip link set lo up
ip link add out type veth peer name sink
for end in out sink; do echo 1 > /proc/sys/net/ipv6/conf/$end/disable_ipv6; ip link set $end arp off; done
echo 0 > /proc/sys/net/ipv6/conf/out/disable_ipv6
ip address add 10.99.0.1/24 dev out
ip address add {NAMES}/24 dev out
ip -6 address add fd99::1/64 dev out nodad
ip link set sink up
ip link set out up
ip route add default dev out
ip -6 route add default dev out
ip route add local 10.99.0.0/16 dev lo table local
ip -6 route add local fd99::/64 dev lo table local
mount -t tmpfs none /mnt
echo nameserver {NAMES} > /mnt/resolv.conf
mount --bind /mnt/resolv.conf /etc/resolv.conf
exec "$@"
"""

_UNSHARED = ("unshare", "--user", "--net", "--mount", "--map-root-user", "sh", "-c", SETUP, "sh")


@dataclass(frozen=True)
class Packet:
    """The beginning of a TCP connection, or a UDP datagram, to an address that is not this machine's own loopback."""

    protocol: str
    address: str
    port: int
    data: bytes


@cache
def reason() -> str:
    """Say why there can be no island on this machine, or nothing."""
    for program in ("unshare", "ip"):
        if shutil.which(program) is None:
            return f"there is no program {program}"
    tried = subprocess.run([*_UNSHARED, "true"], capture_output=True, text=True, check=False, timeout=60)
    return tried.stderr.strip() if tried.returncode else ""


def run(call: Callable[..., Any], *arguments: Any, seconds: float = 600.0, **variables: str) -> Any:
    """Return what a function of a module of the tests returns on an island, in a process of its own; both are JSON."""
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-m", "loopback.island", call.__module__, call.__qualname__, json.dumps(arguments)]
    done = subprocess.run(
        [*_UNSHARED, *command],
        env={**os.environ, "PYTHONPATH": path, **variables},
        stdout=subprocess.PIPE,
        check=True,
        timeout=seconds,
    )
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def watched() -> Iterator[list[Packet]]:
    """Collect the packets to elsewhere, until the end of the block."""
    packets: list[Packet] = []
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3)) as tap:  # ETH_P_ALL
        tap.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)  # as much as is given
        tap.settimeout(0.2)
        ended = threading.Event()
        watch = threading.Thread(target=_watch, args=(tap, packets, ended))
        watch.start()
        try:
            yield packets
        finally:
            ended.set()
            watch.join()
            dropped = struct.unpack("II", tap.getsockopt(263, 6, 8))[1]  # SOL_PACKET, PACKET_STATISTICS
            assert dropped == 0, f"{dropped} packets were not seen"


def _watch(tap: socket.socket, packets: list[Packet], ended: threading.Event) -> None:
    """Read until there is nothing more to read after the end."""
    while True:
        try:
            data, (_, _, kind, _, _) = tap.recvfrom(65536)
        except TimeoutError:
            if ended.is_set():
                return
            continue
        if kind == 4 and (packet := _read(data)) is not None:  # PACKET_OUTGOING; on a loopback it comes in, too
            packets.append(packet)


def _read(data: bytes) -> Packet | None:
    if data[0] >> 4 == 4:
        protocol, address, rest = data[9], ipaddress.ip_address(data[16:20]), data[(data[0] & 15) * 4 :]
        if data[12:16] == socket.inet_aton(NAMES):
            return None  # an answer
    elif data[0] >> 4 == 6:
        protocol, address, rest = data[6], ipaddress.ip_address(data[24:40]), data[40:]
    else:
        return None
    if str(address) in ("127.0.0.1", "::1"):
        return None
    port = int.from_bytes(rest[2:4])
    if protocol == 17:
        return Packet("UDP", str(address), port, rest[8:])
    if protocol == 6 and rest[13] & 0x12 == 2:  # SYN without ACK
        return Packet("TCP", str(address), port, b"")
    return None


def _serve_names() -> None:
    """Answer each question of a name server: `v7.example` has the address 10.99.0.7, no name has any other."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.bind((NAMES, 53))
        while True:
            query, client = asked.recvfrom(4096)
            end = query.index(b"\0", 12) + 5
            found = re.match(rb".v(\d+)\x07example\0\0(.)", query[12:end])
            record = b""
            if found and found[2] == b"\1":
                record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + bytes([10, 99, 0, int(found[1])])
            head = query[:2] + (b"\x81\x80" if found else b"\x81\x83") + bytes([0, 1, 0, bool(record), 0, 0, 0, 0])
            asked.sendto(head + query[12:end] + record, client)


def main() -> None:
    """Call the function that the command line names, and print what it returns."""
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG: the island ends with who made it
    threading.Thread(target=_serve_names, daemon=True).start()
    module, name, arguments = sys.argv[1:]
    sys.stdout.write(json.dumps(getattr(importlib.import_module(module), name)(*json.loads(arguments))) + "\n")


if __name__ == "__main__":
    main()
