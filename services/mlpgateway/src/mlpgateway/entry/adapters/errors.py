"""Errors of the adapters."""

from collections.abc import Sequence

from mlplace_kit.errors import DomainError, ValidationFailed
from mlplace_kit.violations import broken

_MOST_SHOWN = 100


class AudioFormatNotSupported(ValidationFailed):
    """`field` is the caller's field that names the format. Clients know the code, which is older than the field."""

    code = "mlp.gate.audio_format_not_supported"
    message = "{asked} is not a supported audio format; use {supported}"

    def __init__(self, field: str, *, asked: str, supported: Sequence[str]) -> None:
        about = {"asked": asked[:_MOST_SHOWN], "supported": " or ".join(supported)}
        super().__init__({field: broken("one_of", message=self.message.format(**about), allowed=", ".join(supported))})
        self.details = about


class TokensNotSupported(DomainError):
    code = "mlp.gate.tokens_not_supported"
    status = 400
    message = "this model does not take tokens; send texts"
