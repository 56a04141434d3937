"""Why an address of a tenant is not called."""

from mlplace_kit.errors import DomainError


class AddressNotAllowed(DomainError):
    """The message names no address: what a name leads to inside is none of the tenant's business."""

    code = "mlp.gate.address_not_allowed"
    status = 400
    message = "this address cannot be called from the platform: {reason}"


class AddressUnreachable(DomainError):
    code = "mlp.gate.address_unreachable"
    status = 502
    message = "the address does not answer: {reason}"
