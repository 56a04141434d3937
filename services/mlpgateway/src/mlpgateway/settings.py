"""Settings of mlpgateway: environment variables that start with `MLP_MLPGATEWAY_`."""

from ipaddress import ip_network
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from mlpgateway.shares.share import Fractions
from mlplace_kit.networks import Network
from mlplace_kit.prices import PriceSettings

_MEBIBYTE = 1024 * 1024


class MlpgatewaySettings(PriceSettings):
    model_config = SettingsConfigDict(env_prefix="MLP_MLPGATEWAY_", extra="ignore", frozen=True)

    database_url: str
    """`postgresql+asyncpg://...` of the role that serves, with its password."""
    owner_database_url: str = ""
    """Of the role that migrates; only `migrate` needs it."""

    usage_spool_dir: Path
    """Folder for usage on its way to the event bus. It must outlive the process: in a container it is on a volume.
    Gates of one host may share it, and one that runs ships what a dead one has left."""
    usage_spool_bytes: int = Field(default=256 * _MEBIBYTE, ge=_MEBIBYTE)
    """How much usage may wait there while the bus is away (about 700 bytes for a call); then calls are refused."""
    usage_sync: Literal["interval", "always"] = "interval"
    """`always`: an answer waits until its usage is on the disk. `interval`: the disk is told within 50 ms, so that only
    a crash of the machine can lose the usage of its last moment."""

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
    trusted_proxies: str = ""
    """Addresses, networks and host names of the proxies in front, comma-separated: from nobody else X-Forwarded-For is
    believed."""
    trusted_hops: int = Field(default=0, ge=0)
    """How many of the last entries of X-Forwarded-For these proxies have written; 0 believes none."""

    max_body_bytes: int = Field(default=100 * _MEBIBYTE, ge=1)
    """The largest body of a request, and the largest message of gRPC."""
    kept_answer_bytes: int = Field(default=16 * _MEBIBYTE, ge=1)
    """The largest answer that is kept, for a call with an Idempotency-Key or one that nobody waits for."""
    predictions_at_once: int = Field(default=64, ge=0)
    """Calls that nobody waits for (`Prefer: respond-async`) and that one gate serves at the same time."""
    predictions_open: int = Field(default=1000, ge=1)
    """How many of them one account may have waiting and running."""
    prediction_patience_seconds: float = Field(default=600.0, ge=0)
    """How long such a call is tried again while a limit or a missing instance is in its way."""
    prediction_hours: float = Field(default=24.0, gt=0)
    """How long its answer is kept, unless its account wants it to be deleted sooner."""
    default_storage_bytes: int = Field(default=10 * 1024 * _MEBIBYTE, ge=0)
    """What accounts may store whose `storageLimit` has not been told yet: predictions, answers that are kept for
    repeated calls, archived requests."""
    archived_bytes: int = Field(default=4 * _MEBIBYTE, ge=0)
    """The largest request, and the largest answer, that is kept whole in the archive of a service."""
    archive_waiting_bytes: int = Field(default=32 * _MEBIBYTE, ge=0)
    """What waits at one gate to be archived; while it is more, requests are not archived."""
    egress_allowed_networks: str = ""
    """Networks inside that tenants may name in webhooks and as hosts of their services, comma-separated; without it
    only public addresses."""
    instance_networks: str = ""
    """Networks inside in which the platform's own hosting servers stand, comma-separated: there gates reach instances
    over HTTP. What a tenant's server says of itself stays within egress_allowed_networks."""
    drain_seconds: float = Field(default=20.0, ge=0)
    """What running calls get to finish when the service stops. It has ended by then."""
    settle_seconds: float = Field(default=0.0, ge=0)
    """When it stops: how long it serves as ever, not ready any more, before it refuses new connections."""
    connection_seconds: float = Field(default=0.0, ge=0)
    """How long proxies in front keep a connection to this gate, used or not: it waits for that before it closes any."""

    test_form_feature_required: bool = False
    """Whether a person who tests another account's model in the browser needs the feature `mlp.test_form`."""
    direct_unit_nano: int = Field(default=1, ge=1, le=10**9)
    """Nano-units of money in one unit of the header Z-custom-billing of a model with the unit `direct`."""
    first_cost_nano: int = Field(default=1_000_000, ge=0)
    """What the first call of a model that tells its price only afterwards holds back (a thousandth of a unit)."""
    max_leased_nano: int = Field(default=100 * 10**9, ge=1)
    """The most that one gate asks to hold for one payer at a time."""

    default_predict_per_sec: int = Field(default=10, ge=0)
    """For accounts whose limits have not been told yet."""
    most_calls: int = Field(default=10_000, ge=1)
    """Calls in progress at this gate; more are refused. Those that wait for an instance count."""
    unhurried_calls: int = Field(default=256, ge=1)
    """So many are let in whatever happens. Beyond them, some are refused when the process is more than a quarter of a
    second late with its work, and all when it is a second late."""
    most_request_bytes: int = Field(default=128 * _MEBIBYTE, ge=1)
    """What the requests of these calls hold together; beyond it further ones with a body are refused, those that say
    their length before it is read. One request fits however large it is. In memory a request takes up to four times its
    size, so that the default suits a container of 1 GiB."""
    account_share: float = Field(default=0.25, gt=0, le=1)
    """The part of what a gate has (calls in progress, bytes of requests, calls that wait, WebSockets, streams) that one
    account may have at a time; what is more is refused with 429. An eighth of each is kept for accounts that have
    little."""
    address_share: float = Field(default=0.02, gt=0, le=1)
    """The same for an address whose calls another gate has to judge, while this one starts."""
    owner_share: float = Field(default=0.5, gt=0, le=1)
    """The part of the calls in progress that may be to the services of one account: services which do not answer leave
    room for others."""
    most_sockets: int = Field(default=4000, ge=1)
    """WebSockets open at this gate."""
    most_streams: int = Field(default=4000, ge=1)
    """Answers in parts that are under way at this gate: server-sent events, lines, streams of gRPC."""
    instance_connects_per_minute: int = Field(default=60, ge=1)
    """How often instances may connect to this gate with one token; half of it may come at once. What is more is refused
    with RESOURCE_EXHAUSTED and the time after which to try again, before anything is written down."""
    instance_streams: int = Field(default=16, ge=1)
    """Streams of instances that may be open at this gate with one token."""
    account_connects_per_minute: int = Field(default=1_200, ge=1)
    """The same for all instances of an account together."""
    account_instance_streams: int = Field(default=2_000, ge=1)
    """The same for all instances of an account together."""
    grpc_connections: int = Field(default=20_000, ge=16)
    """Connections open at the gRPC port, at most half of the files that the process may open."""
    grpc_unproven_connections: int = Field(default=1_024, ge=1)
    """Of these, such on which nobody has shown a key, a session or a token that the platform knows. A newcomer beyond
    it closes the oldest one that is not being served."""
    grpc_unproven_per_address: int = Field(default=256, ge=1)
    """The same of one address; trusted_proxies are not counted."""
    grpc_streams_per_connection: int = Field(default=1_024, ge=1)
    """Calls in progress on one connection; clients wait with further ones."""
    waiting_calls_per_model: int = Field(default=1000, ge=0)
    """How many calls of one model wait at this gate for an instance, to start or to be free; more are refused."""
    waiting_bytes_per_model: int = Field(default=64 * _MEBIBYTE, ge=0)
    """And how much their requests hold together. One call waits however large it is."""
    waiting_calls: int = Field(default=10_000, ge=0)
    """How many wait at this gate in all."""
    waiting_bytes: int = Field(default=256 * _MEBIBYTE, ge=0)
    """And how much their requests hold together."""
    woken_concurrency: int = Field(default=10, ge=1)
    """How many of the calls that waited for its start an instance gets at a time, where its service has no queue of its
    own. Services of the SDKs work on ten at a time."""
    ageing_seconds: float = Field(default=10.0, gt=0)
    """From then on a call in a priority queue is overtaken by three others in a row at most."""
    start_seconds: float = Field(default=15.0, ge=0)
    """How long the gate waits at its start for what it has to know, before it lets instances in all the same."""

    build_number: str = ""
    """Shown by `/version`."""
    build_date: str = ""
    """Shown by `/version`."""
    build_branch: str = ""
    """Shown by `/version`."""

    @model_validator(mode="after")
    def _certificate_with_key(self) -> Self:
        if (self.grpc_tls_certificate is None) is not (self.grpc_tls_key is None):
            raise ValueError("a TLS certificate needs its key, and a key its certificate")
        return self

    @model_validator(mode="after")
    def _hops_of_somebody(self) -> Self:
        if self.trusted_hops and not self.proxies:
            raise ValueError("trusted_hops needs trusted_proxies: who else reaches the gate could write the header too")
        return self

    @model_validator(mode="after")
    def _drain_holds_all(self) -> Self:
        if self.settle_seconds + self.connection_seconds > self.drain_seconds:
            raise ValueError("drain_seconds must be at least settle_seconds and connection_seconds together")
        return self

    @field_validator("egress_allowed_networks", "instance_networks")
    @classmethod
    def _are_networks(cls, text: str) -> str:
        for network in _listed(text):
            ip_network(network)
        return text

    @property
    def egress_networks(self) -> tuple[Network, ...]:
        return tuple(ip_network(text) for text in _listed(self.egress_allowed_networks))

    @property
    def hosting_networks(self) -> tuple[Network, ...]:
        return tuple(ip_network(text) for text in _listed(self.instance_networks))

    @property
    def share_fractions(self) -> Fractions:
        return Fractions(self.account_share, self.address_share)

    @property
    def proxies(self) -> tuple[str, ...]:
        return _listed(self.trusted_proxies)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())
