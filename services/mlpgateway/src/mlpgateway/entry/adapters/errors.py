"""Errors of the adapters."""

from mlplace_kit.errors import DomainError


class AudioFormatNotSupported(DomainError):
    code = "mlp.gate.audio_format_not_supported"
    status = 400
    message = "{asked} is not a supported audio format; use {supported}"


class TokensNotSupported(DomainError):
    code = "mlp.gate.tokens_not_supported"
    status = 400
    message = "this model does not take tokens; send texts"
