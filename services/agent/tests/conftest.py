import io
import os
import sys
import tarfile
import uuid
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path

import docker
import docker.errors
import pytest

from mlplace_agent.config import DockerOptions, Program
from mlplace_agent.runtimes.container_options import AGENT_LABEL
from mlplace_agent.runtimes.containers import DockerRuntime
from mlplace_agent.runtimes.port import Runtime
from mlplace_agent.runtimes.process import ProcessRuntime
from mlplace_contracts.internal.hosting import DesiredInstance
from mlplace_testing.servers.containers import touch_engine

from .registry import Registry, served_registry

TEST_IMAGE = os.environ.get("MLP_TEST_IMAGE", "python:3.12-slim")
_WITH_SCRIPT = f"mlplace-agent-test:{os.getpid()}"
"""The test image with the script, for this process only: a tag that others move is missing for a moment."""
SCRIPT = """
import os, signal, sys, tempfile, time
behaviour = os.environ["MLP_TEST_BEHAVIOUR"]
if behaviour == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
elif behaviour != "default":
    # The handler must not print: it may interrupt a print, and the buffer refuses to be entered twice.
    signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b"goodbye\\n"), sys.exit(0)))
if behaviour == "ends":
    print("done", flush=True)
    sys.exit(0)
if behaviour == "fails":
    print("broken", file=sys.stderr, flush=True)
    sys.exit(7)
if behaviour == "environment":
    print("\\n".join(sorted(f"{name}={value}" for name, value in os.environ.items())), flush=True)
    sys.exit(0)
if behaviour == "reads":
    for name in sorted(os.listdir("/data")):
        print(name, open("/data/" + name).read(), flush=True)
    try:
        open("/data/new", "w")
    except OSError as error:
        print("refused with", error.errno, flush=True)
    sys.exit(0)
if behaviour == "niceness":
    print(f"nice={os.nice(0)}", flush=True)
    sys.exit(0)
print("ready", flush=True)
if behaviour == "memory":
    kept = []
    while True:
        kept.append(bytearray(os.urandom(2**20)))
if behaviour.startswith("disk"):
    path = os.path.join(tempfile.gettempdir(), "large")
    with open(path, "wb") as file:
        for _ in range(96):
            file.write(bytes(2**20))
    os.truncate(path, 2**20) if behaviour == "disk-freed" else None
    print("written", flush=True)
if behaviour == "few":
    kept = bytearray(os.urandom(2**20)) * 64
    print("kept", flush=True)
while True:
    time.sleep(0.05)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(SCRIPT)
    return path


@pytest.fixture
def program(script: Path) -> Program:
    return Program(command=(sys.executable, "-I", str(script)), environment=("GREETING",))


@pytest.fixture
async def process_runtime(program: Program, tmp_path: Path) -> ProcessRuntime:
    return ProcessRuntime({"demo/program": program}, tmp_path)


@pytest.fixture(scope="session")
def image_with_script() -> Generator[str]:
    try:
        touch_engine()
        client = docker.from_env(timeout=5)
        client.ping()
    except (docker.errors.DockerException, OSError) as error:
        pytest.skip(f"no Docker engine answers: {error}")
    _build_image_with_script(client)
    yield _WITH_SCRIPT
    client.images.remove(_WITH_SCRIPT, force=True)
    client.close()


@pytest.fixture
async def docker_runtime(image_with_script: str) -> AsyncGenerator[DockerRuntime]:
    del image_with_script
    runtime = DockerRuntime(DockerOptions(enabled=True), agent_id=uuid.uuid4().hex)
    yield runtime
    await runtime.remove_leftovers()
    await runtime.close()


def _build_image_with_script(client: docker.DockerClient) -> None:
    """Commits it from a container that never ran."""
    try:
        client.images.get(TEST_IMAGE)
    except docker.errors.ImageNotFound:
        try:
            client.images.pull(TEST_IMAGE)
        except docker.errors.APIError as error:
            pytest.skip(f"the image {TEST_IMAGE} cannot be had: {error.explanation}")
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        info = tarfile.TarInfo("program.py")
        info.size = len(SCRIPT)
        tar.addfile(info, io.BytesIO(SCRIPT.encode()))
    container = client.containers.create(TEST_IMAGE)
    try:
        container.put_archive("/", archive.getvalue())
        name, _, tag = _WITH_SCRIPT.partition(":")
        container.commit(repository=name, tag=tag, changes='CMD ["python3", "-I", "/program.py"]')
    finally:
        container.remove(force=True)


@pytest.fixture(params=["process", pytest.param("docker", marks=pytest.mark.docker)])
def runtime(request: pytest.FixtureRequest) -> Runtime:
    return request.getfixturevalue(f"{request.param}_runtime")


@pytest.fixture
def instance(request: pytest.FixtureRequest) -> Callable[..., DesiredInstance]:
    def make(behaviour: str = "serves", **changes: object) -> DesiredInstance:
        image = "demo/program"
        if "docker_runtime" in request.fixturenames or "docker" in request.node.name:
            image = _WITH_SCRIPT
        values: dict[str, object] = {
            "instance_id": 7,
            "generation": 1,
            "account_id": 1,
            "model_id": os.getpid(),  # part of the name of containers, which tests in parallel must not share
            "image": image,
            "platform_env": {"MLP_TEST_BEHAVIOUR": behaviour, "SERVICE_CONFIG": "{}"},
            "service_env": {},
            "memory_bytes": 256 * 2**20,
            "milli_cpu": 500,
        }
        return DesiredInstance.model_validate({**values, **changes})

    return make


@pytest.fixture
def engine(docker_runtime: DockerRuntime) -> Generator[docker.DockerClient]:
    """A client of the engine. The volumes of the runtime are removed at the end."""
    client = docker.from_env()
    yield client
    for container in client.containers.list(all=True, filters={"label": f"{AGENT_LABEL}={docker_runtime.agent_id}"}):
        container.remove(force=True, v=True)
    for volume in client.volumes.list(filters={"label": f"{AGENT_LABEL}={docker_runtime.agent_id}"}):
        volume.remove()
    client.close()


@pytest.fixture
def registry() -> Generator[Registry]:
    with served_registry() as found:
        yield found
