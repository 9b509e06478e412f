"""What `deploy/compose.yaml` starts, without Docker: `python bench/deployed.py [--strict]`.

Each container is a process in namespaces of its own on one bridge, with the file's commands, variables and folders,
under the names by which the others call it; the image is this machine's file system, with this environment's programs.
A question is asked of one service and read from the other, the doctor looks, and another one is asked when a worker and
a service are gone. Needs user namespaces, `unshare`, `ip` and `nsenter`.
"""

import argparse
import json
import os
import re
import secrets
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import yaml

from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from cluster.ray_nodes import BESIDE_OTHERS

DEPLOY: Final = Path(__file__).parent.parent / "deploy"
INSIDE: Final = "SPYGLASS_BENCH_INSIDE"
ALONE: Final = "unshare --user --map-root-user --net --mount --pid --fork --kill-child --mount-proc"
QUESTION: Final = "How should a lens be cleaned?"
READY: Final = 300.0
"""Seconds in which everything has to be there, and a run has to have ended."""

BRIDGE: Final = """
set -e
mount -t tmpfs none /run
mkdir /run/netns
ip link set lo up
ip link add bridge type bridge
ip address add 10.99.0.1/24 dev bridge
ip link set bridge up
"""

JOIN: Final = """
set -e
ip netns add "$1"
ip link add "out-$1" master bridge up type veth peer name eth0 netns "$1"
ip -netns "$1" link set lo up
ip -netns "$1" address add "$2/24" dev eth0
ip -netns "$1" link set eth0 up
ip -netns "$1" route add default via 10.99.0.1
"""

CONTAINER: Final = """
set -e
mount -t tmpfs none "$1"
for path in /*; do
    name=${path#/}
    case $name in files|data|tmp) continue;; esac
    if [ -L "$path" ]; then cp --no-dereference "$path" "$1/$name"; continue; fi
    [ -d "$path" ] || continue
    mkdir "$1/$name"
    mount --rbind "$path" "$1/$name"
done
mkdir "$1/files" "$1/data" "$1/tmp"
mount --bind "$2" "$1/files"
mount --bind "$3" "$1/etc/hosts"
mount --bind "$4" "$1/etc/resolv.conf"
mount -t tmpfs -o size=1g none "$1/dev/shm"
mkdir "$1/before"
cd "$1"
shift 4
pivot_root . before
umount --lazy /before
cd /data
exec "$@"
"""
"""Starts a command in a file system of its own: `$1` is where, `$2` has the files, `$3` the names of the others.

`$4` has name servers.
"""

DATABASE: Final = """
set -e
mkdir /data/postgres
chown 0 /data/postgres
exec unshare --user --map-user=1000 --map-group=1000 sh -ec '
    echo "$POSTGRES_PASSWORD" > /data/postgres/password
    "$PROGRAMS/initdb" -D /data/postgres/own --username="$POSTGRES_USER" --pwfile=/data/postgres/password \\
        --encoding=UTF8 --auth=trust
    echo "host all all all scram-sha-256" >> /data/postgres/own/pg_hba.conf
    echo "CREATE DATABASE $POSTGRES_DB" | "$PROGRAMS/postgres" --single -D /data/postgres/own postgres || true
    exec "$PROGRAMS/postgres" -D /data/postgres/own -k /data/postgres -c listen_addresses="*"
'
"""
"""What the database's image does at its first start."""


class Composed:
    """The services of the file, each at an address of its own, and their processes."""

    def __init__(self, folder: Path, given: dict[str, str]) -> None:
        self._folder, self._given = folder, given
        self._services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._names = {"database": "database", "head": "head", "worker": "worker", "worker2": "worker"}
        self._names |= {"one": "one", "other": "other", "doctor": "doctor"}
        self._addresses = {name: f"10.99.0.{number}" for number, name in enumerate(self._names, 10)}
        lines = [f"{address} {name}" for name, address in self._addresses.items()]
        (folder / "hosts").write_text("127.0.0.1 localhost\n" + "\n".join(lines) + "\n")
        (folder / "no-names").touch()  # nobody is asked for names
        subprocess.run(["sh", "-c", BRIDGE], check=True)

    def start(self, name: str) -> "subprocess.Popen[bytes]":
        """Start a container, with what it says going to a file of its name."""
        service, folder = self._services[self._names[name]], self._folder / name
        if not folder.exists():
            folder.mkdir()
            subprocess.run(["sh", "-c", JOIN, "sh", name, self._addresses[name]], check=True)
        command = [*service.get("entrypoint", ["sh", "-c", DATABASE]), *service.get("command", [])]
        variables = {key: self._expanded(value) for key, value in service["environment"].items()}
        print(f"{name}: {shlex.join(command) if name != 'database' else 'initdb, postgres'}", flush=True)
        self._processes[name] = subprocess.Popen(
            [
                *("nsenter", f"--net=/run/netns/{name}", "unshare", "--mount", "--pid", "--fork", "--kill-child"),
                *("--mount-proc", "sh", "-c", CONTAINER, "sh", str(folder), str(DEPLOY.parent / "local_files")),
                *(str(self._folder / "hosts"), str(self._folder / "no-names"), *command),
            ],
            env={
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "HOME": "/data",
                "PROGRAMS": self._given["PROGRAMS"],
                **(variables | BESIDE_OTHERS),
            },
            stdout=(self._folder / f"{name}.log").open("ab"),
            stderr=subprocess.STDOUT,
        )
        return self._processes[name]

    def stop(self, name: str) -> None:
        """End a container as one whose machine is gone."""
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def log(self, name: str) -> str:
        """Return what a container has said."""
        return (self._folder / f"{name}.log").read_text(errors="replace")

    def logs(self) -> dict[str, str]:
        """Return what all have said, and what Ray wrote down in those that run."""
        found = {name: self.log(name) for name in self._names}
        for name, process in self._processes.items():
            if process.poll() is not None:
                continue
            for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                for file in Path(f"/proc/{child}/root/tmp/ray").glob("session_2*/logs/**/*"):
                    if file.is_file():
                        found[f"{name}/{file.name}"] = file.read_text(errors="replace")
        return found

    def healthy(self) -> None:
        """Wait until the file's check of the database passes."""
        [kind, *test] = self._services["database"]["healthcheck"]["test"]
        assert kind == "CMD"
        self._waited(lambda: not self._within("database", test))

    def ask(self, name: str, path: str, body: Any = None) -> Any:
        """Return what a service answers, JSON or text; what it refuses raises."""
        [port] = self._services[name]["ports"]
        host, outside, within = port.split(":")
        request = urllib.request.Request(
            f"http://{self._addresses[name]}:{within}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Host": f"{host}:{outside}",  # as it is called where Docker publishes the port
                "Authorization": f"Bearer {self._given['SPYGLASS_SERVE__TOKEN']}",
                "Content-Type": "application/json",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                said = answer.read().decode()
                return json.loads(said) if "json" in answer.headers["Content-Type"] else said
        except urllib.error.HTTPError as error:
            if error.code == 500:
                time.sleep(5)
                raise SystemExit(f"{name} fails: {error.read().decode()}\n{self.log(name)[-6_000:]}") from error
            raise

    def ready(self, name: str) -> None:
        """Wait until a service can take calls."""
        self._waited(lambda: self._answers(name, "/readyz"))

    def ended(self, name: str, run_id: str) -> str:
        """Wait until a run has ended, and return how."""
        self._waited(lambda: self.ask(name, f"/runs/{run_id}")["outcome"] not in ("running", "interrupted"))
        return str(self.ask(name, f"/runs/{run_id}")["outcome"])

    def _answers(self, name: str, path: str) -> bool:
        try:
            self.ask(name, path)
        except (OSError, urllib.error.HTTPError):
            return False
        return True

    def _within(self, name: str, command: list[str]) -> int:
        entered = ["nsenter", f"--net=/run/netns/{name}", *command, "--host=localhost"]
        return subprocess.run(entered, stdout=subprocess.DEVNULL, check=False).returncode

    def _waited(self, holds: Callable[[], bool]) -> None:
        ends = time.monotonic() + READY
        while not holds():
            if time.monotonic() > ends:
                raise SystemExit("\n".join(f"{one}:\n{self.log(one)[-2_000:]}" for one in self._processes))
            for one in [one for one, process in self._processes.items() if process.poll()]:
                self.start(one)  # as its policy is
            time.sleep(0.5)

    def _expanded(self, text: str) -> str:
        def value(found: re.Match[str]) -> str:
            name, otherwise = found[1], found[2]
            if otherwise == ":?":
                return self._given[name]
            return self._given.get(name) or otherwise.removeprefix(":-")

        return re.sub(r"\$\{(\w+)(:[?-][^}]*)\}", value, text)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when something is missing")
    arguments.parse_args()
    if INSIDE not in os.environ:
        from postgres import server_of

        server = server_of(secrets.token_hex(6))
        programs = str(server.bin_path)
        server.cleanup()
        command = [*ALONE.split(), sys.executable, *sys.argv]
        sys.exit(subprocess.run(command, env={**os.environ, INSIDE: programs}, check=False).returncode)
    with tempfile.TemporaryDirectory(prefix="deployed", ignore_cleanup_errors=True) as folder:
        given = {"POSTGRES_PASSWORD": "geheim", "SPYGLASS_SERVE__TOKEN": secrets.token_hex(16)}
        report("What deploy/compose.yaml starts", tried(Path(folder), given | {"PROGRAMS": os.environ[INSIDE]}))


def tried(folder: Path, given: dict[str, str]) -> list[Row]:
    """Start everything, ask, and return what held."""
    containers = Composed(folder, given)
    containers.start("database")
    containers.healthy()
    for name in ("head", "worker", "worker2", "one", "other"):
        containers.start(name)
    for name in ("one", "other"):
        containers.ready(name)
    began = containers.ask("one", "/runs", {"q": QUESTION})
    outcome = containers.ended("other", began["id"])
    text = containers.ask("other", f"/runs/{began['id']}/report.md")
    print(f"\n{text[:400]}\n")
    doctor = containers.start("doctor")
    doctor.wait(READY)
    print(containers.log("doctor"))
    logs = containers.logs()
    leaks = [name for name, text in logs.items() if given["POSTGRES_PASSWORD"] in text]
    print(f"{len(logs)} logs read; with the password: {leaks}")
    containers.stop("one")
    containers.stop("worker")
    again = containers.ask("other", "/runs", {"q": "Why is a lens cleaned seldom?"})
    without = containers.ended("other", again["id"])
    return [
        Row("runs that one service began and the other has complete", outcome == "complete", "", 1, "least"),
        Row("its report quotes its sources", text.count("[1]"), "times", 1, "least"),
        Row("exit code of the doctor", doctor.returncode, "", 0),
        Row("runs complete without a worker and a service", without == "complete", "", 1, "least"),
        Row("logs with the database's password", len(leaks), "", 0),
    ]


if __name__ == "__main__":
    main()
