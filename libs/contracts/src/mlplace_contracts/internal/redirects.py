"""Where the platform may send a browser: `POST /internal/accountsadmin/redirects/check`."""

from mlplace_contracts.internal.identity import InternalModel


class RedirectQuestion(InternalModel):
    """`host` is the Host header of the browser's request: an address on it is the platform's own."""

    url: str
    host: str


class RedirectAnswer(InternalModel):
    allowed: bool
