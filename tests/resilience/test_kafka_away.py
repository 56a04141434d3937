"""Services that start without Kafka serve what they can, report what is missing, and catch up when Kafka is back."""

import json
import time

import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.resilience.billing_records import BillingRecords
from tests.resilience.containers import Container, Project
from tests.resilience.load import Load

_RESTARTED = ("accountsadmin", "mlpcore", "mlpbilling")
_GATE = "gateway-1"  # it cannot serve before it has read keys and models; its peer can
_SECONDS = 300
"""A deadline, not a measure: run.sh shows how long catching up took."""
_ASK = """
import json, sys, urllib.error, urllib.request
try:
    with urllib.request.urlopen("http://127.0.0.1:8080" + sys.argv[1], timeout=5) as answer:
        status, text = answer.status, answer.read()
except urllib.error.HTTPError as error:
    status, text = error.code, error.read()
except OSError as error:
    status, text = 0, json.dumps({"status": repr(error)})
print(json.dumps([status, json.loads(text)]))
"""


def _ask(project: Project, container: Container, path: str) -> tuple[int, dict[str, object]]:
    """Status (0 if nothing listens) and body."""
    status, body = json.loads(project.python(container, _ASK, path))
    return status, body


@pytest.mark.timeout(1800)
class TestStartWithoutKafka:
    def test_services_start_degraded_without_kafka_and_catch_up(
        self, platform: Platform, project: Project, billing_records: BillingRecords
    ) -> None:
        before = billing_records.standing()
        kafka = project.replicas("kafka")[0]
        restarted = [project.replicas(service)[0] for service in _RESTARTED]
        gate = project.replicas(_GATE)[0]
        project.kill(kafka)
        try:
            with Load(platform.url, platform.api_key) as load:
                for container in (*restarted, gate):
                    project.restart(container)
                for container in restarted:
                    self._says(project, container, (200, "degraded"))
                self._says(project, gate, (503, "unavailable"))
                load.wait_for_answers(40, seconds=_SECONDS)
                meanwhile = eventually(billing_records.standing_if_served, seconds=_SECONDS, every=1)
                assert meanwhile is not None
                assert meanwhile.balance <= before.balance
        finally:
            project.start(kafka)
        eventually(lambda: "kafka" in project.unwell(), until=lambda away: not away, seconds=_SECONDS, every=1)
        back = time.monotonic()
        eventually(project.unwell, until=lambda services: not services, seconds=_SECONDS, every=1)
        for container in (*restarted, gate):
            eventually(
                lambda container=container: _ask(project, container, "/health/ready"),
                until=lambda answer: answer[1]["status"] == "ok",
                seconds=_SECONDS,
            )
        print(f"caught up {time.monotonic() - back:.1f} s after Kafka was back")  # noqa: T201  run.sh shows it
        assert [outcome for outcome in load.outcomes if not outcome.answered and not outcome.retryable] == []
        billing_records.check(before, load.prefix, load.outcomes)

    @staticmethod
    def _says(project: Project, container: Container, expected: tuple[int, str]) -> None:
        """It is live, and its readiness names events as missing."""
        eventually(
            lambda: _ask(project, container, "/health/live"),
            until=lambda answer: answer[0] == 200,
            seconds=_SECONDS,
        )
        ready = eventually(
            lambda: _ask(project, container, "/health/ready"),
            until=lambda answer: (answer[0], answer[1]["status"]) == expected,
            seconds=_SECONDS,
        )
        assert "events" in json.dumps(ready[1]["missing"]), ready
