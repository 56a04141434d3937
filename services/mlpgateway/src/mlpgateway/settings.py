"""Settings of mlpgateway: environment variables that start with `MLP_MLPGATEWAY_`."""

from ipaddress import ip_network
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from mlpgateway.shares.share import Fractions
from mlplace_kit.networks import Network, network_of_hosts
from mlplace_kit.prices import PriceSettings
from mlplace_runtime.db.urls import DatabaseUrl
from mlplace_runtime.process.trusted_proxies import ProxyList

_MEBIBYTE = 1024 * 1024


class MlpgatewaySettings(PriceSettings):
    model_config = SettingsConfigDict(env_prefix="MLP_MLPGATEWAY_", extra="ignore", frozen=True)

    database_url: DatabaseUrl
    """`postgresql+asyncpg://...` of the role that serves, with its password."""
    owner_database_url: DatabaseUrl = ""
    """URL of the role that migrates; only `migrate` needs it."""

    usage_spool_dir: Path
    """Folder for usage on its way to the event bus. It must outlive the process: in a container, put it on a volume.
    Gates of one host may share it; a running gate ships the usage that a dead one left."""
    usage_spool_bytes: int = Field(default=256 * _MEBIBYTE, ge=_MEBIBYTE)
    """The most usage that may wait there while the bus is away (about 700 bytes a call); then calls are refused."""
    usage_sync: Literal["interval", "always"] = "interval"
    """`always`: an answer waits until its usage is on the disk. `interval`: usage is synced to the disk within 50 ms;
    only a crash of the machine can lose the usage of its last moment."""

    grpc_host: str = "127.0.0.1"
    """Address that the gate listens on."""
    grpc_port: int = Field(default=8090, ge=0, le=65535)
    """0 takes any free port."""
    grpc_advertised_address: str | None = None
    """`host:port` at which instances reach this gate; by default the address it listens on."""
    grpc_tls_certificate: Path | None = None
    """PEM file; plain HTTP/2 without it."""
    grpc_tls_key: Path | None = None
    """PEM files; plain HTTP/2 without them."""
    grpc_internal_address: str | None = None
    """`host:port` at which other gates reach this one; by default the address it listens on."""
    grpc_internal_port: int | None = Field(default=None, ge=0, le=65535)
    """A port for other gates alone, without TLS. Needed with a certificate; without one they use grpc_port."""
    trusted_proxies: ProxyList = ""
    """Comma-separated addresses, networks and host names of the proxies in front of the port of gRPC, whose
    X-Forwarded-For is believed there. Without it, callers are the peers of connections."""

    max_body_bytes: int = Field(default=100 * _MEBIBYTE, ge=1)
    """The largest body of a request, and the largest gRPC message."""
    kept_answer_bytes: int = Field(default=16 * _MEBIBYTE, ge=1)
    """The largest answer that is stored, for a call with an Idempotency-Key or an asynchronous call."""
    predictions_at_once: int = Field(default=64, ge=0)
    """Asynchronous calls (`Prefer: respond-async`) that one gate runs at the same time."""
    predictions_open: int = Field(default=1000, ge=1)
    """The most asynchronous calls that one account may have waiting and running."""
    prediction_patience_seconds: float = Field(default=600.0, ge=0)
    """How long an asynchronous call is tried again while a limit or a missing instance prevents it."""
    prediction_hours: float = Field(default=24.0, gt=0)
    """How long its answer is kept, unless its account sets a shorter time."""
    default_storage_bytes: int = Field(default=10 * 1024 * _MEBIBYTE, ge=0)
    """Storage of accounts whose `storageLimit` is not known yet: predictions, answers stored for repeated calls,
    archived requests."""
    archived_bytes: int = Field(default=4 * _MEBIBYTE, ge=0)
    """The largest request, and the largest answer, that a model's archive keeps whole."""
    archive_waiting_bytes: int = Field(default=32 * _MEBIBYTE, ge=0)
    """The most that may wait at one gate to be archived. Above it, requests are not archived."""
    egress_allowed_networks: str = ""
    """Internal networks that tenants may use in webhooks and as hosts of their models, comma-separated; without it only
    public addresses."""
    instance_networks: str = ""
    """Internal networks of the platform's own hosting servers, comma-separated. Gates call instances there over HTTP.
    Servers of tenants stay within egress_allowed_networks."""
    drain_seconds: float = Field(default=20.0, ge=0)
    """The longest time that running calls get to finish when the service stops."""
    settle_seconds: float = Field(default=0.0, ge=0)
    """How long a stopping service still serves everybody, already not ready, before it refuses new connections."""
    connection_seconds: float = Field(default=0.0, ge=0)
    """How long proxies in front keep an idle connection to this gate. A stopping gate waits this long before it closes
    any."""

    warm_calls: bool = True
    """Whether calls that need not wait are served without a task, from decisions that hold until an event. All rules
    are the same either way; switch it off to find out whether it is the cause of something."""
    test_form_feature_required: bool = False
    """Whether a person who tests another account's model in the browser needs the feature `mlp.test_form`."""
    direct_unit_nano: int = Field(default=1, ge=1, le=10**9)
    """Nano-units of money in one unit of the header Z-custom-billing of a model with the unit `direct`."""
    first_cost_nano: int = Field(default=1_000_000, ge=0)
    """What the first call of a model that reports its price only afterwards reserves (a thousandth of a unit)."""
    max_leased_nano: int = Field(default=100 * 10**9, ge=1)
    """The most money that one gate leases for one payer at a time."""

    default_predict_per_sec: int = Field(default=10, ge=0)
    """Calls per second of accounts whose limits are not known yet."""
    most_calls: int = Field(default=10_000, ge=1)
    """Calls in progress at this gate, including calls that wait for an instance; more are refused."""
    unhurried_calls: int = Field(default=256, ge=1)
    """This many calls are always admitted. Above it, some are refused when the process is more than a quarter of a
    second late with its work, and all when it is a second late."""
    most_request_bytes: int = Field(default=128 * _MEBIBYTE, ge=1)
    """The bytes that the requests of these calls hold together. Above it, further requests with a body are refused,
    those with a Content-Length before the body is read. One request always fits. In memory a request takes up to four
    times its size, so the default suits a container of 1 GiB."""
    account_share: float = Field(default=0.25, gt=0, le=1)
    """The part of a gate's capacity (calls in progress, bytes of requests, waiting calls, WebSockets, streams) that one
    account may use at a time; more is refused with 429. An eighth of each is reserved for accounts that use little."""
    address_share: float = Field(default=0.02, gt=0, le=1)
    """The same for a client address whose calls another gate authenticates while this one starts."""
    owner_share: float = Field(default=0.5, gt=0, le=1)
    """The part of the calls in progress that may go to the models of one account, so that models which do not answer
    leave room for others."""
    visitors_at_once: int = Field(default=16, ge=0)
    """Calls of visitors who are not signed in that are in progress at this gate; one address gets an eighth of them. 0:
    visitors call nothing. Owners also have to allow visitors for each model (`visitorCallsPerDay`)."""
    visitor_calls_per_minute: int = Field(default=6, ge=0)
    """Calls of visitors from one address (IPv6: from one /64 network) at this gate."""
    visitor_calls_per_day: int = Field(default=60, ge=0)
    """The same in a day."""
    visitors_per_minute: int = Field(default=240, ge=0)
    """Calls of all visitors together, at all gates."""
    visitor_body_bytes: int = Field(default=16 * 1024, ge=1)
    """The largest request of a visitor."""
    visitor_seconds: float = Field(default=30.0, gt=0)
    """The longest time that a visitor's call may take."""
    most_sockets: int = Field(default=4000, ge=1)
    """WebSockets open at this gate."""
    most_streams: int = Field(default=4000, ge=1)
    """Streamed answers in progress at this gate: server-sent events, lines, gRPC streams."""
    instance_connects_per_minute: int = Field(default=60, ge=1)
    """How often instances may connect to this gate with one token; half of it may come at once. More is refused with
    RESOURCE_EXHAUSTED and the time after which to try again, before anything is stored."""
    instance_streams: int = Field(default=16, ge=1)
    """Streams of instances that may be open at this gate with one token."""
    account_connects_per_minute: int = Field(default=1_200, ge=1)
    """The same for all instances of an account together."""
    account_instance_streams: int = Field(default=2_000, ge=1)
    """The same for all instances of an account together."""
    grpc_connections: int = Field(default=20_000, ge=16)
    """Connections open at the gRPC port, at most half of the files that the process may open."""
    grpc_unproven_connections: int = Field(default=1_024, ge=1)
    """The part of them on which no valid key, session or token has been shown. A new connection above it closes the
    oldest one that is not being served."""
    grpc_unproven_per_address: int = Field(default=256, ge=1)
    """The same for one address; trusted_proxies are not counted."""
    grpc_streams_per_connection: int = Field(default=1_024, ge=1)
    """Calls in progress on one connection; clients hold back further ones."""
    waiting_calls_per_model: int = Field(default=1000, ge=0)
    """The most calls of one model that wait at this gate for an instance to start or to be free; more are refused."""
    waiting_bytes_per_model: int = Field(default=64 * _MEBIBYTE, ge=0)
    """The bytes that their requests hold together. One call may wait however large it is."""
    waiting_calls: int = Field(default=10_000, ge=0)
    """The most calls that wait at this gate in all."""
    waiting_bytes: int = Field(default=256 * _MEBIBYTE, ge=0)
    """The bytes that their requests hold together."""
    woken_concurrency: int = Field(default=10, ge=1)
    """How many of the calls that waited for its start an instance gets at a time, when its model has no queue of its
    own. Instances of the SDKs work on ten at a time."""
    sample_seconds: float = Field(default=10.0, ge=1, le=10)
    """Seconds between two reports of what this gate counted, for measures and autoscaling."""
    ageing_seconds: float = Field(default=10.0, gt=0)
    """A call in a priority queue that has waited this long is overtaken by at most three others in a row."""
    start_seconds: float = Field(default=15.0, ge=0)
    """How long a starting gate waits for its read models before it admits instances without them."""

    build_number: str = ""
    """Shown by `/version`."""
    build_date: str = ""
    """Shown by `/version`."""
    build_branch: str = ""
    """Shown by `/version`."""

    @model_validator(mode="after")
    def _certificate_with_key(self) -> Self:
        if (self.grpc_tls_certificate is None) is not (self.grpc_tls_key is None):
            raise ValueError(
                "MLP_MLPGATEWAY_GRPC_TLS_CERTIFICATE and MLP_MLPGATEWAY_GRPC_TLS_KEY are given together or not at all"
            )
        return self

    @model_validator(mode="after")
    def _drain_holds_all(self) -> Self:
        if self.settle_seconds + self.connection_seconds > self.drain_seconds:
            raise ValueError(
                "MLP_MLPGATEWAY_DRAIN_SECONDS must be at least MLP_MLPGATEWAY_SETTLE_SECONDS and "
                "MLP_MLPGATEWAY_CONNECTION_SECONDS together"
            )
        return self

    @field_validator("egress_allowed_networks", "instance_networks")
    @classmethod
    def _are_networks(cls, text: str) -> str:
        _networks(text)
        return text

    @property
    def egress_networks(self) -> tuple[Network, ...]:
        return _networks(self.egress_allowed_networks)

    @property
    def hosting_networks(self) -> tuple[Network, ...]:
        return _networks(self.instance_networks)

    @property
    def share_fractions(self) -> Fractions:
        return Fractions(self.account_share, self.address_share)


def _networks(text: str) -> tuple[Network, ...]:
    """Raises ValueError also for bits behind a prefix: `10.0.0.5/8` is hardly meant to open all of `10.0.0.0/8`."""
    found = tuple(map(network_of_hosts, _listed(text)))
    for each in _listed(text):
        ip_network(each)
    return found


def _listed(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())
