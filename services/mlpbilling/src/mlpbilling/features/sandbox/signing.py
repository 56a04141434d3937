"""Signs the sandbox's callbacks with HMAC-SHA-256 over the time and the body. No I/O."""

import hashlib
import hmac
import re
from datetime import datetime, timedelta

HEADER = "sandbox-signature"
TOLERANCE = timedelta(minutes=5)
_FORM = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})", re.ASCII)


class CallbackSigner:
    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def sign(self, body: bytes, now: datetime) -> str:
        """Returns the value of the header."""
        moment = int(now.timestamp())
        return f"t={moment},v1={self._digest(moment, body)}"

    def is_genuine(self, header: str, body: bytes, now: datetime) -> bool:
        """Whether this body was signed with our secret recently. Compares in constant time."""
        found = _FORM.fullmatch(header)
        if not found:
            return False
        moment = int(found[1])
        fresh = abs(int(now.timestamp()) - moment) <= TOLERANCE.total_seconds()
        return hmac.compare_digest(self._digest(moment, body), found[2]) and fresh

    def _digest(self, moment: int, body: bytes) -> str:
        return hmac.new(self._secret, f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
