"""A service whose instances are containers, and the containers as the engine lists them."""

import io
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import docker
import docker.errors
import httpx
from docker.models.containers import Container

from mlplace_agent.runtimes.container_leftovers import containers_of
from mlplace_agent.runtimes.container_options import INSTANCE_LABEL
from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.chaos.installation import OWN_GROUP, Installation
from tests.chaos.orders import Orders
from tests.chaos.records import WRONG_ALLOCATIONS

_STARTED_SECONDS = 60
MODEL = "boxed"
IMAGE = "mlplace-chaos:latest"
_PROGRAM = """
import http.server, signal, sys

class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
http.server.ThreadingHTTPServer(("0.0.0.0", 8080), Answers).serve_forever()
"""
_LIVE = "SELECT instance_id, state FROM instance WHERE state <> 'DELETED' ORDER BY 1"


def build_image(client: docker.DockerClient, base: str) -> None:
    """Commits the program to a container of the base image that never ran. Raises DockerException."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        info = tarfile.TarInfo("program.py")
        info.size = len(_PROGRAM)
        tar.addfile(info, io.BytesIO(_PROGRAM.encode()))
    try:
        client.images.get(base)
    except docker.errors.ImageNotFound:
        client.images.pull(base)
    container = client.containers.create(base)
    try:
        container.put_archive("/", archive.getvalue())
        container.commit(repository=IMAGE, changes='CMD ["python3", "-I", "/program.py"]')
    finally:
        container.remove(force=True)


def create_model(platform: Platform, owner: httpx.Client) -> None:
    path = f"/api/mlpcore/account/{platform.account_of(owner)}"
    image = owner.post(f"{path}/image", json={"name": MODEL, "image": IMAGE}).raise_for_status().json()
    needs = {"cpuRequest": "100m", "memoryLimit": "100Mi", "ephemeralDiskLimit": "100Mi"}
    speaks = {"isHttpEnabled": True, "httpPort": 8080, "mainPageEndpoint": "/", "httpInterfaceOnly": True}
    body = {
        "modelName": MODEL,
        "imageId": image["id"]["imageId"],
        "imageAccountId": image["id"]["accountId"],
        "taskType": "custom",
        "hostingType": "HOSTING_SERVER",
        "resourceGroup": OWN_GROUP,
        "resourceLimits": needs,
        "httpSettings": speaks,
    }
    owner.post(f"{path}/model", json=body).raise_for_status()


@dataclass(frozen=True, slots=True)
class Boxes:
    """The containers of the second agent. Another installation on this engine may have the same ids of everything else."""

    client: docker.DockerClient
    agent_id: str

    @classmethod
    def of(cls, client: docker.DockerClient, installation: Installation) -> "Boxes":
        return cls(client, eventually(installation.second_agent_id, seconds=_STARTED_SECONDS))

    def containers(self) -> list[Container]:
        return containers_of(self.client, self.agent_id)

    def running(self) -> list[Container]:
        return [container for container in self.containers() if container.status == "running"]

    def remove(self) -> None:
        for container in self.containers():
            container.remove(force=True, v=True)


def unsettled(installation: Installation, orders: Orders, boxes: Boxes, possible: set[int]) -> list[str]:
    """What is not yet, or never will be, as people have ordered it."""
    return list(_unsettled(installation, orders, boxes, possible))


def _unsettled(installation: Installation, orders: Orders, boxes: Boxes, possible: set[int]) -> Iterator[str]:
    requested, statuses = orders.requested(MODEL), orders.statuses(MODEL)
    if requested not in possible:
        yield f"{requested} are requested, not one of {possible}"
    if statuses != ["RUNNING"] * requested:
        yield f"{requested} are requested, there are {statuses}"
    rows = installation.query("mlpcore", _LIVE)
    live = {int(number) for number, _ in rows}
    for row in rows:
        if row[1] != "STARTED":
            yield f"instance {row}"
    found = Counter(int(container.labels[INSTANCE_LABEL]) for container in boxes.containers())
    for number in live | found.keys():
        if found[number] != (number in live):
            yield f"instance {number} is {'live' if number in live else 'unknown'} and has {found[number]} containers"
    if len(boxes.running()) != len(live):
        yield f"{len(boxes.running())} containers run for {len(live)} instances"
    for row in installation.query("mlpcore", WRONG_ALLOCATIONS):
        yield f"allocation {row}"
