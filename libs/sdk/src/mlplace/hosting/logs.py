"""Logging of a serving process: to the console, and to a GELF collector if the environment names one."""

import json
import logging
import socket
import zlib

from mlplace.settings import Settings

_SYSLOG_LEVELS = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
_SYSLOG_DEBUG = 7
# The platform's names of levels that logging spells differently.
_LEVELS = {"WARN": "WARNING", "TRACE": "DEBUG", "FATAL": "CRITICAL"}


class GelfHandler(logging.Handler):
    """Graylog Extended Log Format 1.1 over UDP, zlib-compressed, one datagram per record."""

    def __init__(self, host: str, port: int, *, source: str, environment: str) -> None:
        super().__init__()
        self._address = (host, port)
        self._source = source or "unknown"
        self._environment = environment
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._socket.sendto(zlib.compress(self.encode(record)), self._address)
        except OSError:
            self.handleError(record)

    def encode(self, record: logging.LogRecord) -> bytes:
        level = next((syslog for least, syslog in _SYSLOG_LEVELS if record.levelno >= least), _SYSLOG_DEBUG)
        fields = {
            "version": "1.1",
            "host": self._source,
            "short_message": record.getMessage(),
            "full_message": self.format(record),
            "timestamp": record.created,
            "level": level,
            "_logger": record.name,
            "_env": self._environment,
        }
        return json.dumps(fields).encode()

    def close(self) -> None:
        self._socket.close()
        super().close()


def configure_logging(settings: Settings) -> None:
    """Configures logging by the MLP_LOG_* variables, unless the author has configured it already."""
    root = logging.getLogger()
    if root.handlers:
        return
    asked = settings.log_level.upper()
    root.setLevel(logging.getLevelNamesMapping().get(_LEVELS.get(asked, asked), logging.WARNING))
    if not asked:
        logging.getLogger("mlplace").setLevel(logging.INFO)
    if not settings.log_no_console:
        console = logging.StreamHandler()
        console.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root.addHandler(console)
    if settings.graylog_server and not settings.log_no_gelf:
        root.addHandler(
            GelfHandler(
                settings.graylog_server,
                settings.graylog_port,
                source=settings.hostname,
                environment=settings.graylog_env,
            )
        )
