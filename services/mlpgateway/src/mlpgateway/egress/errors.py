"""Errors of calls to addresses that tenants set."""

from mlplace_kit.errors import DomainError


class AddressNotAllowed(DomainError):
    """The message names no address: a tenant must not learn what a name resolves to inside the network.

    `why` is `reason` for programs: credentials, private_network, not_http, not_url, ambiguous_host or port.
    """

    code = "mlp.gate.address_not_allowed"
    status = 400
    message = "this address cannot be called from the platform: {reason}"


class AddressUnreachable(DomainError):
    code = "mlp.gate.address_unreachable"
    status = 502
    message = "the address does not answer: {reason}"
