"""h2spec against the two servers of HTTP/2: the gates' own for gRPC, and nginx at the edge's TLS port.

`docs/http.md` says why each of them differs where it does.
"""

import subprocess
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mlplace_testing.certificates import certificate_for
from mlplace_testing.ports import free_port
from mlplace_testing.servers.nginx import Absent, Nginx, find_launcher
from tests.attacks.installation import ROOT, running

ALL_CASES = 146
FEW_SECONDS, MANY_SECONDS = 2, 60
"""How long an answer is waited for at first, and by a case that was not expected to differ."""

OF_THE_GATE = {
    # It answers 405 at once, without a body, and is done with the stream: no DATA frame comes.
    "generic/2/2": "WINDOW_UPDATE on a half-closed stream",
    "generic/2/3": "PRIORITY on a half-closed stream",
    "http2/6.9.1/3": "a window of a stream beyond the largest",
    "http2/8.1/1": "a second HEADERS frame without END_STREAM",
    "http2/8.1.2.1/3": "a pseudo-header field as a trailer",
    "http2/8.1.2.6/1": "a content-length that differs from a DATA frame",
    "http2/8.1.2.6/2": "a content-length that differs from several DATA frames",
    # Frames of a stream that is over are counted and ignored.
    "http2/5.1/5": "DATA on a half-closed stream",
    "http2/5.1/6": "HEADERS on a half-closed stream",
    "http2/5.1/8": "DATA after RST_STREAM",
    "http2/5.1/9": "HEADERS after RST_STREAM",
    "http2/5.1/11": "DATA on a closed stream",
    "http2/5.1/12": "HEADERS on a closed stream",
    "http2/5.1.1/2": "a smaller stream id",
    "http2/6.1/2": "DATA on a stream that is not open",
    # Priorities have no effect.
    "http2/5.3.1/1": "HEADERS that depend on themselves",
    "http2/5.3.1/2": "PRIORITY that depends on itself",
}  # fmt: skip

OF_THE_EDGE = {
    # nginx answers a malformed request with 400, where RFC 9113 resets its stream.
    "http2/8.1.2/1": "a name in upper case",
    "http2/8.1.2.1/1": "an unknown pseudo-header field",
    "http2/8.1.2.1/2": "a pseudo-header field of answers",
    "http2/8.1.2.3/1": "an empty path",
    "http2/8.1.2.3/2": "no method",
    "http2/8.1.2.3/3": "no scheme",
    "http2/8.1.2.3/4": "no path",
    "http2/8.1.2.3/5": "two methods",
    "http2/8.1.2.3/6": "two schemes",
    "http2/8.1.2.3/7": "two paths",
    # It serves these: the services behind it get another connection, with the fields that it writes itself.
    "http2/8.1.2.1/4": "a pseudo-header field behind another field",
    "http2/8.1.2.2/1": "a field of the connection",
    "http2/8.1.2.2/2": "TE with another value than trailers",
    "http2/8.1.2.6/1": "a content-length that differs from a DATA frame, where no body is read",
    "http2/8.1.2.6/2": "a content-length that differs from several DATA frames, where no body is read",
    "hpack/4.2/1": "a change of the table's size behind a field",
    "hpack/5.2/1": "a Huffman code with more padding than a byte",
    # It takes frames of any size that has come, and ignores those of streams that are idle or over.
    "http2/4.2/2": "DATA beyond the largest frame",
    "http2/4.2/3": "HEADERS beyond the largest frame",
    "http2/5.1/1": "DATA on an idle stream",
    "http2/5.1/2": "RST_STREAM on an idle stream",
    "http2/5.1/3": "WINDOW_UPDATE on an idle stream",
    "http2/5.1/5": "DATA on a half-closed stream",
    "http2/5.1/8": "DATA after RST_STREAM",
    "http2/5.1/11": "DATA on a closed stream",
    "http2/6.1/2": "DATA on a stream that is not open",
    "http2/6.4/2": "RST_STREAM on an idle stream",
    "http2/6.9.1/3": "a window of a stream beyond the largest: it is reset with another code",
}  # fmt: skip


def differing(h2spec: Path, report: Path, *options: str, cases: int) -> dict[str, str]:
    """Returns the cases that failed, with what was expected and what came. `cases`: so many are in the report."""
    report.unlink(missing_ok=True)
    command = [str(h2spec), "--strict", "--junit-report", str(report), *options]
    finished = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert report.exists(), finished.stdout[-2000:] + finished.stderr[-2000:]
    failed: dict[str, str] = {}
    suites = list(ET.parse(report).getroot())
    assert sum(map(len, suites)) == cases, finished.stdout[-2000:] + finished.stderr[-2000:]
    for suite in suites:
        for place, case in enumerate(suite, start=1):
            problem = case.find("error")
            if problem is None:
                problem = case.find("failure")
            if problem is not None:
                failed[f"{suite.get('package')}/{place}"] = f"{case.get('classname')}: {problem.text}"
    return failed


def unlike(h2spec: Path, report: Path, known: AbstractSet[str], *options: str) -> Mapping[str, str]:
    """Returns the cases that failed and are not known to, and those that are and did not.

    One that fails for lack of time is asked again, with much of it.
    """
    found = differing(h2spec, report, "--timeout", str(FEW_SECONDS), *options, cases=ALL_CASES)
    left = dict.fromkeys(known - found.keys(), "it does not differ")
    for case in found.keys() - known:
        again = differing(h2spec, report, case, "--timeout", str(MANY_SECONDS), *options, cases=1)
        left |= dict.fromkeys([case] if again else [], next(iter(again.values()), ""))
    return left


@pytest.fixture(scope="module")
def h2spec() -> Path:
    built = subprocess.run([ROOT / "tools" / "h2spec"], check=False, capture_output=True, text=True)
    if built.returncode != 0:
        pytest.skip(f"h2spec cannot be built: {built.stderr[-500:]}")
    return Path(built.stdout.strip())


@pytest.fixture(scope="module")
def edge() -> Iterator[Nginx]:
    """The edge in front of nothing: it has the pages."""
    try:
        launcher = find_launcher()
    except Absent as reason:
        pytest.skip(str(reason))
    names = ("ACCOUNTSADMIN", "MLPCORE", "MLPGATEWAY", "MLPBILLING", "GATE")
    environment = {f"EDGE_{name}": f"127.0.0.1:{free_port()}" for name in names}
    nginx = Nginx(launcher, environment, certificate=certificate_for("127.0.0.1"))
    try:
        nginx.start()
        yield nginx
    finally:
        nginx.stop()


def test_gate(h2spec: Path, tmp_path: Path) -> None:
    with running(tmp_path) as target:
        left = unlike(h2spec, tmp_path / "report.xml", OF_THE_GATE.keys(), "--port", str(target.grpc_port))
    assert left == {}


def test_edge(h2spec: Path, edge: Nginx, tmp_path: Path) -> None:
    options = ("--tls", "--insecure", "--port", str(edge.https_port), "--path", "/health/live")
    left = unlike(h2spec, tmp_path / "report.xml", OF_THE_EDGE.keys(), *options)
    assert left == {}
