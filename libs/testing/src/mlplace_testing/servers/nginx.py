"""A real nginx with the configuration of the edge, from PATH or else from the official image."""

import gzip
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlplace_testing.certificates import Certificate
from mlplace_testing.ports import free_port

CONFIG = Path(__file__).resolve().parents[5] / "gateway-config"
IMAGE = os.environ.get("MLP_TEST_NGINX_IMAGE", "nginx:1.28")
_OLDEST = (1, 27, 4)  # the first version with `keepalive_min_timeout`
_READY_SECONDS = 30.0
_PAGES = "/usr/share/nginx/html"
_CHANGED = "changed-snippets"
_CERTIFICATES = "certificates"


class Absent(Exception):
    """No nginx can be started here; the message says why."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Commands that start nginx with the given arguments and that stop it."""

    command: Sequence[str]
    stop: Sequence[str] | None = None


class BinaryLauncher:
    def __init__(self, binary: str) -> None:
        self._binary = binary

    def prepare(self, folder: Path, environment: Mapping[str, str], arguments: Sequence[str]) -> Launch:
        """Does the work of the image's entry point, with every path inside `folder`."""
        (folder / "tmp").mkdir(exist_ok=True)
        text = (CONFIG / "nginx.conf").read_text()
        (folder / "nginx.conf").write_text(text.replace(" /tmp/", f" {folder}/tmp/"))
        for source in (CONFIG / "snippets", folder / _CHANGED):
            shutil.copytree(source, folder / "snippets", dirs_exist_ok=True)
        for source, target in _templates(folder).items():
            (folder / "conf.d" / target).mkdir(parents=True, exist_ok=True)
            for template in (CONFIG / source).glob("*.template"):
                (folder / "conf.d" / target / template.stem).write_text(_filled(template.read_text(), environment))
        # As root, nginx would switch its workers to the user it was built for, which may not exist here.
        globals_ = "daemon off; user root;" if os.geteuid() == 0 else "daemon off;"
        options = ("-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", globals_)
        return Launch((self._binary, *options, *arguments))


class ImageLauncher:
    """Runs on the host's network, because the test doubles listen on loopback addresses. Only /tmp is writable."""

    def prepare(self, folder: Path, environment: Mapping[str, str], arguments: Sequence[str]) -> Launch:
        name = f"mlplace-edge-test-{uuid.uuid4().hex[:12]}"
        mounts = {
            "nginx.conf": "/etc/nginx/nginx.conf",
            "snippets": "/etc/nginx/snippets",
            **{source: f"/etc/nginx/templates/{target}" for source, target in _templates(folder).items()},
        }
        command = ["docker", "run", "--rm", "--network", "host", "--name", name]
        command += ["--read-only", "--tmpfs", "/tmp", "--tmpfs", "/etc/nginx/conf.d"]
        for source, target in mounts.items():
            command += ["--volume", f"{CONFIG / source}:{target}:ro"]
        for path in (folder / _CHANGED).iterdir():
            command += ["--volume", f"{path}:/etc/nginx/snippets/{path.name}:ro"]
        command += ["--volume", f"{folder / 'pages'}:{_PAGES}:ro"]
        if (folder / _CERTIFICATES).exists():
            command += ["--volume", f"{folder / _CERTIFICATES}:/etc/nginx/certificates:ro"]
        for key, value in {**environment, "EDGE_PAGES": _PAGES}.items():
            command += ["--env", f"{key}={value}"]
        command += [IMAGE, "nginx", "-g", "daemon off;", *arguments]
        return Launch(command, stop=("docker", "kill", name))


Launcher = BinaryLauncher | ImageLauncher


def _templates(folder: Path) -> dict[str, str]:
    """Folders of templates by what they are called in the image. That of TLS is mounted where certificates are."""
    always = {"conf.d": "servers", "upstreams": "upstreams"}
    return {**always, "tls": "tls"} if (folder / _CERTIFICATES).exists() else always


def _filled(text: str, environment: Mapping[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda found: environment.get(found[1], found[0]), text)


def find_launcher() -> Launcher:
    """Returns a launcher. Raises Absent with the reason."""
    binary = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    version = _version(binary) if binary else None
    if binary and version and version >= _OLDEST:
        return BinaryLauncher(binary)
    found = f"nginx {'.'.join(map(str, version))} is older than 1.27.4" if version else "no nginx on PATH"
    if shutil.which("docker") is None:
        raise Absent(f"{found}, and no docker")
    if not _succeeds("docker", "info"):
        raise Absent(f"{found}, and no Docker engine answers")
    if not _succeeds("docker", "image", "inspect", IMAGE) and not _succeeds("docker", "pull", "--quiet", IMAGE):
        raise Absent(f"{found}, and the image {IMAGE} cannot be had")
    return ImageLauncher()


def _version(binary: str) -> tuple[int, ...] | None:
    answer = subprocess.run([binary, "-v"], capture_output=True, check=False, text=True)
    found = re.search(r"nginx/(\d+)\.(\d+)\.(\d+)", answer.stderr + answer.stdout)
    return tuple(int(part) for part in found.groups()) if found else None


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False, timeout=300).returncode == 0


class Nginx:
    """One running nginx. `environment` has the upstreams' addresses; the edge's own ports are chosen here.

    `snippets` has the new text of snippets that an operator changes, by file name. With a certificate the edge has two
    more ports.
    """

    def __init__(
        self,
        launcher: Launcher,
        environment: Mapping[str, str],
        snippets: Mapping[str, str] | None = None,
        certificate: Certificate | None = None,
    ) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="mlplace-edge-"))
        self._write_pages()
        (self._folder / _CHANGED).mkdir()
        for name, text in (snippets or {}).items():
            (self._folder / _CHANGED / name).write_text(text)
        self.http_port = free_port()
        self.grpc_port = free_port()
        self.https_port = free_port()
        self.grpcs_port = free_port()
        if certificate:
            self.write_certificate(certificate)
        self._environment = {
            "EDGE_HTTP_LISTEN": f"127.0.0.1:{self.http_port}",
            "EDGE_GRPC_LISTEN": f"127.0.0.1:{self.grpc_port}",
            "EDGE_HTTPS_LISTEN": f"127.0.0.1:{self.https_port}",
            "EDGE_GRPCS_LISTEN": f"127.0.0.1:{self.grpcs_port}",
            "EDGE_RESOLVER": "127.0.0.1:9",
            "EDGE_SIGN_INS_PER_MINUTE": "60",
            "EDGE_GRPC_STREAMS_PER_ADDRESS": "2048",
            "EDGE_CONNECTIONS_PER_ADDRESS": "1000",
            "EDGE_PAGES": str(self.pages),
            "EDGE_BUILD_NUMBER": "7",
            "EDGE_BUILD_DATE": "2026-11-21",
            "EDGE_BUILD_BRANCH": "main",
            **environment,
        }
        self._launcher = launcher
        self._log = self._folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._stop: Sequence[str] | None = None

    @property
    def pages(self) -> Path:
        """The folder of static files."""
        return self._folder / "pages"

    def listen(self, address: str) -> None:
        """Listens there instead, before it is started. Must include 127.0.0.1 and the same port."""
        self._environment["EDGE_HTTP_LISTEN"] = address

    def write_certificate(self, certificate: Certificate) -> None:
        folder = self._folder / _CERTIFICATES
        folder.mkdir(exist_ok=True)
        (folder / "tls.crt").write_text(certificate.certificate)
        (folder / "tls.key").write_text(certificate.key)

    def _write_pages(self) -> None:
        """Writes stand-ins for the built web interface and its variants, readable for any user that nginx runs as."""
        for name, text in {
            "index.html": "application",
            "accounts.html": "sign in",
            "assets/app-1a2b.js": "app",
            "assets/app-1a2b.js.br": "as brotli",
            "assets/app-1a2b.css": "style",
            "assets/app-1a2b.css.br": "as brotli",
            "assets/font-1a2b.woff2": "font",
        }.items():
            path = self.pages / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.pages / "assets/app-1a2b.js.gz").write_bytes(gzip.compress(b"app"))
        for path in self.pages.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)

    @property
    def log(self) -> str:
        """The access log and errors so far."""
        return self._log.read_text(errors="replace")

    def check(self) -> subprocess.CompletedProcess[str]:
        """Runs `nginx -t`."""
        launch = self._launcher.prepare(self._folder, self._environment, ["-t"])
        return subprocess.run(launch.command, capture_output=True, check=False, text=True, timeout=60)

    def start(self) -> None:
        launch = self._launcher.prepare(self._folder, self._environment, [])
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(launch.command, stdout=log, stderr=subprocess.STDOUT)
        self._stop = launch.stop
        deadline = time.monotonic() + _READY_SECONDS
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"nginx did not start:\n{self.log}")
            time.sleep(0.02)

    def _listens(self) -> bool:
        for port in (self.http_port, self.grpc_port):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)):
                    return False
        return True

    def stop(self) -> None:
        if self._process and self._process.poll() is None:
            if self._stop:
                subprocess.run(self._stop, capture_output=True, check=False, timeout=60)
            else:
                self._process.terminate()
            self._process.wait(timeout=60)
        shutil.rmtree(self._folder, ignore_errors=True)
