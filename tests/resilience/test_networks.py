"""A hosting server and its instances can reach the edge and the gates, and nothing behind them; nobody chooses the
address that the platform sees."""

import json

import httpx

from tests.acceptance.caller_addresses import PROGRAM
from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.resilience.containers import Container, Project

_HIDDEN = ("postgres:5432", "kafka:9092", "redis:6379", "s3:7070")
_INSIDE = ("accountsadmin:8080", "mlpcore:8080", "mlpbilling:8080", "mlpgateway:8080", "prometheus:9090")
_SECONDS = 120
"""A deadline, not a measure: a test before this one may have killed a replica."""
_ADDRESSES = """
import json, socket, sys
found = []
for address in sys.argv[1:]:
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), 1).close()
        found.append(address)
    except OSError:
        pass
print(json.dumps(found))
"""


def _reachable(project: Project, *addresses: str, source: str) -> list[str]:
    return json.loads(project.python(project.replicas(source)[0], _ADDRESSES, *addresses))


class TestAgent:
    def test_agent_reaches_the_edge(self, project: Project) -> None:
        assert _reachable(project, "edge:8080", source="agent") == ["edge:8080"]

    def test_agent_reaches_nothing_behind_the_edge_by_name(self, project: Project) -> None:
        assert _reachable(project, *_HIDDEN, *_INSIDE, source="agent") == []

    def test_agent_reaches_nothing_behind_the_edge_by_address(self, project: Project) -> None:
        stores = [f"{ip}:5432" for ip in project.addresses("postgres")]
        services = [f"{ip}:8080" for ip in project.addresses("mlpbilling")]
        assert _reachable(project, *stores, source="mlpbilling") == stores
        assert _reachable(project, *stores, *services, source="agent") == []


class TestEdge:
    def test_edge_hides_internal_routes(self, platform: Platform) -> None:
        for path in (
            "/internal/mlpcore/keys/resolve",
            "/internal/mlpbilling/health/ready",
            "/metrics",
            "/metrics/detailed",
        ):
            assert httpx.get(platform.url + path).status_code == 404


class TestPrometheus:
    def test_prometheus_scrapes_every_replica(self, project: Project) -> None:
        expected = {
            job: sum(len(project.replicas(service)) for service in services)
            for job, services in {
                "accountsadmin": ["accountsadmin"],
                "mlpcore": ["mlpcore"],
                "mlpbilling": ["mlpbilling"],
                "mlpgateway": ["gateway-0", "gateway-1"],
                "mlpcore-detailed": ["mlpcore"],
                "mlpgateway-detailed": ["gateway-0", "gateway-1"],
            }.items()
        }
        address = project.compose("port", "prometheus", "9090").strip()

        def counts() -> dict[str, int]:
            answer = httpx.get(f"http://{address}/api/v1/query", params={"query": "count by (job) (up == 1)"})
            return {row["metric"]["job"]: int(row["value"][1]) for row in answer.json()["data"]["result"]}

        eventually(counts, until=lambda found: found == expected, seconds=_SECONDS)

    def test_prometheus_has_loaded_the_alert_rules(self, project: Project) -> None:
        address = project.compose("port", "prometheus", "9090").strip()
        rules = httpx.get(f"http://{address}/api/v1/rules").json()["data"]["groups"][0]["rules"]
        assert len(rules) >= 10
        assert {rule["health"] for rule in rules} <= {"ok", "unknown"}, rules


class TestCallerAddress:
    """The headers that `PROGRAM` sends name another address."""

    def test_is_that_of_who_connects_to_the_edge(self, platform: Platform, project: Project) -> None:
        agent = project.replicas("agent")[0]
        assert [_address(platform, project, agent, "http://edge:8080")] == project.addresses("agent")

    def test_a_container_behind_the_edge_cannot_choose_its_own(self, platform: Platform, project: Project) -> None:
        billing = project.replicas("mlpbilling")[0]
        assert _address(platform, project, billing, "http://accountsadmin:8080") in project.addresses("mlpbilling")


def _address(platform: Platform, project: Project, container: Container, url: str) -> str:
    login = "demo@example.org"
    return project.python(container, PROGRAM, url, login, platform.passwords[login]).strip()
