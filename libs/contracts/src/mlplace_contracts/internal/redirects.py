"""Checks where the platform may redirect a browser: `POST /internal/accountsadmin/redirects/check`."""

from mlplace_contracts.internal.identity import InternalModel


class RedirectQuestion(InternalModel):
    """`host` is the Host header of the browser's request. An address on that host belongs to the platform."""

    url: str
    host: str


class RedirectAnswer(InternalModel):
    allowed: bool
