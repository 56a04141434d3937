"""Every entry point: the routes of the four services, the raw routes of the gateway, and the gate's methods."""

import re
from dataclasses import dataclass
from functools import cache

from mlpgateway.entry.adapters.routes import ADAPTER_ROUTES
from mlpgateway.entry.http.routes import RAW_ROUTES
from mlpgateway.entry.http.visitors import VISITOR_ROUTE
from mlpgateway.entry.sockets.openapi import HTTP_ROUTES
from mlplace_gateproto import gate_pb2 as pb
from mlplace_testing.web import routes_of
from standalone.documents import BUILDERS

_WITHOUT_DATA = re.compile(r"(/internal/\w+)?/(health/(live|ready)|metrics)|/api/\w+/docs")
"""Health checks, metrics and pages: they show no data of accounts, and the edge does not route the first two."""


@dataclass(frozen=True)
class Route:
    """`policies` are the policies' own descriptions."""

    service: str
    operation: str
    method: str
    path: str
    policies: tuple[str, ...]

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.path)

    @property
    def name(self) -> str:
        return f"{self.service}.{self.operation}"

    def is_a(self, policy: str) -> bool:
        return any(described.partition("(")[0] == policy for described in self.policies)

    @property
    def open_to_all(self) -> bool:
        return all(described == "Public" for described in self.policies)

    @property
    def inside(self) -> bool:
        return self.is_a("Internal") or self.is_a("Scraper")


def _plain(path: str) -> str:
    """Returns the path with the names of its parameters alone."""
    return path.replace(":path}", "}")


@cache
def all_routes() -> tuple[Route, ...]:
    declared = [
        Route(
            service,
            route.operation,
            min(route.methods),
            _plain(route.path),
            tuple(p.describe() for p in route.policies),
        )
        for service, build in BUILDERS.items()
        for route in routes_of(build())
        if not _WITHOUT_DATA.fullmatch(route.path)
    ]
    calls = (*RAW_ROUTES, VISITOR_ROUTE)
    raw = [Route("mlpgateway", raw.name, "POST", raw.path, (raw.policy.describe(),)) for raw in calls]
    adapters = [Route("mlpgateway", it.name, it.method, it.path, (it.policy.describe(),)) for it in ADAPTER_ROUTES]
    passed = [Route("mlpgateway", it.name, it.method, it.path, (it.policy.describe(),)) for it in HTTP_ROUTES]
    return (*declared, *raw, *adapters, *passed)


def probes() -> list[str]:
    """Paths of the omitted routes."""
    paths = {route.path for build in BUILDERS.values() for route in routes_of(build())}
    return sorted(path for path in paths if _WITHOUT_DATA.fullmatch(path))


def gate_methods() -> list[str]:
    return [method.name for method in pb.DESCRIPTOR.services_by_name["Gate"].methods]
