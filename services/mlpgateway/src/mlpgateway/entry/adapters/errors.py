"""Errors of the adapters."""

from mlplace_kit.errors import DomainError


class AudioFormatNotSupported(DomainError):
    code = "mlp.gate.audio_format_not_supported"
    status = 400
    message = "speech comes as {supported}, not as {asked}"


class TokensNotSupported(DomainError):
    code = "mlp.gate.tokens_not_supported"
    status = 400
    message = "this service takes texts; tokens of another vocabulary mean nothing to it"
