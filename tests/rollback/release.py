"""The four services of one release as processes, on databases and a bus that outlive it."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_runtime.process import SERVICES
from mlplace_testing.processes import ForkServer, ServiceProcess

SECRET = "ab" * 32
_FEATURES = ("mlp.model_admin", "mlp.public_model_admin")


@dataclass(frozen=True, slots=True)
class Stores:
    """What stays when one release replaces another. `gate` is the address of the gate in each of them."""

    databases: Mapping[str, ServiceDatabase]
    folder: Path
    gate: str

    def settings(self, service: str) -> dict[str, str]:
        host, _, port = self.gate.rpartition(":")
        own = {
            "mlpcore": {"PUBLIC_GRPC_ADDRESS": self.gate, "OPEN_REGISTRATION_FEATURES": json.dumps(_FEATURES)},
            "mlpgateway": {
                "GRPC_HOST": host, "GRPC_PORT": port, "GRPC_ADVERTISED_ADDRESS": self.gate, "DRAIN_SECONDS": "2",
                "USAGE_SPOOL_DIR": str(self.folder / "usage"),
            },
        }  # fmt: skip
        values = {"DATABASE_URL": self.databases[service].service_url, **own.get(service, {})}
        return {f"MLP_{service.upper()}_{name}": value for name, value in values.items()} | {
            "MLP_INTERNAL_TOKEN": SECRET,
            "MLP_HASH_SECRET": SECRET,
            "MLP_ENVELOPE_KEY": SECRET,
            "MLP_BUS": str(self.folder / "bus.sqlite3"),
            "MLP_DATA_DIR": str(self.folder),
            "MLP_SECURE_COOKIES": "false",
        }


class Release:
    """Runs during the block. `url` of a service is its own: there is no edge."""

    def __init__(self, name: str, fork_server: ForkServer, stores: Stores) -> None:
        self._services = {
            service: ServiceProcess(
                fork_server, service, stores.settings(service), stores.folder / f"{name}-{service}.log"
            )
            for service in SERVICES
        }
        urls = {f"MLP_{service.upper()}_URL": process.url for service, process in self._services.items()}
        for process in self._services.values():
            process.environment.update(urls)

    async def __aenter__(self) -> Self:
        try:
            await asyncio.gather(*(process.start() for process in self._services.values()))
        except TimeoutError:
            self._kill()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            for process in reversed(self._services.values()):
                await process.stop()
        finally:
            self._kill()

    def url(self, service: str) -> str:
        return self._services[service].url

    def _kill(self) -> None:
        for process in self._services.values():
            process.kill()
