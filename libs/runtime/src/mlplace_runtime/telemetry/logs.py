"""Structured logs: JSON lines with ids, never bodies or secrets."""

import logging
import re
import sys
from collections.abc import MutableMapping

import structlog

from mlplace_kit.masking import masked_text
from mlplace_runtime.telemetry import current
from mlplace_runtime.telemetry.repeats import Repeats

_SECRET_NAMES = re.compile(r"(?i)(secret|password|token|api_key|authorization|cookie)")
_CREDENTIAL = re.compile(r"\b\d{1,19}\.\d{1,19}\.[A-Za-z0-9]{40}\b")
# The web server's own logs contain addresses and, at debug level, headers of WebSockets.
_CHATTY = ("aiokafka", "alembic", "httpcore", "httpx", "uvicorn.access", "uvicorn.error")
REDACTED = "[redacted]"


def redact(_logger: object, _method: str, entry: MutableMapping[str, object]) -> MutableMapping[str, object]:
    """Replaces the values of fields with secret-like names, and text anywhere that looks like a secret."""
    for name, value in entry.items():
        if _SECRET_NAMES.search(name):
            entry[name] = REDACTED
        elif isinstance(value, str):
            entry[name] = masked_text(_CREDENTIAL.sub(REDACTED, value))
    return entry


def add_request(_logger: object, _method: str, entry: MutableMapping[str, object]) -> MutableMapping[str, object]:
    """Adds fields of the current request; fields of the entry itself take precedence."""
    return {**current.fields(), **entry}


def configure_logs(*, level: str = "INFO", stream: object = None, handler: logging.Handler | None = None) -> None:
    """Call it once at start-up. Libraries' logs also go to the handler, the stream or standard error."""
    shared: list[structlog.types.Processor] = [
        add_request,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        redact,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    if handler is None:
        handler = logging.StreamHandler(sys.stderr if stream is None else stream)  # type: ignore[arg-type]  # any text stream
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    handler.addFilter(Repeats())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for chatty in _CHATTY:
        logging.getLogger(chatty).setLevel(logging.WARNING)
