"""mlpbilling and mlpgateway as processes that the tests kill; the test publishes the events of the other services."""

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, cast

import httpx

from mlpgateway.usage.segment import SUFFIX
from mlplace_contracts.events import (
    AccountChanged,
    AccountLimitsChanged,
    ApiKeyChanged,
    Event,
    InstanceChanged,
    ModelBilling,
    ModelChanged,
    ModelPublicity,
    ModelTimeouts,
)
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_runtime.auth.authenticator import INTERNAL_HEADER
from mlplace_runtime.bus.kafka.bus import KafkaSettings
from mlplace_runtime.bus.port import EventBus, Record
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.outbox import rows_of
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_testing.ports import free_port
from mlplace_testing.processes import ForkServer, ServiceProcess
from tests.crashes.billing_records import BillingRecords, opened
from tests.crashes.spooled import records_in

SECRET = "ab" * 32
OWNER, PAYER = 1_000_000_001, 1_000_000_002
MODEL = 500
_ROOT = Path(__file__).resolve().parents[2]
_UNSEEN = "http://127.0.0.1:9"  # address of services that no test needs
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a test: full, or short enough for `make test`."""

    full: bool

    def of(self, full: _Value, short: _Value) -> _Value:
        return full if self.full else short


@dataclass(frozen=True, slots=True)
class Databases:
    server: EmbeddedPostgres
    billing: ServiceDatabase
    gateway: ServiceDatabase


class Installation:
    """Gates keep their HTTP and gRPC ports across restarts, so that callers and instances find them again."""

    def __init__(
        self,
        fork_server: ForkServer,
        databases: Databases,
        bus_settings: Path | KafkaSettings,
        bus: EventBus,
        folder: Path,
    ) -> None:
        self.databases = databases
        self.bus = bus
        self.folder = folder
        self.on_kafka = isinstance(bus_settings, KafkaSettings)
        self._fork_server = fork_server
        self._bus_settings = bus_settings
        self._numbers = count(1)
        self._services: list[ServiceProcess] = []
        self._instances: list[subprocess.Popen[bytes]] = []
        self._billing: ServiceProcess | None = None
        self.client = httpx.AsyncClient(timeout=60, headers={INTERNAL_HEADER: SECRET})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for instance in self._instances:
            instance.kill()
            instance.wait()
        for service in self._services:
            service.kill()
        await self.client.aclose()

    def billing_records(self) -> AbstractAsyncContextManager[BillingRecords]:
        return opened(self.databases.server, self.databases.billing)

    def billing(self, **settings: str) -> ServiceProcess:
        """`settings` are environment variables without their prefix."""
        self._billing = self._service("mlpbilling", self.databases.billing, settings)
        return self._billing

    def gate(self, **settings: str) -> "Gate":
        """Start mlpbilling first; the gate needs its address."""
        grpc = f"127.0.0.1:{free_port()}"
        host, _, port = grpc.rpartition(":")
        spool = str(self.folder / f"usage-{port}")
        values = {"grpc_host": host, "grpc_port": port, "drain_seconds": "1", "usage_spool_dir": spool, **settings}
        return Gate(self._service("mlpgateway", self.databases.gateway, values), grpc)

    def _service(self, name: str, database: ServiceDatabase, settings: Mapping[str, str]) -> ServiceProcess:
        own = {"database_url": database.service_url, **settings}
        prefixed = {f"MLP_{name}_{setting}".upper(): value for setting, value in own.items()}
        log = self.folder / f"{name}-{next(self._numbers)}.log"
        service = ServiceProcess(self._fork_server, name, {**self._common(), **prefixed}, log)
        self._services.append(service)
        return service

    def _common(self) -> dict[str, str]:
        billing = self._billing.url if self._billing else _UNSEEN
        return {
            "MLP_INTERNAL_TOKEN": SECRET,
            "MLP_HASH_SECRET": SECRET,
            "MLP_ENVELOPE_KEY": SECRET,
            "MLP_MLPBILLING_URL": billing,
            **{f"MLP_{name}_URL": _UNSEEN for name in ("ACCOUNTSADMIN", "MLPCORE", "MLPGATEWAY")},
            **self._bus_environment(),
        }

    def _bus_environment(self) -> dict[str, str]:
        chosen = self._bus_settings
        if isinstance(chosen, Path):
            return {"MLP_BUS": str(chosen)}
        return {"MLP_BUS": f"kafka://{','.join(chosen.servers)}", "MLP_KAFKA_TOPIC_PREFIX": chosen.topic_prefix}

    # ---- Events of other services

    async def publish(self, *events: Event) -> None:
        await self.bus.publish(records_of(*events))

    async def publish_model(self, *, price_nano: int, key_id: int = 1, **about: object) -> str:
        """Publish a public model with a price for each call, and return a payer's key."""
        billing = ModelBilling(
            enabled=True, unit=BillingUnit.CALLS, unit_price_nano=price_nano, currency=Currency.RUBLE, free_unit_quota=0
        )
        values: dict[str, object] = {
            "version": 1, "model_id": MODEL, "model_name": "answer", "account_id": OWNER, "account_name": "owner",
            "task_type": "custom", "active": True, "prototype": False, "fittable": False, "composite": False,
            "hosting_type": "EXTERNAL", "reject_if_inactive": True, "billing": billing,
            "timeouts": ModelTimeouts(pod_start=60, predict=30, fit=60),
            "publicity": ModelPublicity(is_public=True, hidden=False, public_testing_allowed=False), **about,
        }  # fmt: skip
        model = ModelChanged.model_validate(values)
        secret = new_credential(account_id=PAYER, object_id=key_id).text
        key = ApiKeyChanged(
            version=1, key_id=key_id, account_id=PAYER, name="k", key_hash=_hashed(secret), permissions=("predict",),
            allowed_models=None, expires_at=None, active=True,
        )  # fmt: skip
        await self.publish(*(_account(number, name) for number, name in ((OWNER, "owner"), (PAYER, "payer"))))
        await self.publish(model, key, _limits(PAYER))
        return secret

    @property
    def asked(self) -> list[tuple[int, int]]:
        """Instance and number of each request that an instance began to work on."""
        path = self.folder / "asked"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(int(instance), int(number)) for instance, number in map(str.split, lines)]

    def release(self) -> None:
        """Let instances send the answers that they hold back, and all later ones."""
        (self.folder / "released").touch()

    async def run_instance(
        self, *gates: "Gate", instance_id: int = 7, module: str = "instance"
    ) -> "subprocess.Popen[bytes]":
        """Start to serve the model at the gates, like an SDK process that reconnects to a restarted gate."""
        token = new_credential(account_id=OWNER, object_id=instance_id).text
        await self.publish(
            InstanceChanged(
                version=1, instance_id=instance_id, model_id=MODEL, account_id=OWNER, token_hash=_hashed(token),
                accepts_connections=True,
            )
        )  # fmt: skip
        number = next(self._numbers)
        environment = {
            "ASKED": str(self.folder / "asked"),
            "ASKED_AS": str(instance_id),
            "RELEASED": str(self.folder / "released"),
            "MLP_GRPC_HOSTS": ",".join(gate.grpc for gate in gates),
            "MLP_GRPC_SECURE": "false",
            "MLP_SERVICE_TOKEN": token,
            "MLP_STARTUP_PROBE_FILE": str(self.folder / f"startup-{number}"),
            "MLP_LIVENESS_PROBE_FILE": str(self.folder / f"liveness-{number}"),
        }
        with (self.folder / f"instance-{number}.log").open("wb") as log:
            command = [sys.executable, "-m", f"tests.crashes.{module}"]
            self._instances.append(
                subprocess.Popen(  # noqa: ASYNC220  does not wait for the process
                    command, cwd=_ROOT, env={**os.environ, **environment}, stdout=log, stderr=log
                )
            )
        return self._instances[-1]

    # ---- mlpbilling's routes for operators

    async def refill(self, account_id: int, amount_nano: int) -> None:
        body = {
            "accountId": account_id, "amountNano": amount_nano, "currency": "RUBLE",
            "idempotencyKey": f"r{next(self._numbers)}",
        }  # fmt: skip
        await self._ask("POST", "/internal/mlpbilling/bootstrap/refill", body)

    async def verification(self) -> dict[str, object]:
        return await self._ask("GET", "/internal/mlpbilling/ledger/verification")

    async def _ask(self, method: str, path: str, body: object = None) -> dict[str, object]:
        if self._billing is None:
            raise RuntimeError("there is no billing")
        answer = await self.client.request(method, self._billing.url + path, json=body)
        return cast("dict[str, object]", answer.raise_for_status().json())


@dataclass(frozen=True, slots=True)
class Gate:
    process: ServiceProcess
    grpc: str

    @property
    def predict_url(self) -> str:
        return f"{self.process.url}/api/mlpgateway/account/owner/model/answer/predict"

    @property
    def spool(self) -> Path:
        return Path(self.process.environment["MLP_MLPGATEWAY_USAGE_SPOOL_DIR"])

    @property
    def segments(self) -> list[Path]:
        return sorted(self.spool.glob(f"lane-*/*{SUFFIX}"))

    @property
    def on_the_disk(self) -> int:
        """Usages in the files of the spool, shipped or not."""
        return len(records_in(self.segments))


def records_of(*events: Event) -> list[Record]:
    rows = zip(events, rows_of(events, SystemClock()), strict=True)
    return [Record(event.topic.name, event.key, cast("bytes", row["value"])) for event, row in rows]


def _hashed(secret: str) -> str:
    return KeyedHasher(bytes.fromhex(SECRET)).digest(secret)


def _account(account_id: int, name: str) -> AccountChanged:
    return AccountChanged(
        version=1, account_id=account_id, short_name=name, display_name=name, owner_user_id=1,
        email="a@example.org", language="EN", active=True,
    )  # fmt: skip


def _limits(account_id: int) -> AccountLimitsChanged:
    return AccountLimitsChanged(
        version=1, account_id=account_id, predict_per_sec=1_000_000, fit_per_minute=5, features=()
    )
