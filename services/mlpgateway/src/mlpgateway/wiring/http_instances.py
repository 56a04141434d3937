"""Builds the transport to instances over HTTP from the settings."""

from mlpgateway.call.ports import ConnectionLog
from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.clients import Clients, ClientsByTrust
from mlpgateway.instances.http.instances import HttpInstances
from mlpgateway.readmodels.all import ReadModels
from mlpgateway.settings import MlpgatewaySettings


def make_http_instances(
    settings: MlpgatewaySettings, read_models: ReadModels, connections: ConnectionLog
) -> HttpInstances:
    """Tenants' instances are bound by the same rules as their webhooks. The platform's servers may be internal."""
    tenants = EgressRules(settings.egress_networks)
    platform = EgressRules((*settings.egress_networks, *settings.hosting_networks))
    return HttpInstances(
        instances=read_models.instances,
        models=read_models.models,
        clients=ClientsByTrust(Clients.under(tenants), Clients.under(platform, any_port=True)),
        connections=connections,
        most_bytes=settings.max_body_bytes,
    )
