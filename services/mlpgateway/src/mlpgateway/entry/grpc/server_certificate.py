"""The certificate of a gate's port. A renewed one is used for new connections without a restart."""

import asyncio
import ssl
from typing import Final

import structlog
from cryptography.x509 import load_pem_x509_certificate

from mlpgateway.http2.metrics import CERTIFICATE_EXPIRES
from mlpgateway.instances.grpc.options import TlsFiles
from mlplace_runtime.tasks import every

log = structlog.get_logger(__name__)

_PROTOCOLS: Final = ["h2"]
_SECONDS: Final = 60.0


class ServerCertificate:
    """`context` is for the listener. Open connections keep the certificate with which they began."""

    def __init__(self, files: TlsFiles) -> None:
        """Raises OSError or ValueError, of which ssl.SSLError is one, for files that are no certificate and its key."""
        self._files = files
        self._contents = self._read()
        self._newest = self._loaded(self._contents)
        self.context = self._newest
        self.context.sni_callback = self._choose

    async def run(self) -> None:
        """Looks for a renewed certificate every minute until cancelled."""
        await every(_SECONDS, self.renew)

    async def renew(self) -> None:
        """Loads the files if they have changed. Goes on with the present certificate if they do not belong together:
        one of them may be written before the other.
        """
        try:
            contents = await asyncio.to_thread(self._read)
            if contents == self._contents:
                return
            self._newest = self._loaded(contents)
        except (OSError, ValueError) as error:
            log.warning("certificate_not_renewed", error=repr(error))
        else:
            self._contents = contents
            log.info("certificate_renewed")

    def _read(self) -> tuple[bytes, bytes]:
        return self._files.certificate.read_bytes(), self._files.key.read_bytes()

    def _loaded(self, contents: tuple[bytes, bytes]) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self._files.certificate, self._files.key)
        context.set_alpn_protocols(_PROTOCOLS)
        CERTIFICATE_EXPIRES.set(load_pem_x509_certificate(contents[0]).not_valid_after_utc.timestamp())
        return context

    def _choose(self, connection: ssl.SSLSocket | ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        """Called in each handshake, with or without a name of the server."""
        connection.context = self._newest
