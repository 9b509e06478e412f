"""The files under `deploy`: what they start is a command of ours or Ray's, and what they set is a setting."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray.scripts.scripts
import typer
import yaml

from spyglass.cli.app import app
from spyglass.kernel.settings import Settings, settings_in
from spyglass.serve.app import create_app

pytestmark = pytest.mark.cluster

DEPLOY = Path(__file__).parents[2] / "deploy"
COMMANDS: dict[str, Any] = {"spyglass": typer.main.get_command(app), "ray": ray.scripts.scripts.cli}


def started(words: list[str]) -> Iterator[list[str]]:
    """Yield the commands that a container starts: its own, or those of a shell."""
    if words[:2] == ["sh", "-c"]:
        for line in " ".join(words[2:]).split("&&"):
            yield [word for word in shlex.split(line) if word != "exec"]
    else:
        yield words


def require_known(words: list[str]) -> None:
    """Fail unless a command, its subcommand and all of its options are there, with values where they take them."""
    name, sub, *rest = words
    group = COMMANDS[name]
    known = [one for one in group.commands[sub].params if one.param_type_name == "option"]
    options = {text: one for one in known for text in (*one.opts, *one.secondary_opts)}
    while rest:
        text, equals, _ = rest.pop(0).partition("=")
        assert text in options, f"{name} {sub} has no {text}"
        if not (equals or options[text].is_flag):
            assert rest, f"{text} takes a value"
            rest.pop(0)


def require_settings(given: dict[str, str]) -> None:
    """Fail unless each variable of ours is a setting, with a value that it may have where that is not a secret."""
    known = {name.replace(".", "__").upper(): name for name in settings_in(Settings)}
    for variable, value in given.items():
        if variable.startswith("SPYGLASS_"):
            name = known[variable.removeprefix("SPYGLASS_")]
            if "$" not in value:
                Settings(**{name.replace(".", "__"): json.loads(value) if value.startswith("[") else value})


def test_the_compose_file_starts_what_there_is() -> None:
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    ours = {name: one for name, one in services.items() if one["image"] == "spyglass"}
    assert {"head", "worker", "one", "other"} <= ours.keys()
    for one in ours.values():
        require_settings(one["environment"])
        for words in started([*one["entrypoint"], *one["command"]]):
            require_known(words)
        assert services.keys() >= set(one["depends_on"])
        reached = re.findall(r"--address=(\w+):", " ".join(one["entrypoint"]))
        assert services.keys() >= set(reached)
    assert "@database:5432/" in ours["one"]["environment"]["SPYGLASS_DATABASE_URL"]


def test_the_manifest_starts_what_there_is_and_asks_for_addresses_that_answer(tmp_path: Path) -> None:
    ray_cluster, deployment, service = yaml.safe_load_all((DEPLOY / "kuberay.yaml").read_text())
    spec = deployment["spec"]["template"]["spec"]
    groups = [ray_cluster["spec"]["headGroupSpec"], *ray_cluster["spec"]["workerGroupSpecs"]]
    for group in groups:
        require_known(["ray", "start", *(f"--{name}={value}" for name, value in group["rayStartParams"].items())])
    pods = [spec, *(group["template"]["spec"] for group in groups)]
    for pod in pods:
        for container in pod["containers"]:
            require_settings({one["name"]: one["value"] for one in container["env"]})
            assert {one["name"] for one in container["volumeMounts"]} <= {one["name"] for one in pod["volumes"]}
    (container,) = spec["containers"]
    for words in started([*container["command"], *container["args"]]):
        require_known(words)
    assert f"{ray_cluster['metadata']['name']}-head-svc:" in container["args"][0], "as KubeRay calls it"
    (port,) = container["ports"]
    probes = [container[f"{name}Probe"]["httpGet"] for name in ("liveness", "readiness")]
    assert {probe["port"] for probe in probes} | {service["spec"]["ports"][0]["targetPort"]} == {port["containerPort"]}
    paths = create_app(Settings(data_dir=tmp_path)).openapi()["paths"]
    scraped = deployment["spec"]["template"]["metadata"]["annotations"]["prometheus.io/path"]
    assert {scraped, *(probe["path"] for probe in probes)} <= paths.keys()
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"] == labels
