"""Builds what the services of one process need: settings with their database URLs, and shared objects."""

from collections.abc import Mapping
from dataclasses import dataclass

from accountsadmin.settings import AccountsadminSettings
from mlpbilling.settings import MlpbillingSettings
from mlpcore.settings import MlpcoreSettings
from mlpgateway.settings import MlpgatewaySettings
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.mail import MailSettings, mailer_of
from mlplace_runtime.objectstore import open_folder
from mlplace_runtime.service import Shared
from mlplace_runtime.space import SpaceWatch
from standalone.data_folder import DataFolder
from standalone.settings import StandaloneSettings

_THIS_MACHINE = "127.0.0.0/8"


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    accountsadmin: AccountsadminSettings
    mlpcore: MlpcoreSettings
    mlpbilling: MlpbillingSettings
    mlpgateway: MlpgatewaySettings


def service_settings(
    settings: StandaloneSettings, folder: DataFolder, database_urls: Mapping[str, str]
) -> ServiceSettings:
    """`database_urls` maps service names to URLs."""
    return ServiceSettings(
        accountsadmin=AccountsadminSettings(database_url=database_urls["accountsadmin"], public_url=settings.rest_url),
        mlpcore=MlpcoreSettings(
            database_url=database_urls["mlpcore"],
            currency=settings.currency,
            public_grpc_address=settings.gate_address,
            public_rest_url=settings.rest_url,
        ),
        mlpbilling=MlpbillingSettings(database_url=database_urls["mlpbilling"], currency=settings.currency),
        mlpgateway=MlpgatewaySettings(
            database_url=database_urls["mlpgateway"],
            usage_spool_dir=folder.usage_spool,
            grpc_host=settings.host,
            grpc_port=settings.gate_port,
            grpc_advertised_address=settings.gate_address,
            instance_networks=_THIS_MACHINE,
        ),
    )


def shared_of(settings: StandaloneSettings, folder: DataFolder, bus: EventBus, internal: InternalClient) -> Shared:
    secrets = folder.secrets()
    return Shared(
        bus=bus,
        clock=SystemClock(),
        internal=internal,
        hasher=KeyedHasher(bytes.fromhex(secrets.hash_secret)),
        envelope_key=bytes.fromhex(secrets.envelope_key),
        internal_token=secrets.internal_token,
        cookies=CookieNames(secure=False),
        data_dir=folder.root,
        objects=open_folder(folder.objects),
        space=SpaceWatch(
            [folder.root], soft_bytes=settings.disk_soft_floor_bytes, hard_bytes=settings.disk_hard_floor_bytes
        ),
        mailer=mailer_of(MailSettings()),
    )
